internal import NIOCore
internal import NIOWebSocket

/// Assembles messages from frames, and enforces the rules of RFC 6455 that the codec leaves to its user: masking,
/// reserved bits and opcodes, fragmentation, UTF-8. Pure.
struct MessageAssembler {
    enum Event: Equatable {
        /// A complete message.
        case message(ByteBuffer, WebSocketMessageKind)
        case ping(ByteBuffer)
        case pong
        /// The peer closes; `nil` without a code.
        case close(WebSocketClose?)
    }

    private let isServer: Bool
    private let limits: WebSocketLimits
    /// The fragments so far; `nil` between messages.
    private var partial: ByteBuffer?
    private var kind = WebSocketMessageKind.text
    private var fragments = 0
    private var text = UTF8Validator()

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
        case .text: return try begin(.text, frame)
        case .binary where partial != nil || limits.acceptsBinary: return try begin(.binary, frame)
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

    private mutating func begin(
        _ kind: WebSocketMessageKind, _ frame: WebSocketFrame
    ) throws(WebSocketClose) -> Event? {
        guard partial == nil else { throw WebSocketClose(.protocolError, "a message began inside another one") }
        self.kind = kind
        text = UTF8Validator()
        return try append(frame, to: ByteBuffer())
    }

    private mutating func append(
        _ frame: WebSocketFrame, to data: ByteBuffer
    ) throws(WebSocketClose) -> Event? {
        fragments += 1
        guard fragments <= limits.fragmentsMax else {
            throw WebSocketClose(.tooLarge, "more than \(limits.fragmentsMax) fragments")
        }
        guard data.readableBytes + frame.length <= limits.messageBytesMax else { throw Self.tooLarge(limits) }
        let fragment = frame.unmaskedData
        // Each fragment by itself, so that a message cannot go on for long after its first invalid byte.
        if kind == .text, !text.append(fragment.readableBytesView, isLast: frame.fin) {
            throw WebSocketClose(.invalidData, "a text that is not UTF-8")
        }
        var data = data
        if data.readableBytes == 0 {
            data = fragment
        } else {
            data.writeImmutableBuffer(fragment)
        }
        guard frame.fin else {
            partial = data
            return nil
        }
        fragments = 0
        return .message(data, kind)
    }

    static func tooLarge(_ limits: WebSocketLimits) -> WebSocketClose {
        WebSocketClose(.tooLarge, "a message is larger than \(limits.messageBytesMax) bytes")
    }
}
