package import NIOCore

/// A connection as the HTTP server sees it, until it is handed over to another protocol.
///
/// The server closes each of its connections at the end and waits for that, in a task with several kilobytes. After
/// ``detach()`` it sees this one as closed, so that the task ends, while the connection itself stays open. Everything
/// else is passed on. (A pipeline cannot do that: the server waits for `closeFuture`.)
package final class DetachableChannel: Channel {
    /// The connection itself.
    package let connection: any Channel
    /// Of the connection, or of the server's part of it.
    package let closeFuture: EventLoopFuture<Void>
    private let closed: EventLoopPromise<Void>

    package init(_ connection: any Channel) {
        self.connection = connection
        closed = connection.eventLoop.makePromise()
        closeFuture = closed.futureResult
        connection.closeFuture.cascade(to: closed)
    }

    /// The connection itself, if the channel stands for one.
    package static func connection(of channel: any Channel) -> any Channel {
        (channel as? DetachableChannel)?.connection ?? channel
    }

    /// Ends the server's part, behind a ``DetachedServer``.
    package func detach() { closed.succeed() }

    // MARK: - Passed on

    package var allocator: ByteBufferAllocator { connection.allocator }
    package var pipeline: ChannelPipeline { connection.pipeline }
    package var localAddress: SocketAddress? { connection.localAddress }
    package var remoteAddress: SocketAddress? { connection.remoteAddress }
    package var parent: (any Channel)? { connection.parent }
    package var isWritable: Bool { connection.isWritable }
    package var isActive: Bool { connection.isActive }
    package var _channelCore: any ChannelCore { connection._channelCore }
    package var eventLoop: any EventLoop { connection.eventLoop }
    package var syncOptions: (any NIOSynchronousChannelOptions)? { connection.syncOptions }

    package func setOption<Option: ChannelOption>(_ option: Option, value: Option.Value) -> EventLoopFuture<Void> {
        connection.setOption(option, value: value)
    }

    package func getOption<Option: ChannelOption>(_ option: Option) -> EventLoopFuture<Option.Value> {
        connection.getOption(option)
    }
}

/// The place in a pipeline behind which the server's handlers were: what the server still does has no effect on the
/// connection.
///
/// It ends its output, may end its input, and closes the connection, which it does exactly once: the first close is
/// discarded. Another one is somebody else's, in whichever order they come.
package final class DetachedServer: ChannelOutboundHandler {
    package typealias OutboundIn = Any

    private var hasClosed = false

    package init() {}

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        promise?.succeed()
    }

    package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .all, hasClosed else {
            hasClosed = hasClosed || mode == .all
            promise?.succeed()
            return
        }
        context.close(mode: mode, promise: promise)
    }
}
