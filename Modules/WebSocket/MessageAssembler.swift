internal import NIOCore
internal import NIOWebSocket

/// Assembles messages from frames, and enforces the rules of RFC 6455 that the codec leaves to its user: masking,
/// reserved bits and opcodes, fragmentation, UTF-8. Pure.
struct MessageAssembler {
    enum Event {
        /// A complete message.
        case message(WebSocketMessage)
        case ping(ByteBuffer)
        case pong
        /// The peer closes; `nil` without a code.
        case close(WebSocketClose?)
    }

    private let isServer: Bool
    private let limits: WebSocketLimits
    /// Whether messages may be compressed.
    private let permitsCompression: Bool
    /// The fragments so far; `nil` between messages.
    private var partial: ByteBuffer?
    private var kind = WebSocketMessageKind.text
    private var isCompressed = false
    private var fragments = 0
    private var text = UTF8Validator()

    /// - Parameter isServer: whether this end is the server, whose peer must mask its frames.
    /// - Parameter permitsCompression: whether `permessage-deflate` was agreed.
    init(isServer: Bool, _ limits: WebSocketLimits, permitsCompression: Bool) {
        self.isServer = isServer
        self.limits = limits
        self.permitsCompression = permitsCompression
    }

    /// Bytes of an incomplete message.
    var heldBytes: Int { partial?.readableBytes ?? 0 }

    /// Takes the next frame.
    ///
    /// - Returns: `nil` for a fragment of a message that goes on.
    /// - Throws: the close frame with which a violation is answered; the connection must not be read any further.
    mutating func receive(_ frame: WebSocketFrame) throws(WebSocketClose) -> Event? {
        // The first bit of the first frame says that the message is compressed, if that was agreed (RFC 7692 §6). There
        // is no other extension.
        let isBeginning = frame.opcode == .text || frame.opcode == .binary
        let permitted: WebSocketFrame.ReservedBits = permitsCompression && isBeginning ? .rsv1 : []
        guard frame.reservedBits.isSubset(of: permitted) else {
            throw WebSocketClose(.protocolError, "a reserved bit is set")
        }
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
        isCompressed = frame.rsv1
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
        guard data.readableBytes + frame.length <= limits.messageBytesMax else {
            throw Self.tooLarge(limits.messageBytesMax)
        }
        let fragment = frame.unmaskedData
        // Each fragment by itself, so that a message cannot go on for long after its first invalid byte. A compressed
        // message is checked when it has been decompressed.
        if kind == .text, !isCompressed, !text.append(fragment.readableBytesView, isLast: frame.fin) {
            throw Self.notUTF8
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
        return .message(
            WebSocketMessage(data, kind, isCompressed: isCompressed, bytesMax: limits.messageBytesMax))
    }

    static func tooLarge(_ bytesMax: Int) -> WebSocketClose {
        WebSocketClose(.tooLarge, "a message is larger than \(bytesMax) bytes")
    }

    static let notUTF8 = WebSocketClose(.invalidData, "a text that is not UTF-8")
}
