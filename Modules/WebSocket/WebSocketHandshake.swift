package import NIOCore
package import NIOHTTP1
internal import NIOWebSocket

/// The opening handshake (RFC 6455 §4).
package enum WebSocketHandshake {
    /// The status of a response that completes it.
    package static let status = 101

    /// The fields of a request that asks for a connection.
    ///
    /// - Parameters:
    ///   - key: see ``randomKey()``.
    ///   - subprotocol: the only one that the client speaks; `nil` for none.
    ///   - offersCompression: whether `permessage-deflate` is offered.
    package static func requestFields(
        key: String, subprotocol: String?, offersCompression: Bool = false
    ) -> HTTPHeaders {
        var fields: HTTPHeaders = [
            "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": version,
            "Sec-WebSocket-Key": key,
        ]
        if let subprotocol { fields.add(name: "Sec-WebSocket-Protocol", value: subprotocol) }
        if offersCompression { fields.add(name: "Sec-WebSocket-Extensions", value: PerMessageDeflate.offer) }
        return fields
    }

    package static let version = "13"

    /// A new key, for one request.
    package static func randomKey() -> String { NIOWebSocketClientUpgrader.randomRequestKey() }

    /// The response does not complete the handshake.
    package struct NotCompleted: Error {
        package init() {}
    }

    /// Checks a response with the status 101 to the request with these fields.
    ///
    /// - Returns: the compression that was agreed; `nil` for none.
    package static func complete(
        by response: HTTPResponseHead, key: String, subprotocol: String?, offersCompression: Bool
    ) throws(NotCompleted) -> PerMessageDeflate? {
        let upgrader = NIOWebSocketClientUpgrader(requestKey: key) { channel, _ in
            channel.eventLoop.makeSucceededVoidFuture()
        }
        guard response.headers["Upgrade"].map({ $0.lowercased() }) == ["websocket"],
            contains(response.headers["Connection"], "upgrade"),
            response.headers["Sec-WebSocket-Protocol"] == [subprotocol].compactMap(\.self),
            upgrader.shouldAllowUpgrade(upgradeResponse: response)
        else { throw NotCompleted() }
        let extensions = response.headers["Sec-WebSocket-Extensions"]
        guard offersCompression || extensions.isEmpty else { throw NotCompleted() }
        return try PerMessageDeflate.chosen(extensions)
    }

    /// The reason why a request does not begin a handshake.
    package enum Problem: Error, Sendable, Hashable {
        /// It does not ask for a WebSocket.
        case notAskedFor
        /// Another version of the protocol than 13.
        case version
        /// The key is missing or malformed.
        case key
        /// The client does not speak the subprotocol.
        case subprotocol
        /// The list of extensions is malformed.
        case extensions
    }

    /// Checks the fields of a request.
    ///
    /// - Returns: the key.
    package static func key(of fields: HTTPHeaders, subprotocol: String?) throws(Problem) -> String {
        guard contains(fields["Upgrade"], "websocket"), contains(fields["Connection"], "upgrade") else {
            throw .notAskedFor
        }
        guard fields["Sec-WebSocket-Version"] == [version] else { throw .version }
        let keys = fields["Sec-WebSocket-Key"]
        // 16 bytes in Base64.
        guard keys.count == 1, keys[0].utf8.count == 24, keys[0].hasSuffix("==") else { throw .key }
        if let subprotocol, !contains(fields["Sec-WebSocket-Protocol"], subprotocol) { throw .subprotocol }
        return keys[0]
    }

    /// The fields of the response to a request with this key.
    ///
    /// - Parameter extensions: the value of `Sec-WebSocket-Extensions`; see ``PerMessageDeflate/accepting(_:)``.
    package static func responseFields(
        key: String, subprotocol: String?, extensions: String? = nil, on channel: any Channel
    ) async throws -> HTTPHeaders {
        var own: HTTPHeaders = [:]
        if let subprotocol { own.add(name: "Sec-WebSocket-Protocol", value: subprotocol) }
        if let extensions { own.add(name: "Sec-WebSocket-Extensions", value: extensions) }
        let upgrader = NIOWebSocketServerUpgrader(
            shouldUpgrade: { [own] channel, _ in channel.eventLoop.makeSucceededFuture(own) },
            upgradePipelineHandler: { channel, _ in channel.eventLoop.makeSucceededVoidFuture() })
        let request = HTTPRequestHead(
            version: .http1_1, method: .GET, uri: "/", headers: requestFields(key: key, subprotocol: subprotocol))
        return try await upgrader.buildUpgradeResponse(
            channel: channel, upgradeRequest: request, initialResponseHeaders: [:]
        ).get()
    }

    private static func contains(_ values: [String], _ token: String) -> Bool {
        values.contains { value in
            value.split(separator: ",").contains { $0.filter { $0 != " " && $0 != "\t" }.lowercased() == token }
        }
    }
}
