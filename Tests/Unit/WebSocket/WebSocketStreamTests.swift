import CausewayWebSocket
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

/// The messages of a connection between its event loop and their consumer.
@Suite struct WebSocketStreamTests {
    private struct Connection {
        let channel = EmbeddedChannel()
        let stream: WebSocketStream

        init(_ compression: PerMessageDeflate? = nil) {
            stream = WebSocketStream(WebSocketLimits(messageBytesMax: 1000), compression)
        }

        func attach() throws {
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            try channel.pipeline.syncOperations.addHandlers(
                stream.serverPipeline(on: channel.eventLoop) { _ in true })
        }

        func receive(_ text: String) throws {
            try channel.writeInbound(ByteBuffer(bytes: EmbeddedSocket.masked(EmbeddedSocket.text(text))))
        }

        func take() throws -> String? {
            defer { channel.embeddedEventLoop.run() }
            return try stream.take().map { String(decoding: try $0.content(), as: UTF8.self) }
        }
    }

    /// Counts the changes that a stream reports from now on.
    private final class Changes: Sendable {
        private let reported = Mutex(0)

        init(of stream: WebSocketStream) {
            stream.watch { self.reported.withLock { $0 += 1 } }
        }

        var count: Int { reported.withLock { $0 } }
    }

    @Test func everyChangeIsReportedUntilTheEnd() throws {
        let connection = Connection()
        try connection.attach()
        try connection.receive("before")
        let changes = Changes(of: connection.stream)
        #expect(changes.count == 1, "the message that is there already")
        try connection.receive("a")
        try connection.receive("b")
        #expect(changes.count == 3)
        #expect(try connection.take() == "before")
        _ = try connection.channel.finish()
        #expect(changes.count == 4)
        #expect(connection.stream.end == .cut)
        // Messages that have arrived are still taken.
        #expect(try connection.take() == "a")
        #expect(try connection.take() == "b")
        #expect(try connection.take() == nil)
        connection.stream.stop()
        #expect(changes.count == 4, "nothing is reported after the end")
    }

    @Test func aConnectionThatHasEndedIsReportedOnce() throws {
        let connection = Connection()
        connection.stream.connectionClosed()
        let changes = Changes(of: connection.stream)
        connection.stream.stop()
        #expect(changes.count == 1)
        #expect(connection.stream.end == .cut)
    }

    @Test func onlyAShortMessageIsTakenAsOne() throws {
        let connection = Connection()
        try connection.attach()
        for text in ["ab", "abc", "a"] { try connection.receive(text) }
        #expect(try connection.stream.takeShort(bytesMax: 2)?.content() == Array("ab".utf8))
        #expect(connection.stream.takeShort(bytesMax: 2) == nil, "the order is kept")
        #expect(connection.stream.hasMessage)
        #expect(try connection.take() == "abc")
        #expect(try connection.stream.takeShort(bytesMax: 2)?.content() == Array("a".utf8))
        #expect(!connection.stream.hasMessage)
        try connection.receive("a")
        connection.stream.stop()
        #expect(connection.stream.takeShort(bytesMax: 2) == nil && !connection.stream.hasMessage)
        _ = try connection.channel.finish()
    }

    /// An event loop, which takes short messages, must not decompress.
    @Test func aCompressedMessageIsNotShort() throws {
        let connection = Connection(try PerMessageDeflate.accepting(["permessage-deflate"])?.0)
        try connection.attach()
        // RFC 7692 §7.2.3.1
        let hello: [UInt8] = [0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
        try connection.channel.writeInbound(ByteBuffer(bytes: EmbeddedSocket.masked(hello)))
        #expect(connection.stream.takeShort(bytesMax: 100) == nil)
        #expect(try connection.take() == "Hello")
        _ = try connection.channel.finish()
    }

    @Test func nothingIsTakenAfterTheStop() throws {
        let connection = Connection()
        try connection.attach()
        try connection.receive("a")
        let changes = Changes(of: connection.stream)
        connection.stream.stop()
        #expect(changes.count == 2)
        #expect(connection.stream.isStopping)
        #expect(try connection.take() == nil)
        #expect(connection.stream.end == nil && connection.channel.isActive, "responses can still be sent")
        _ = try connection.channel.finish()
    }

    /// The end may come before the response that makes the connection a WebSocket.
    @Test(arguments: [true, false]) func aStreamThatWasEndedEarlyClosesItsConnection(isAborted: Bool) throws {
        let connection = Connection()
        if isAborted {
            connection.stream.abort()
        } else {
            connection.stream.close(WebSocketClose(.goingAway))
        }
        try connection.attach()
        connection.channel.embeddedEventLoop.run()
        let frame = try connection.channel.readOutbound(as: ByteBuffer.self)
        #expect((frame == nil) == isAborted)
        #expect(connection.channel.isActive == !isAborted)
        #expect((connection.stream.end == .cut) == isAborted)
        _ = try connection.channel.finish(acceptAlreadyClosed: true)
    }
}
