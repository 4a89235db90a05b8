import CausewayHTTPServer
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Synchronization
import Testing

/// The limits of a connection, on an event loop whose time the tests control.
@Suite struct ConnectionGuardTests {
    private static let limit = TimeAmount.milliseconds(400)
    private static let almost = TimeAmount.milliseconds(399)

    /// An open connection under limits of 400 ms each.
    private static func connection() throws -> (channel: EmbeddedChannel, loop: EmbeddedEventLoop) {
        let limits = ConnectionLimits(
            headerFieldBytesMax: 1024, headerListBytesMax: 1024, headerFieldsMax: 16, requestBytesMax: 1024,
            discardedBytesMax: 1024, pipelinedRequestsMax: 3, unsentBytesMax: 1024, firstHeader: .milliseconds(400),
            body: .milliseconds(400), response: .milliseconds(400), idle: .seconds(3600), connectionsMax: 1,
            connectionsPerPeerMax: 1)
        let refusal = ConnectionRefusal { problem in (HTTPResponse(status: problem.status), ByteBuffer()) }
        let loop = EmbeddedEventLoop()
        let channel = EmbeddedChannel(handler: ConnectionGuard(limits, refusal), loop: loop)
        try channel.pipeline.syncOperations.addHandler(PartEncoder(), position: .first)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return (channel, loop)
    }

    private static let request = HTTPRequestPart.head(
        HTTPRequest(method: .get, scheme: "http", authority: "h", path: "/"))

    private static let part = HTTPResponsePart.body(ByteBuffer(string: "part"))

    /// A connection whose request has arrived, and for which the head of a response of unknown length has been sent.
    private static func answering() throws -> (channel: EmbeddedChannel, loop: EmbeddedEventLoop) {
        let (channel, loop) = try connection()
        try channel.writeInbound(request)
        try channel.writeInbound(HTTPRequestPart.end(nil))
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
        return (channel, loop)
    }

    /// For example an export or a stream of events: only an unread part has a deadline.
    @Test func anAnswerThatGoesOnIsNotCut() throws {
        let (channel, loop) = try Self.answering()
        for _ in 0..<10 {
            try channel.writeOutbound(Self.part)
            loop.advanceTime(by: .hours(1))
            #expect(channel.isActive)
        }
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        loop.advanceTime(by: .hours(1))
        #expect(channel.isActive)
        _ = try channel.finish()
    }

    @Test func aPartThatIsNotTakenIsCutOff() throws {
        let (channel, loop) = try Self.answering()
        try channel.writeOutbound(Self.part)
        // Not flushed: it is never read.
        channel.pipeline.write(Self.part, promise: nil)
        loop.advanceTime(by: Self.almost)
        #expect(channel.isActive)
        loop.advanceTime(by: Self.limit)
        #expect(!channel.isActive)
        _ = try? channel.finish()
    }

    /// A response that is read part by part is not cut; one with an unread part is, even if earlier parts were read.
    @Test func eachPartOfAnAnswerHasItsTime() throws {
        let (channel, loop) = try Self.connection()
        try channel.writeInbound(Self.request)
        try channel.writeInbound(HTTPRequestPart.end(nil))
        var head = HTTPResponse(status: .ok)
        head.headerFields[.contentLength] = "12"
        try channel.writeOutbound(HTTPResponsePart.head(head))
        for _ in 0..<2 {
            loop.advanceTime(by: Self.almost)
            try channel.writeOutbound(Self.part)
            #expect(channel.isActive)
        }
        // Not flushed: it is never read.
        channel.pipeline.write(Self.part, promise: nil)
        loop.advanceTime(by: Self.almost)
        #expect(channel.isActive)
        loop.advanceTime(by: Self.limit)
        #expect(!channel.isActive)
        _ = try? channel.finish()
    }

    /// A client that reads the waiting parts one at a time, on command.
    private final class SlowClient: ChannelOutboundHandler {
        typealias OutboundIn = HTTPResponsePart
        private var waiting: [EventLoopPromise<Void>] = []

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if let promise { waiting.append(promise) }
        }

        func take() { waiting.removeFirst().succeed() }

