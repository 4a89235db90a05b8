import CausewayHTTP
import CausewayWire
import HTTPTypes
import NIOCore

/// Requests and responses as messages of a socket.
enum SocketCoding {
    /// The message of a request. The token is the socket's.
    static func message(_ request: HTTPClientRequest, id: Int64) -> [UInt8] {
        var headers: [String: String] = [:]
        for field in request.fields where !omitted.contains(field.name) {
            headers[field.name.canonicalName] = field.value
        }
        let body = request.body.readableBytes > 0 ? Array(request.body.readableBytesView) : nil
        return WireSocket.ClientMessage.request(
            WireSocket.Request(
                id: id, method: request.method.rawValue, path: request.path, headers: headers, body: body)
        ).text
    }

    /// Fields of the socket itself, and those that every message implies.
    private static let omitted: Set<HTTPField.Name> = [.authorization, .userAgent, .accept, .contentType]

    /// - Returns: `nil` if a field's name or value is invalid.
    static func response(_ message: WireSocket.Response) -> HTTPClientResponse? {
        var fields: HTTPFields = [:]
        for (name, value) in message.headers {
            guard let name = HTTPField.Name(name), HTTPField.isValidValue(value) else { return nil }
            fields[name] = value
        }
        return HTTPClientResponse(
            status: HTTPResponse.Status(code: message.status), fields: fields,
            body: message.body.map { ByteBuffer(bytes: $0) } ?? ByteBuffer())
    }

    /// The window that the server grants in the response to the opening request.
    static func window(_ values: [String]) -> Int {
        values.first.flatMap { Int($0) } ?? HTTPTransportLimits.socketWindowDefault
    }
}
