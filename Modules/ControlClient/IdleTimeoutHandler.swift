import NIOCore
import NIOHTTP1

/// Closes a connection on which nothing has arrived for long; a live peer sends keep-alives.
final class IdleTimeoutHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }
}
