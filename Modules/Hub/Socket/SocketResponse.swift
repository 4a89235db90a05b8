internal import CausewayWebSocket
internal import CausewayWire
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// Sends the response to one request on a socket: as one message, or a stream in parts.
struct SocketResponse: Sendable {
    let exchange: SocketExchange
    let stream: WebSocketStream
    /// Called before the last message is sent.
    let willEnd: @Sendable () -> Void

    /// Sends the response; returns when its last message has been passed to the system.
    ///
    /// - Throws: when the connection has ended, or the body cannot be made.
    func send(_ response: Response) async throws {
        let writer = Writer(head: head(of: response), isJSON: Self.isJSON(response), self)
        try await response.body.write(writer)
    }

    private func head(of response: Response) -> WireSocket.Response {
        var headers: [String: String] = [:]
        for field in response.headers where !Self.omitted.contains(field.name) {
            headers[field.name.canonicalName] = field.value
        }
        return WireSocket.Response(id: exchange.id, status: response.status.code, headers: headers)
    }

    private static func isJSON(_ response: Response) -> Bool { response.headers[.contentType] == "application/json" }

    /// Fields that describe a message of HTTP.
    private static let omitted: Set<HTTPField.Name> = [
        .contentLength, .contentType, .cacheControl, .date, .server, .connection, .transferEncoding,
    ]

    fileprivate func send(_ message: WireSocket.Response, _ body: [ByteBuffer]) async throws {
        guard !body.isEmpty else { return try await stream.send([ByteBuffer(bytes: message.text)]) }
        try await stream.send(
            [ByteBuffer(bytes: message.head)] + body + [ByteBuffer(bytes: WireSocket.Response.end)])
    }

    private struct Writer: ResponseBodyWriter {
        let head: WireSocket.Response
        let isJSON: Bool
        let response: SocketResponse
        private var parts: [ByteBuffer] = []

        init(head: WireSocket.Response, isJSON: Bool, _ response: SocketResponse) {
            self.head = head
            self.isJSON = isJSON
            self.response = response
        }

        mutating func write(_ buffer: ByteBuffer) async throws {
            guard response.exchange.isStream else {
                if buffer.readableBytes > 0 { parts.append(buffer) }
                return
            }
            var part = head
            part.hasMore = true
            response.exchange.partSent()
            try await response.send(part, [buffer])
        }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
            response.willEnd()
            // Only a fault of a test responds with anything but JSON; it is sent as a string.
            guard isJSON || parts.isEmpty else { return try await response.send(head, [try Self.string(parts)]) }
            try await response.send(head, parts)
        }

        private static func string(_ parts: [ByteBuffer]) throws -> ByteBuffer {
            let text = parts.map { String(buffer: $0) }.joined()
            return ByteBuffer(bytes: try HubCoding.encode(text))
        }
    }
}
