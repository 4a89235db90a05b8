internal import NIOCore

/// The status code of a close frame (RFC 6455 §7.4).
package struct WebSocketCloseCode: RawRepresentable, Sendable, Hashable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// 1000: the purpose of the connection is fulfilled.
    package static let normal = WebSocketCloseCode(rawValue: 1000)
    /// 1001: the server stops, or the client has no more use for the connection.
    package static let goingAway = WebSocketCloseCode(rawValue: 1001)
    /// 1002: a frame violates the protocol.
    package static let protocolError = WebSocketCloseCode(rawValue: 1002)
    /// 1003: a message of a type that is not accepted.
    package static let unsupportedData = WebSocketCloseCode(rawValue: 1003)
    /// 1007: a text that is not UTF-8, or not in the agreed format.
    package static let invalidData = WebSocketCloseCode(rawValue: 1007)
    /// 1008: a rule of the application was violated, or permission was withdrawn.
    package static let policyViolation = WebSocketCloseCode(rawValue: 1008)
    /// 1009: a message exceeds a limit.
    package static let tooLarge = WebSocketCloseCode(rawValue: 1009)
    /// 1011: an error of the server.
    package static let internalError = WebSocketCloseCode(rawValue: 1011)
    /// 1013: overloaded; try again later.
    package static let tryLater = WebSocketCloseCode(rawValue: 1013)

    /// Whether an endpoint may send this code in a close frame.
    var maySend: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}

/// A close frame: a code and a reason of at most 123 bytes, for people who read logs.
package struct WebSocketClose: Error, Sendable, Hashable {
    package let code: WebSocketCloseCode
    package let reason: String

    /// - Parameter reason: cut to the length that a close frame can hold.
    package init(_ code: WebSocketCloseCode, _ reason: String = "") {
        self.code = code
        var reason = reason
        while reason.utf8.count > Self.reasonBytesMax { reason.removeLast() }
        self.reason = reason
    }

    private static let reasonBytesMax = 123

    /// Parses the payload of a close frame; `nil` for an empty one.
    ///
    /// - Throws: the close frame with which the violation is answered.
    static func parse(_ payload: ByteBuffer) throws(WebSocketClose) -> WebSocketClose? {
        var payload = payload
        guard payload.readableBytes > 0 else { return nil }
        guard let number = payload.readInteger(as: UInt16.self) else {
            throw WebSocketClose(.protocolError, "a close frame with half a code")
        }
        let code = WebSocketCloseCode(rawValue: number)
        guard code.maySend else { throw WebSocketClose(.protocolError, "an invalid close code") }
        guard let reason = String(validating: payload.readableBytesView, as: UTF8.self) else {
            throw WebSocketClose(.invalidData, "a close reason that is not UTF-8")
        }
        return WebSocketClose(code, reason)
    }

    /// The payload of the frame.
    var payload: ByteBuffer {
        var buffer = ByteBuffer()
        buffer.writeInteger(code.rawValue)
        buffer.writeString(reason)
        return buffer
    }
}

/// The way in which a connection ended.
package enum WebSocketEnd: Sendable, Hashable {
    /// The peer closed the connection in order; `nil` if its close frame had no code.
    case closed(WebSocketClose?)
    /// This end closed the connection.
    case closedHere(WebSocketClose)
    /// The connection ended without a close frame: cut, reset, or an error of TLS.
    case cut
    /// Nothing was heard from the peer for too long, or it did not read.
    case silent
}
