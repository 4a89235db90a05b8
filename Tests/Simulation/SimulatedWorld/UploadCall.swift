import CausewayModels
import CausewayOutbox

/// An attempt of a client's process to upload a file.
struct UploadCall: Sendable {
    /// Unique in a run.
    var id: Int
    var client: Int
    /// The run of the client that uploads.
    var process: Int
    /// The account of its token.
    var account: UserID
    var attempt: UploadQueue.Attempt
    var file: Attachment
    /// The hub's name of the upload, once the client knows it.
    var session: String?

    /// One request of an attempt.
    enum Request: Sendable {
        case begin
        case offset
        /// The next part of the file.
        case bytes(from: Int64)
    }

    /// The hub's answer to a request.
    enum Answer: Sendable, Equatable {
        /// The hub has the complete file.
        case complete
        case opened(String)
        case offset(Int64)
        case received(Int64)
    }
}

extension UploadCall: CustomStringConvertible {
    var description: String {
        "upload \(attempt.number) (call \(id)) of \(attempt.message.value.low)\(session.map { " at \($0)" } ?? "")"
    }
}
