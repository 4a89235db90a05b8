import CausewayModels
import CausewayRuntime
import CausewayTransport

/// An attempt to upload, as the engine performs it.
struct UploadUnderWay {
    let message: MessageID
    /// The account that it belongs to.
    let account: Account?
    /// The store of the transport that performs it.
    let media: any MediaStore
    /// The session, once the server has named it.
    var session: UploadSession?
    var task: RuntimeTask?
    /// True once the engine itself has cancelled it: it has not failed.
    var isBrokenOff = false
}
