import CausewayHTTPServer
import NIOCore
import NIOEmbedded
import Testing

/// The server's part of a connection that was handed over to another protocol.
@Suite struct DetachedServerTests {
    private static func connection() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: DetachedServer())
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return channel
    }

    /// The server closes each connection once, in the order in which it does so.
    @Test func theServersEndHasNoEffect() throws {
        let channel = try Self.connection()
        try channel.writeAndFlush("end").wait()
        #expect(try channel.readOutbound(as: String.self) == nil)
        try channel.close(mode: .input).wait()
        try channel.close(mode: .output).wait()
        try channel.close().wait()
        #expect(channel.isActive)
        try channel.close(mode: .output).wait()
        #expect(channel.isActive)
        _ = try channel.finish()
    }

    /// For example that of a share of connections, before or after the server's.
    @Test func anotherCloseEndsTheConnection() throws {
        let channel = try Self.connection()
        try channel.close().wait()
        try channel.close().wait()
        #expect(!channel.isActive)
    }

    @Test(arguments: [true, false]) func theServerSeesItsPartClosed(isDetached: Bool) throws {
        let connection = try Self.connection()
        let channel = DetachableChannel(connection)
        let isClosed = NIOLoopBoundBox(false, eventLoop: connection.eventLoop)
        channel.closeFuture.whenComplete { _ in isClosed.value = true }
        #expect(!isClosed.value)
        if isDetached {
            channel.detach()
            #expect(connection.isActive)
        } else {
            try connection.close().wait()
            try connection.close().wait()
        }
        connection.embeddedEventLoop.run()
        #expect(isClosed.value)
        _ = try connection.finish(acceptAlreadyClosed: true)
    }

    @Test func theConnectionItselfIsKnown() throws {
        let connection = try Self.connection()
        #expect(DetachableChannel.connection(of: DetachableChannel(connection)) === connection)
        #expect(DetachableChannel.connection(of: connection) === connection)
        _ = try connection.finish(acceptAlreadyClosed: true)
    }
}
