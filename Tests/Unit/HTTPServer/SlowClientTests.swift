import CausewayHTTPServer
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

/// Clients that read slowly or not at all, on an event loop whose time the tests control.
@Suite struct SlowClientTests {
    private static let limit = TimeAmount.milliseconds(400)
    private static let almost = TimeAmount.milliseconds(399)

    private static let limits = ConnectionLimits(
        headerFieldBytesMax: 1024, headerListBytesMax: 1024, headerFieldsMax: 16, requestBytesMax: 1024,
        discardedBytesMax: 1024, pipelinedRequestsMax: 3, unsentBytesMax: 1024, firstHeader: .milliseconds(400),
        body: .milliseconds(400), response: .milliseconds(400), idle: .seconds(3600), connectionsMax: 1,
        connectionsPerPeerMax: 1)

    /// A system that takes the bytes that the test says, and holds the others.
    private final class System: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private var held = 0
        private var promises: [EventLoopPromise<Void>] = []
        private var context: ChannelHandlerContext?

        func handlerAdded(context: ChannelHandlerContext) { self.context = context }

        func handlerRemoved(context: ChannelHandlerContext) {
            self.context = nil
            for promise in promises { promise.fail(ChannelError.ioOnClosedChannel) }
            promises = []
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            hold(unwrapOutboundIn(data).readableBytes)
            if let promise { promises.append(promise) }
        }

        func flush(context: ChannelHandlerContext) {}

        /// Takes bytes, be it in the middle of a part.
        func take(_ bytes: Int) {
            let rest = held - bytes
            held = 0
            // The channel lets go of everything.
            context?.flush()
            hold(rest)
        }

        /// Reports the oldest part as taken.
        func completePart() { promises.removeFirst().succeed() }

        private func hold(_ bytes: Int) {
            held += bytes
            context?.write(wrapOutboundOut(ByteBuffer(repeating: 0, count: bytes)), promise: nil)
        }
    }

    /// A connection whose client has sent a request.
    private static func asking(
        _ registry: ConnectionRegistry? = nil
    ) throws -> (channel: EmbeddedChannel, loop: EmbeddedEventLoop, system: System) {
        let refusal = ConnectionRefusal { problem in (HTTPResponse(status: problem.status), ByteBuffer()) }
        let loop = EmbeddedEventLoop()
        let channel = EmbeddedChannel(handler: ConnectionGuard(limits, refusal, registry), loop: loop)
        let system = System()
        try channel.pipeline.syncOperations.addHandlers([system, PartEncoder()], position: .first)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        let isAdmitted = registry?.open(channel)
        #expect(isAdmitted != false)
        try channel.writeInbound(
            HTTPRequestPart.head(HTTPRequest(method: .get, scheme: "http", authority: "h", path: "/")))
        try channel.writeInbound(HTTPRequestPart.end(nil))
        channel.pipeline.write(HTTPResponsePart.head(HTTPResponse(status: .ok)), promise: nil)
        return (channel, loop, system)
    }

    /// A response may be one large part, which is taken as a whole long after its first bytes.
    @Test func aPartThatIsReadSlowlyIsNotCut() throws {
        let (channel, loop, system) = try Self.asking()
        channel.pipeline.write(HTTPResponsePart.body(ByteBuffer(repeating: 0, count: 1000)), promise: nil)
        for _ in 0..<9 {
            loop.advanceTime(by: Self.almost)
            try #require(channel.isActive)
            system.take(100)
        }
        loop.advanceTime(by: Self.almost)
        #expect(channel.isActive)
        loop.advanceTime(by: Self.limit)
        #expect(!channel.isActive, "the client has stopped reading")
        _ = try? channel.finish()
    }

    /// Bytes that are written meanwhile hide no reading, and are none.
    @Test func laterPartsAreNoProgress() throws {
        let (channel, loop, system) = try Self.asking()
        let part = HTTPResponsePart.body(ByteBuffer(repeating: 0, count: 1000))
        channel.pipeline.write(part, promise: nil)
        for _ in 0..<5 {
            loop.advanceTime(by: Self.almost)
            try #require(channel.isActive)
            system.take(1)
            channel.pipeline.write(part, promise: nil)
        }
        for _ in 0..<3 {
            loop.advanceTime(by: .milliseconds(200))
            channel.pipeline.write(part, promise: nil)
        }
        #expect(!channel.isActive, "the client has stopped reading")
        _ = try? channel.finish()
    }

    @Test func onlyTakenBytesAreProgress() {
        var progress = OutputProgress()
        progress.wrote(100)
        // With the bytes of the protocols around them.
        let looks = [130, 130, 129, 129].map { progress.look(buffered: $0) }
        #expect(looks == [false, false, true, false])
        progress.wrote(50)
        let later = [178, 178].map { progress.look(buffered: $0) }
        #expect(later == [true, false])
    }

    /// A response that was written but not read yet is in progress.
    @Test func aConnectionWhoseResponseIsBeingReadIsNotIdle() throws {
        let registry = ConnectionRegistry(Self.limits)
        let (channel, _, system) = try Self.asking(registry)
        channel.pipeline.write(HTTPResponsePart.body(ByteBuffer(repeating: 0, count: 10)), promise: nil)
        channel.pipeline.write(HTTPResponsePart.end(nil), promise: nil)
        system.completePart()
        let second = EmbeddedChannel()
        second.remoteAddress = channel.remoteAddress
        let isFirstRefused = !registry.open(second)
        #expect(isFirstRefused && channel.isActive)
        system.completePart()
        system.completePart()
        // Idle now: it makes room.
        let isSecondAdmitted = registry.open(second)
        #expect(isSecondAdmitted && !channel.isActive)
        _ = try? channel.finish()
        _ = try? second.finish()
    }
}

/// The bytes of responses, as far as they matter here: an embedded channel counts nothing else.
final class PartEncoder: ChannelOutboundHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = ByteBuffer

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var bytes = ByteBuffer()
        if case .body(let body) = unwrapOutboundIn(data) { bytes = body }
        context.write(wrapOutboundOut(bytes), promise: promise)
    }
}
