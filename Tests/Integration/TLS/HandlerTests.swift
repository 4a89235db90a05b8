import CausewayTLS
import CausewayTestSupport
import NIOCore
import NIOEmbedded
import Testing

/// The handler step by step, without a network and without real time.
@Suite(.timeLimit(.minutes(10)))
struct HandlerTests {
    @Test(arguments: [1, 2, 7, 100, 16384, Int.max])
    func bytesMayArriveInAnySlices(slice: Int) throws {
        let pair = try BackToBack(TestCertificates())
        let early = Outcome(pair.client.send("said before the handshake"))
        #expect(early.result == nil)
        try pair.exchange(slice: slice)
        #expect(pair.isSecured)
        #expect(early.isDone)
        #expect(pair.serverLog.value.text == "said before the handshake")
        _ = pair.server.send("and an answer")
        try pair.exchange(slice: slice)
        #expect(pair.clientLog.value.text == "and an answer")
        #expect(pair.clientLog.value.entries == [.secured, .bytes])
    }

    @Test func largeTransfersArriveWhole() throws {
        let pair = try BackToBack(TestCertificates())
        try pair.secure()
        var numbers = SeededNumbers(state: 1)
        var sent: [UInt8] = []
        var outcomes: [Outcome] = []
        while sent.count < 4_000_000 {
            let size = [0, 1, 100, 16383, 16384, 16385, 70000, 600_000].randomElement(using: &numbers) ?? 0
            let part = (0..<size / 8 + 1).flatMap { _ in unsafe withUnsafeBytes(of: numbers.next()) { unsafe Array($0) }
            }.prefix(
                size)
            sent.append(contentsOf: part)
            outcomes.append(Outcome(pair.client.write(ByteBuffer(bytes: part))))
            if Bool.random(using: &numbers) { pair.client.flush() }
        }
        pair.client.flush()
        try pair.exchange(slice: 50000)
        #expect(pair.serverLog.value.received.count == sent.count)
        #expect(Digest.sha256(pair.serverLog.value.received) == Digest.sha256(sent))
        #expect(outcomes.allSatisfy { $0.isDone })
    }

    @Test func chunksGivenUpAreBounded() throws {
        final class Sizes: ChannelInboundHandler {
            typealias InboundIn = ByteBuffer
            var largest = 0
            func channelRead(context: ChannelHandlerContext, data: NIOAny) {
                largest = max(largest, Self.unwrapInboundIn(data).readableBytes)
                context.fireChannelRead(data)
            }
        }
        let sizes = Sizes()
        let pair = try BackToBack(TestCertificates(), above: sizes)
        try pair.secure()
        _ = pair.server.writeAndFlush(ByteBuffer(repeating: 7, count: 1_000_000))
        try pair.exchange()
        #expect(pair.clientLog.value.received.count == 1_000_000)
        #expect(sizes.largest <= TLSLimits.readChunkBytesMax)
        #expect(sizes.largest > TLSLimits.recordBytesMax)
    }

    @Test func smallWritesShareARecord() throws {
        let pair = try BackToBack(TestCertificates())
        try pair.secure()
        for _ in 0..<100 { pair.client.write(ByteBuffer(string: "x"), promise: nil) }
        #expect(try pair.client.readOutbound(as: ByteBuffer.self) == nil)
        pair.client.flush()
        let record = try #require(try pair.client.readOutbound(as: ByteBuffer.self))
        #expect(record.readableBytes < 100 + 64)
        #expect(try pair.client.readOutbound(as: ByteBuffer.self) == nil)
    }

