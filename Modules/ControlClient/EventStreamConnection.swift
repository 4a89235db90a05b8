import CausewayControlAPI
import NIOCore
import NIOHTTP1
import NIOPosix

/// A connection to the daemon that carries one stream of events and nothing else.
enum EventStreamConnection {
    typealias Channel = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

    /// Connects to the daemon's socket.
    ///
    /// - Parameter silence: the time without a byte after which the connection is closed; a live daemon sends
    ///   keep-alives.
    static func open(_ socketPath: String, silence: TimeAmount) async throws -> Channel {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.seconds(10))
            .connect(unixDomainSocketPath: socketPath) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(IdleStateHandler(readTimeout: silence))
                    try pipeline.addHTTPClientHandlers()
                    try pipeline.addHandler(IdleTimeoutHandler())
                    return try Channel(wrappingChannelSynchronously: channel)
                }
            }
    }

    /// The head of the request for the stream at `path`.
    static func request(_ path: String) -> HTTPRequestHead {
        let fields: HTTPHeaders = ["Host": ControlHost.name, "Accept": "text/event-stream"]
        return HTTPRequestHead(version: .http1_1, method: .GET, uri: path, headers: fields)
    }
}

/// Closes a connection on which nothing has arrived for long.
private final class IdleTimeoutHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }
}