        func handlerRemoved(context: ChannelHandlerContext) {
            for promise in waiting { promise.fail(ChannelError.ioOnClosedChannel) }
            waiting = []
        }
    }

    /// Several parts wait at once: when one has been read, the deadline of the next one starts.
    @Test func aPartBehindOneThatWasTakenHasADeadlineOfItsOwn() throws {
        let (channel, loop) = try Self.connection()
        let client = SlowClient()
        try channel.pipeline.syncOperations.addHandler(client, position: .first)
        try channel.writeInbound(Self.request)
        try channel.writeInbound(HTTPRequestPart.end(nil))
        channel.pipeline.write(HTTPResponsePart.head(HTTPResponse(status: .ok)), promise: nil)
        for _ in 0..<2 { channel.pipeline.write(Self.part, promise: nil) }
        for _ in 0..<2 {
            loop.advanceTime(by: Self.almost)
            #expect(channel.isActive)
            client.take()
        }
        loop.advanceTime(by: Self.almost)
        #expect(channel.isActive)
        loop.advanceTime(by: Self.limit)
        #expect(!channel.isActive, "the last part is not taken")
        _ = try? channel.finish()
    }

    // MARK: - Memory

    private final class Held: Sendable {}

    /// An object held by a response is released when the last bytes have been read, and no earlier.
    @Test func anAnswerHoldsWhatItNamesUntilItIsTaken() throws {
        let (channel, _) = try Self.answering()
        var object: Held? = Held()
        weak let held = object
        channel.triggerUserOutboundEvent(ResponseHold(try #require(object)), promise: nil)
        object = nil
        try channel.writeOutbound(Self.part)
        #expect(held != nil)
        channel.pipeline.write(HTTPResponsePart.end(nil), promise: nil)
        #expect(held != nil)
        channel.pipeline.flush()
        #expect(held == nil)
        _ = try channel.finish()
    }

    @Test func aConnectionThatEndsHoldsNothing() throws {
        let (channel, _) = try Self.answering()
        var object: Held? = Held()
        weak let held = object
        channel.triggerUserOutboundEvent(ResponseHold(try #require(object)), promise: nil)
        object = nil
        try channel.close().wait()
        #expect(held == nil)
    }

    /// The end of a drain, when everything that was written before it has left.
    @Test func aDrainEndsWithTheWritesBeforeIt() async throws {
        let (channel, _) = try Self.answering()
        let ends = Mutex(0)
        await ResponseDrain.begin(on: channel) { ends.withLock { $0 += 1 } }.wait()
        #expect(ends.withLock { $0 } == 1, "nothing had to leave")
        channel.pipeline.write(Self.part, promise: nil)
        let drain = ResponseDrain.begin(on: channel) { ends.withLock { $0 += 1 } }
        #expect(ends.withLock { $0 } == 1, "a part has not left")
        channel.pipeline.flush()
        #expect(ends.withLock { $0 } == 2)
        await drain.wait()
        _ = try channel.finish()
    }

    @Test func aDrainEndsWithItsConnection() async throws {
        let (channel, _) = try Self.answering()
        let ends = Mutex(0)
        channel.pipeline.write(Self.part, promise: nil)
        let before = ResponseDrain.begin(on: channel) { ends.withLock { $0 += 1 } }
        try await channel.close()
        let after = ResponseDrain.begin(on: channel) { ends.withLock { $0 += 1 } }
        #expect(ends.withLock { $0 } == 2)
        await before.wait()
        await after.wait()
    }

    /// A writer whose task is cancelled does not wait for a client that reads nothing.
    @Test func aCancelledWriterDoesNotWaitForADrain() async throws {
        let (channel, _) = try Self.answering()
        let ends = Mutex(0)
        channel.pipeline.write(Self.part, promise: nil)
        let drain = ResponseDrain.begin(on: channel) { ends.withLock { $0 += 1 } }
        let writer = Task { await drain.wait() }
        writer.cancel()
        await writer.value
        #expect(ends.withLock { $0 } == 0)
        _ = try? channel.finish()
    }

    private final class ReadCounter: ChannelOutboundHandler {
        typealias OutboundIn = HTTPResponsePart
        private(set) var reads = 0

        func read(context: ChannelHandlerContext) {
            reads += 1
            context.read()
        }
    }

    /// Requests sent ahead stay in the system's buffer until their turn.
    @Test func nothingIsReadWhileAnAnswerIsDue() throws {
        let (channel, _) = try Self.connection()
        let counter = ReadCounter()
        try channel.pipeline.syncOperations.addHandler(counter, position: .first)
        try channel.writeInbound(Self.request)
        channel.read()
        let before = counter.reads
        #expect(before > 0)
        try channel.writeInbound(HTTPRequestPart.end(nil))
        channel.read()
        channel.read()
        #expect(counter.reads == before)
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
        #expect(counter.reads == before)
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        #expect(counter.reads == before + 1)
        _ = try channel.finish()
    }

    /// The limit also holds for requests that fit into one read.
    @Test func requestsSentAheadAreBounded() throws {
        let (channel, _) = try Self.connection()
        for _ in 0..<3 {
            try channel.writeInbound(Self.request)
            try channel.writeInbound(HTTPRequestPart.end(nil))
            #expect(channel.isActive)
        }
        try channel.writeInbound(Self.request)
        #expect(!channel.isActive)
        _ = try? channel.finish()
    }

    // MARK: - Requests

    @Test func aHeaderThatNeverEndsIsCutOff() throws {
        let (channel, loop) = try Self.connection()
        loop.advanceTime(by: Self.almost)
        #expect(channel.isActive)
        loop.advanceTime(by: Self.limit)
        #expect(!channel.isActive)
        _ = try? channel.finish()
    }

    /// The client cannot send a body that the server does not read, because another response is due.
    @Test func aBodyBehindAnotherRequestHasItsTimeLater() throws {
        let (channel, loop) = try Self.connection()
        for part in [Self.request, HTTPRequestPart.end(nil), Self.request] { try channel.writeInbound(part) }
        channel.read()
        loop.advanceTime(by: .hours(1))
        #expect(channel.isActive)
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        loop.advanceTime(by: Self.almost)
        #expect(channel.isActive)
        loop.advanceTime(by: Self.limit)
        #expect(!channel.isActive)
        _ = try? channel.finish()
    }

    /// A byte now and then is not progress.
    @Test func aBodyThatDripsIsCutOff() throws {
        let (channel, loop) = try Self.connection()
        loop.advanceTime(by: Self.almost)
        try channel.writeInbound(Self.request)
        for _ in 0..<3 {
            loop.advanceTime(by: .milliseconds(100))
            try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "a")))
            #expect(channel.isActive)
        }
        loop.advanceTime(by: .milliseconds(100))
        #expect(!channel.isActive)
        _ = try? channel.finish()
    }
}
