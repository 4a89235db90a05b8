import CausewayWebSocket
import NIOCore
import Synchronization

/// Sends every message back; the owner of one connection.
final class Echo: WebSocketOwner {
    private let ended: (WebSocketEnd) -> Void
    /// The last message, for a caller that reads its result.
    private(set) var last = ""

    init(ended: @escaping (WebSocketEnd) -> Void = { _ in }) { self.ended = ended }

    func received(_ message: WebSocketMessage, from handler: WebSocketHandler) {
        defer { handler.consumed(message) }
        guard let content = handler.content(of: message) else { return }
        if message.kind == .text { last = String(buffer: content) }
        handler.send([content], as: message.kind, nil)
    }

    func ended(_ end: WebSocketEnd, of handler: WebSocketHandler) { ended(end) }

    /// Room for the largest cases (16 MiB), and a peer that is slow to read is waited for.
    static let limits: WebSocketLimits = {
        var limits = WebSocketLimits(messageBytesMax: 32 * 1024 * 1024)
        limits.waitingBytesMax = 64 * 1024 * 1024
        limits.acceptsBinary = true
        // Every message that becomes shorter is compressed.
        limits.compressedBytesMin = 0
        return limits
    }()
}
