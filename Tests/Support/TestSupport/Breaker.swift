import Foundation
import NIOCore

/// Breaks a connection off. It is the first handler of its pipeline, so that no other can close the connection in
/// order. Used on its channel's event loop.
final class Breaker: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Ends the connection with RST.
    func reset() {
        guard let context else { return }
        // On its event loop this takes effect at once.
        _ = (context.channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        context.close(promise: nil)
    }

    /// Ends the connection with FIN.
    func finish() { context?.close(promise: nil) }
}