    @Test func nothingIsGivenUpThatWasNotAskedFor() throws {
        let pair = try BackToBack(TestCertificates())
        try pair.secure()
        // The read requested during the handshake.
        _ = pair.server.send("first")
        try pair.exchange()
        #expect(pair.clientLog.value.text == "first")
        _ = pair.server.send("second")
        let bytes = try #require(try pair.server.readOutbound(as: ByteBuffer.self))
        // The pump's `read` is outstanding from before only if nothing arrived; request once, then deliver twice.
        pair.client.read()
        try pair.client.writeInbound(bytes)
        #expect(pair.clientLog.value.text == "firstsecond")
        _ = pair.server.send("third")
        try pair.client.writeInbound(#require(try pair.server.readOutbound(as: ByteBuffer.self)))
        #expect(pair.clientLog.value.text == "firstsecond")
        pair.client.read()
        #expect(pair.clientLog.value.text == "firstsecondthird")
    }

    @Test func tooMuchBeforeTheHandshakeEndsTheConnection() throws {
        let pair = try BackToBack(TestCertificates())
        var outcomes: [Outcome] = []
        for _ in 0..<17 {
            outcomes.append(Outcome(pair.client.writeAndFlush(ByteBuffer(repeating: 1, count: 65536))))
        }
        let error = TLSError.heldTooMuch(limitBytes: TLSLimits.heldBytesMax)
        #expect(pair.clientLog.value.tlsErrors == [error])
        #expect(outcomes.allSatisfy { $0.error as? TLSError == error })
        let late = Outcome(pair.client.send("late"))
        #expect(late.error as? TLSError == error)
        pair.client.embeddedEventLoop.advanceTime(by: .seconds(TLSLimits.closeLingerSecondsMax))
        #expect(!pair.client.isActive)
    }

    @Test func aHandlerMayJoinAnActiveChannel() throws {
        let certificates = try TestCertificates()
        let pair = try BackToBack(certificates)
        let client = EmbeddedChannel()
        try client.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        try client.pipeline.syncOperations.addHandlers([
            certificates.client().makeHandler(serverName: "localhost"), Recorder(pair.clientLog),
        ])
        while try pair.client.readOutbound(as: ByteBuffer.self) != nil {}
        for _ in 0..<3 {
            try pair.carry(from: client, to: pair.server)
            try pair.carry(from: pair.server, to: client)
        }
        #expect(pair.isSecured)
        client.end()
    }

    // MARK: Failures

    @Test func garbageFailsOnceAndFailsAllWrites() throws {
        let pair = try BackToBack(TestCertificates())
        let flushed = Outcome(pair.client.send("flushed"))
        let unflushed = Outcome(pair.client.send("unflushed", flush: false))
        try pair.client.writeInbound(ByteBuffer(string: "HTTP/1.1 400 Bad Request\r\n\r\n"))
        try pair.client.writeInbound(ByteBuffer(string: "more of it"))
        let errors = pair.clientLog.value.tlsErrors
        #expect(errors.count == 1)
        let error = try #require(errors.first)
        #expect("\(error)".contains("does not speak TLS"))
        #expect(flushed.error as? TLSError == error)
        #expect(unflushed.error as? TLSError == error)
    }

    @Test func aDamagedRecordEndsBothSides() throws {
        let pair = try BackToBack(TestCertificates())
        try pair.secure()
        _ = pair.client.send("will be damaged")
        try pair.carry(from: pair.client, to: pair.server) { bytes in
            let last = bytes.readerIndex + bytes.readableBytes - 1
            bytes.setInteger((bytes.getInteger(at: last, as: UInt8.self) ?? 0) ^ 1, at: last)
        }
        guard case .brokenRecord = pair.serverLog.value.tlsErrors.first else {
            Issue.record("\(pair.serverLog.value)")
            return
        }
        #expect(pair.serverLog.value.received.isEmpty)
        let late = Outcome(pair.server.send("late"))
        #expect(late.error is TLSError)
        try pair.exchange()
        guard case .refusedByPeer = pair.clientLog.value.tlsErrors.first else {
            Issue.record("\(pair.clientLog.value)")
            return
        }
        #expect(pair.serverLog.value.tlsErrors.count == 1)
    }

    @Test(arguments: 0..<300)
    func noiseNeverGetsThrough(seed: Int) throws {
        var numbers = SeededNumbers(state: UInt64(seed))
        let pair = try BackToBack(TestCertificates.shared)
        let afterHandshake = seed.isMultiple(of: 2)
        if afterHandshake { try pair.secure() }
        _ = pair.client.send("the true text")
        try pair.exchange { bytes in
            guard bytes.readableBytes > 0, Int.random(in: 0..<3, using: &numbers) > 0 else { return }
            let place = bytes.readerIndex + Int.random(in: 0..<bytes.readableBytes, using: &numbers)
            switch Int.random(in: 0..<3, using: &numbers) {
            case 0: bytes.setInteger(UInt8.random(in: 0...255, using: &numbers), at: place)
            case 1: bytes = bytes.getSlice(at: bytes.readerIndex, length: place - bytes.readerIndex) ?? bytes
            default: bytes.writeBytes((0..<40).map { _ in UInt8.random(in: 0...255, using: &numbers) })
            }
        }
        for log in [pair.clientLog.value, pair.serverLog.value] {
            #expect(log.tlsErrors.count <= 1)
            #expect(log.text.isEmpty || log.text == "the true text")
        }
    }

    @Test func theHandshakeHasALimit() throws {
        let pair = try BackToBack(TestCertificates())
        pair.server.embeddedEventLoop.advanceTime(by: .seconds(TLSLimits.handshakeSecondsMax - 1))
        #expect(pair.serverLog.value.tlsErrors.isEmpty)
        pair.server.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(pair.serverLog.value.tlsErrors == [.handshakeTimedOut(seconds: TLSLimits.handshakeSecondsMax)])
        pair.server.embeddedEventLoop.advanceTime(by: .seconds(TLSLimits.closeLingerSecondsMax))
        #expect(!pair.server.isActive)
    }

    @Test func theLimitOfTheHandshakeEndsWithIt() throws {
        let pair = try BackToBack(TestCertificates())
        try pair.secure()
        for channel in [pair.client, pair.server] {
            channel.embeddedEventLoop.advanceTime(by: .seconds(TLSLimits.handshakeSecondsMax))
        }
        #expect(pair.clientLog.value.tlsErrors.isEmpty)
        #expect(pair.serverLog.value.tlsErrors.isEmpty)
    }

    // MARK: Ends

    @Test func closingDuringTheHandshakeIsAtOnce() throws {
        let pair = try BackToBack(TestCertificates())
        let write = Outcome(pair.client.send("never sent"))
        let close = Outcome(pair.client.close())
        #expect(close.isDone)
        #expect(write.error as? ChannelError == .ioOnClosedChannel)
        #expect(pair.clientLog.value.entries == [.inactive])
        try pair.exchange()
        pair.server.pipeline.fireChannelInactive()
        #expect(pair.serverLog.value.tlsErrors == [.closedDuringHandshake])
        #expect(pair.serverLog.value.received.isEmpty)
    }

    @Test func aCloseSaysSoAndWaitsForThePeer() throws {
        let pair = try BackToBack(TestCertificates())
        try pair.secure()
        _ = pair.client.send("last words")
        let lost = Outcome(pair.client.send("not flushed", flush: false))
        let close = Outcome(pair.client.close())
        #expect(lost.error as? ChannelError == .ioOnClosedChannel)
        #expect(close.result == nil)
        try pair.exchange()
        pair.client.embeddedEventLoop.run()
        #expect(close.isDone)
        #expect(pair.serverLog.value.text == "last words")
        #expect(pair.serverLog.value.tlsErrors.isEmpty)
        #expect(pair.clientLog.value.tlsErrors.isEmpty)
        #expect(!pair.client.isActive)
        #expect(!pair.server.isActive)
    }

    @Test func aCloseDoesNotWaitForEver() throws {
        let pair = try BackToBack(TestCertificates())
        try pair.secure()
        let close = Outcome(pair.client.close())
        pair.client.embeddedEventLoop.advanceTime(by: .milliseconds(999))
        #expect(close.result == nil)
        pair.client.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(close.isDone)
    }

    @Test func aCloseDoesNotWaitForEverForItsLastByte() throws {
        let stuck = StuckSocket()
        let pair = try BackToBack(TestCertificates(), below: stuck)
        try pair.secure()
        stuck.isStuck = true
        let write = Outcome(pair.client.send("waits in the socket"))
        let close = Outcome(pair.client.close())
        pair.client.embeddedEventLoop.advanceTime(by: .seconds(TLSLimits.closeFlushSecondsMax) - .milliseconds(1))
        #expect(close.result == nil)
        pair.client.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(close.isDone)
        stuck.release()
        #expect(write.result != nil)
    }

    @Test(arguments: [ChannelEvent.inputClosed, nil])
    func dataWithoutAnEndIsReportedAsIncomplete(event: ChannelEvent?) throws {
        let pair = try BackToBack(TestCertificates())
        try pair.secure()
        _ = pair.server.send("the first half")
        try pair.exchange()
        if let event {
            pair.client.pipeline.fireUserInboundEventTriggered(event)
        } else {
            pair.client.pipeline.fireChannelInactive()
        }
        #expect(pair.clientLog.value.text == "the first half")
        #expect(pair.clientLog.value.tlsErrors == [.truncated])
    }

    @Test func dataBehindTheEndIsIgnored() throws {
        let pair = try BackToBack(TestCertificates())
        try pair.secure()
        pair.client.close(promise: nil)
        try pair.carry(from: pair.client, to: pair.server)
        _ = try? pair.server.writeInbound(ByteBuffer(string: "forged"))
        #expect(pair.serverLog.value.received.isEmpty)
        #expect(pair.serverLog.value.tlsErrors.isEmpty)
    }

    // MARK: Reentrant calls

    @Test func aReceiverMayCloseInsideTheEvent() throws {
        let closer = Reacting { context, event in
            if event == "secured" { context.close(promise: nil) }
        }
        let pair = try BackToBack(TestCertificates(), above: closer)
        let write = Outcome(pair.client.send("too late"))
        try pair.exchange()
        #expect(write.error as? ChannelError == .ioOnClosedChannel)
        #expect(pair.serverLog.value.received.isEmpty)
        #expect(pair.serverLog.value.tlsErrors.isEmpty)
        #expect(!pair.client.isActive)
    }

    @Test func aReceiverMayCloseInsideARead() throws {
        let closer = Reacting { context, event in
            if event == "read" { context.close(promise: nil) }
        }
        let pair = try BackToBack(TestCertificates(), above: closer)
        try pair.secure()
        for _ in 0..<5 { _ = pair.server.writeAndFlush(ByteBuffer(repeating: 1, count: 200_000)) }
        try pair.exchange()
        #expect(pair.clientLog.value.received.count <= TLSLimits.readChunkBytesMax)
        #expect(pair.clientLog.value.tlsErrors.isEmpty)
        #expect(!pair.client.isActive)
    }

    @Test func aReceiverMayCloseInsideTheError() throws {
        let closer = Reacting { context, event in
            if event == "error" { context.close(promise: nil) }
        }
        let pair = try BackToBack(TestCertificates(), serverName: "wrong.example", above: closer)
        try pair.exchange()
        #expect(pair.clientLog.value.tlsErrors.count == 1)
        // The alert was still sent.
        guard case .refusedByPeer = pair.serverLog.value.tlsErrors.first else {
            Issue.record("\(pair.serverLog.value)")
            return
        }
    }

    @Test func aPromiseMayWriteAgain() throws {
        let pair = try BackToBack(TestCertificates())
        let client = pair.client
        func sendNext(_ number: Int) {
            client.send("\(number) ").assumeIsolated().whenSuccess {
                if number < 20 { sendNext(number + 1) }
            }
        }
        sendNext(1)
        try pair.exchange()
        #expect(pair.serverLog.value.text == (1...20).map { "\($0) " }.joined())
    }
}

/// A socket whose buffer is full.
private final class StuckSocket: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    var isStuck = false
    private var held: [EventLoopPromise<Void>] = []

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard isStuck else { return context.write(data, promise: promise) }
        if let promise { held.append(promise) }
    }

    func release() {
        for promise in held { promise.fail(ChannelError.ioOnClosedChannel) }
        held.removeAll()
    }
}

/// Performs an action within a call from the handler below.
private final class Reacting: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let react: (ChannelHandlerContext, String) -> Void

    init(_ react: @escaping (ChannelHandlerContext, String) -> Void) {
        self.react = react
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        context.fireUserInboundEventTriggered(event)
        if event is TLSHandshakeCompleted { react(context, "secured") }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.fireChannelRead(data)
        react(context, "read")
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.fireErrorCaught(error)
        react(context, "error")
    }
}
