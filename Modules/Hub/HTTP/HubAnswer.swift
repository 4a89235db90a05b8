internal import CausewayWire
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// Answers in JSON, and the names of header fields that HTTPTypes does not know.
enum HubAnswer {
    static let protocolField: HTTPField.Name = {
        guard let name = HTTPField.Name(WireProtocol.header) else {
            preconditionFailure("The protocol's header is a header's name.")
        }
        return name
    }()

    static func json(_ status: HTTPResponse.Status, _ bytes: [UInt8], headers: HTTPFields = [:]) -> Response {
        var headers = headers
        headers[.contentType] = "application/json"
        // Answers are one account's own, and marks and pages change at any time.
        headers[.cacheControl] = "no-store"
        headers[protocolField] = WireProtocol.version
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        json(status, try HubCoding.encode(value))
    }
}
