internal import NIOCore
internal import NIOWebSocket

/// Assembles messages from frames, and enforces the rules of RFC 6455 that the codec leaves to its user: masking,
/// reserved bits and opcodes, fragmentation, UTF-8. Pure.
struct MessageAssembler {
    enum Event: Equatable {
        /// A complete text message.
        case message(ByteBuffer)
        case ping(ByteBuffer)
        case pong
        /// The peer closes; `nil` without a code.
        case close(WebSocketClose?)
    }

    private let isServer: Bool
    private let limits: WebSocketLimits
    /// The text of the fragments so far; `nil` between messages.
    private var partial: ByteBuffer?
    private var fragments = 0

    /// - Parameter isServer: whether this end is the server, whose peer must mask its frames.
    init(isServer: Bool, _ limits: WebSocketLimits) {
        self.isServer = isServer
        self.limits = limits
    }

    /// Bytes of an incomplete message.
    var heldBytes: Int { partial?.readableBytes ?? 0 }

    /// Takes the next frame.
    ///
    /// - Returns: `nil` for a fragment of a message that goes on.
    /// - Throws: the close frame with which a violation is answered; the connection must not be read any further.
    mutating func receive(_ frame: WebSocketFrame) throws(WebSocketClose) -> Event? {
        // No extension was agreed, so no bit is reserved for one.
        guard frame.reservedBits.isEmpty else { throw WebSocketClose(.protocolError, "a reserved bit is set") }
        guard (frame.maskKey != nil) == isServer else {
            throw WebSocketClose(.protocolError, isServer ? "an unmasked frame" : "a masked frame")
        }
        switch frame.opcode {
        case .text:
            guard partial == nil else {
                throw WebSocketClose(.protocolError, "a message began inside another one")
            }
            return try append(frame, to: ByteBuffer())
        case .continuation:
            guard let partial else { throw WebSocketClose(.protocolError, "a continuation without a beginning") }
            // Released first, so that the text grows in place.
            self.partial = nil
            return try append(frame, to: partial)
        case .binary: throw WebSocketClose(.unsupportedData, "binary messages are not accepted")
        case .ping: return .ping(frame.unmaskedData)
        case .pong: return .pong
        case .connectionClose: return .close(try WebSocketClose.parse(frame.unmaskedData))
        default: throw WebSocketClose(.protocolError, "an unknown opcode")
        }
    }

    private mutating func append(
        _ frame: WebSocketFrame, to text: ByteBuffer
    ) throws(WebSocketClose) -> Event? {
        fragments += 1
        guard fragments <= limits.fragmentsMax else {
            throw WebSocketClose(.tooLarge, "more than \(limits.fragmentsMax) fragments")
        }
        guard text.readableBytes + frame.length <= limits.messageBytesMax else { throw Self.tooLarge(limits) }
        var text = text
        if text.readableBytes == 0 {
            text = frame.unmaskedData
        } else {
            text.writeImmutableBuffer(frame.unmaskedData)
        }
        guard frame.fin else {
            partial = text
            return nil
        }
        fragments = 0
        guard String(validating: text.readableBytesView, as: UTF8.self) != nil else {
            throw WebSocketClose(.invalidData, "a text that is not UTF-8")
        }
        return .message(text)
    }

    static func tooLarge(_ limits: WebSocketLimits) -> WebSocketClose {
        WebSocketClose(.tooLarge, "a message is larger than \(limits.messageBytesMax) bytes")
    }
}
