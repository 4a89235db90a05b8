import CausewayWebSocket
import NIOCore
import NIOEmbedded
import Testing

/// One end of a WebSocket, whose other end is the test, byte by byte.
struct EmbeddedSocket {
    final class Owner: WebSocketOwner {
        private(set) var received: [WebSocketMessage] = []
        /// Their contents.
        private(set) var messages: [String] = []
        var kinds: [WebSocketMessageKind] { received.map(\.kind) }
        var takesMessages = true
        private(set) var end: WebSocketEnd?

        func received(_ message: WebSocketMessage, from handler: WebSocketHandler) {
            received.append(message)
            guard let content = handler.content(of: message) else { return }
            messages.append(String(buffer: content))
            if takesMessages { handler.consumed(message) }
        }

        func ended(_ end: WebSocketEnd, of handler: WebSocketHandler) {
            #expect(self.end == nil)
            self.end = end
        }
    }

    let channel: EmbeddedChannel
    let handler: WebSocketHandler
    let owner: Owner
    var loop: EmbeddedEventLoop { channel.embeddedEventLoop }

    /// The frames that were sent since the last call.
    func sent() throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let buffer = try channel.readOutbound(as: ByteBuffer.self) {
            bytes += Array(buffer.readableBytesView)
        }
        return bytes
    }

    func receive(_ bytes: [UInt8]) throws { try channel.writeInbound(ByteBuffer(bytes: bytes)) }

    static func connection(
        isServer: Bool = false, _ compression: PerMessageDeflate? = nil, meter: InboundByteMeter? = nil,
        change: (inout WebSocketLimits) -> Void = { _ in }
    ) throws -> EmbeddedSocket {
        var limits = WebSocketLimits(messageBytesMax: 1000)
        change(&limits)
        let owner = Owner()
        let handler = WebSocketHandler(isServer: isServer, limits, compression, owner: owner, meter: meter)
        let channel = EmbeddedChannel()
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        try channel.pipeline.syncOperations.addHandlers(handler.pipeline)
        return EmbeddedSocket(channel: channel, handler: handler, owner: owner)
    }

    // MARK: - Frames

    static func text(_ text: String) -> [UInt8] { [0x81, UInt8(text.utf8.count)] + text.utf8 }

    static func close(_ code: UInt16) -> [UInt8] { [0x88, 2, UInt8(code >> 8), UInt8(code & 0xFF)] }

    /// A frame of a client, masked with zeros.
    static func masked(_ frame: [UInt8]) -> [UInt8] {
        let length = [126: 4, 127: 10][frame[1]] ?? 2
        return [frame[0], frame[1] | 0x80] + frame[2..<length] + [0, 0, 0, 0] + frame[length...]
    }

    /// The code of a close frame of a client.
    static func code(_ frame: [UInt8]) throws -> UInt16 {
        try #require(frame.count >= 8)
        #expect(frame[0] == 0x88 && frame[1] & 0x80 != 0)
        let bytes = frame[6...].enumerated().map { $1 ^ frame[2 + $0 % 4] }
        return UInt16(bytes[0]) << 8 | UInt16(bytes[1])
    }
}
