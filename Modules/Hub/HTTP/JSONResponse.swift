internal import CausewayHTTPServer
internal import CausewayWire
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// JSON responses, and the names of header fields that HTTPTypes does not define.
enum JSONResponse {
    static let protocolField: HTTPField.Name = {
        guard let name = HTTPField.Name(WireProtocol.header) else {
            preconditionFailure("The protocol's header is a header's name.")
        }
        return name
    }()

    static let historyField: HTTPField.Name = {
        guard let name = HTTPField.Name(WireProtocol.historyHeader) else {
            preconditionFailure("The history's header is a header's name.")
        }
        return name
    }()

    static func json(_ status: HTTPResponse.Status, _ bytes: [UInt8], headers: HTTPFields = [:]) -> Response {
        var headers = headers
        headers[.contentType] = "application/json"
        // Responses belong to one account, and marks and pages change at any time.
        headers[.cacheControl] = "no-store"
        headers[protocolField] = WireProtocol.version
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// A response that is sent in parts over a connection, and counts until the last of them has been sent.
    static func json(_ body: ResponseParts, holding lease: ByteLease, _ context: HubRequestContext) -> Response {
        var response = json(.ok, [])
        response.body = ResponseBody(contentLength: body.count) { writer in
            context.hold(lease)
            for part in body.parts { try await writer.write(part) }
            try await writer.finish(nil)
        }
        return response
    }

    static func json(_ body: ResponseParts) -> Response {
        var response = json(.ok, [])
        // One buffer leaves in one write with the header; of several each is a write of its own.
        if body.parts.count == 1 {
            response.body = ResponseBody(byteBuffer: body.parts[0])
        } else {
            response.body = ResponseBody(contentsOf: body.parts)
        }
        return response
    }

    static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        json(status, try HubCoding.encode(value))
    }
}
