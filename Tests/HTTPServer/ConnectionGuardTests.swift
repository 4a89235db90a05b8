import CausewayHTTPServer
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

/// The time limits of a connection, on a loop whose time goes on when it is told to.
@Suite struct ConnectionGuardTests {
    private static let limit = TimeAmount.milliseconds(400)
    private static let almost = TimeAmount.milliseconds(399)

    /// An open connection under limits of 400 ms each.
    private static func connection() throws -> (channel: EmbeddedChannel, loop: EmbeddedEventLoop) {
        let limits = ConnectionLimits(
            headerFieldBytesMax: 1024, headerListBytesMax: 1024, headerFieldsMax: 16, requestBytesMax: 1024,
            discardedBytesMax: 1024, firstHeader: .milliseconds(400), body: .milliseconds(400),
            answer: .milliseconds(400), idle: .seconds(3600), connectionsMax: 1,
            connectionsPerPeerMax: 1)
        let refusal = ConnectionRefusal { problem in (HTTPResponse(status: problem.status), ByteBuffer()) }
        let loop = EmbeddedEventLoop()
        let channel = EmbeddedChannel(handler: ConnectionGuard(limits, refusal), loop: loop)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return (channel, loop)
    }

    private static let request = HTTPRequestPart.head(
        HTTPRequest(method: .get, scheme: "http", authority: "h", path: "/"))

    private static let part = HTTPResponsePart.body(ByteBuffer(string: "part"))

    /// A connection whose request has come, and the head of an answer of unknown length has gone.
    private static func answering() throws -> (channel: EmbeddedChannel, loop: EmbeddedEventLoop) {
        let (channel, loop) = try connection()
        try channel.writeInbound(request)
        try channel.writeInbound(HTTPRequestPart.end(nil))
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
        return (channel, loop)
    }

    /// Such as an export or a stream of events: only a part that is not taken is waited for no longer.
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
        // Not flushed: nobody takes it.
        channel.pipeline.write(Self.part, promise: nil)
        loop.advanceTime(by: Self.almost)
        #expect(channel.isActive)
        loop.advanceTime(by: Self.limit)
        #expect(!channel.isActive)
        _ = try? channel.finish()
    }

    @Test func aHeaderThatNeverEndsIsCutOff() throws {
        let (channel, loop) = try Self.connection()
        loop.advanceTime(by: Self.almost)
        #expect(channel.isActive)
        loop.advanceTime(by: Self.limit)
        #expect(!channel.isActive)
        _ = try? channel.finish()
    }

    /// A byte now and then is no progress.
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
