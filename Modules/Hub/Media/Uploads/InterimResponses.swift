internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import NIOHTTPTypes

/// The interim responses `104 (Upload Resumption Supported)` to one request, written before its response.
///
/// Only to clients that name a version of the draft that the hub has. Their number is bounded by that of the syncs.
struct InterimResponses: Sendable {
    private let version: UploadFields.Version?
    private let channel: any Channel
    /// Of an upload that the request creates: all responses to it name the same one.
    private let location: String?
    private let limit: String

    init(_ version: UploadFields.Version?, on channel: any Channel, location: String?, limit: String) {
        self.version = version
        self.channel = channel
        self.location = location
        self.limit = limit
    }

    /// Names a new upload, so that the client can continue it whatever happens to this request.
    func announce() {
        guard location != nil else { return }
        send([UploadFields.limit: limit])
    }

    /// Reports a durable offset.
    func report(_ offset: Int64) { send([UploadFields.offset: String(offset)]) }

    private func send(_ fields: HTTPFields) {
        guard let version else { return }
        var fields = fields
        fields[UploadFields.version] = version.rawValue
        fields[.location] = location
        let status = HTTPResponse.Status(code: 104, reasonPhrase: "Upload Resumption Supported")
        channel.writeAndFlush(
            HTTPResponsePart.head(HTTPResponse(status: status, headerFields: fields)), promise: nil)
    }
}
