import COpenSSL
import CausewayTLS
import CausewayTestSupport
import NIOCore
import NIOEmbedded
import Testing

/// The promises to the handlers below and above, step by step.
@Suite(.timeLimit(.minutes(10)))
struct NeighbourTests {
    /// Counts the calls in both directions, and may report a write as done before it is passed on.
    private final class Counter: ChannelDuplexHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundIn = ByteBuffer
        var reads = 0
        var completedReads = 0
        var isHasty = false
        var closes: [CloseMode] = []

        func read(context: ChannelHandlerContext) {
            reads += 1
            context.read()
        }

        func channelReadComplete(context: ChannelHandlerContext) {
            completedReads += 1
            context.fireChannelReadComplete()
        }

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            closes.append(mode)
            context.close(mode: mode, promise: promise)
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            guard isHasty else { return context.write(data, promise: promise) }
            promise?.succeed()
            context.write(data, promise: nil)
        }
    }

    /// Writes before the handshake are encrypted together afterwards: a large one, and small ones that end within a
    /// record when the limit of one step is reached.
    @Test func allThatWasHeldArrives() throws {
        let pair = try BackToBack(TestCertificates())
        var outcomes = [Outcome(pair.client.writeAndFlush(ByteBuffer(repeating: 1, count: 20_000)))]
        for number in 0..<300 {
            outcomes.append(
                Outcome(pair.client.writeAndFlush(ByteBuffer(repeating: UInt8(number % 251), count: 1000))))
        }
        try pair.secure()
        #expect(outcomes.allSatisfy { $0.isDone })
        let received = pair.serverLog.value.received
        #expect(received.count == 320_000)
        #expect((0..<300).allSatisfy { received[20_000 + $0 * 1000] == UInt8($0 % 251) })
    }

    @Test func theEndOfASeriesOfReadsIsPassedUp() throws {
        let above = Counter()
        let pair = try BackToBack(TestCertificates(), above: above)
        try pair.secure()
        let before = above.completedReads
        _ = pair.server.send("one series")
        try pair.exchange()
        #expect(above.completedReads == before + 1)
    }

    /// Nothing can be passed up yet, so that nobody above would request more.
    @Test func theRestOfARecordIsRequested() throws {
        let below = Counter()
        let pair = try BackToBack(TestCertificates(), below: below)
        try pair.secure()
        _ = pair.server.send("a record in two parts")
        var record = try #require(try pair.server.readOutbound(as: ByteBuffer.self))
        pair.client.read()
        let part = record.readSlice(length: 10)
        let first = try #require(part)
        let before = below.reads
        try pair.client.writeInbound(first)
        #expect(below.reads == before + 1)
        try pair.client.writeInbound(record)
        #expect(pair.clientLog.value.text == "a record in two parts")
        #expect(below.reads == before + 1)
    }

    /// A write within a write must not be encrypted, or passed on, before the rest of the first one.
    @Test func aHastyPromiseMayWriteAgain() throws {
        let below = Counter()
        let pair = try BackToBack(TestCertificates(), below: below)
        try pair.secure()
        below.isHasty = true
        let client = pair.client
        client.send("first,", flush: false).assumeIsolated().whenSuccess {
            client.writeAndFlush(ByteBuffer(repeating: UInt8(ascii: "2"), count: 40_000), promise: nil)
        }
        client.flush()
        try pair.exchange()
        #expect(pair.serverLog.value.tlsErrors.isEmpty)
        #expect(pair.serverLog.value.text == "first," + String(repeating: "2", count: 40_000))
    }

    /// A flush within a write is for the bytes that are not encrypted yet, too: nobody else may flush them.
    @Test func aHastyPromiseMayFlush() throws {
        let below = Counter()
        let pair = try BackToBack(TestCertificates(), below: below)
        try pair.secure()
        below.isHasty = true
        let client = pair.client
        client.send("first,", flush: false).assumeIsolated().whenSuccess {
            client.writeAndFlush(ByteBuffer(string: ",last"), promise: nil)
        }
        // With these bytes a record is full, so that everything is encrypted.
        let count = TLSLimits.recordBytesMax
        client.pipeline.write(ByteBuffer(repeating: UInt8(ascii: "2"), count: count), promise: nil)
        try pair.exchange()
        #expect(pair.serverLog.value.text == "first," + String(repeating: "2", count: count) + ",last")
    }

    /// OpenSSL reports through a queue that all connections of a thread share.
    @Test func anErrorThatAnotherLeftBehindFailsNothing() throws {
        let pair = try BackToBack(TestCertificates())
        try pair.secure()
        _ = pair.server.send("read")
        #expect(unsafe BIO_new_file("/no/such/file", "r") == nil)
        try pair.exchange()
        #expect(pair.clientLog.value.text == "read")
        #expect(pair.clientLog.value.tlsErrors.isEmpty)
        #expect(pair.serverLog.value.tlsErrors.isEmpty)
    }

    /// Each side ends by itself: the second end is that of the connection.
    @Test func theHalvesMayEndInTurn() throws {
        let below = Counter()
        let pair = try BackToBack(TestCertificates(), below: below)
        try pair.secure()
        pair.client.allowRemoteHalfClosure = true
        pair.server.close(mode: .output, promise: nil)
        try pair.carry(from: pair.server, to: pair.client)
        #expect(pair.clientLog.value.entries == [.secured, .inputClosed])
        _ = pair.client.send("an answer")
        let answer = try pair.client.readOutbound(as: ByteBuffer.self)
        #expect(answer != nil)
        #expect(pair.client.isActive)
        let close = Outcome(pair.client.close(mode: .output))
        pair.client.embeddedEventLoop.run()
        #expect(close.isDone)
        #expect(below.closes == [.all])
        #expect(pair.clientLog.value.tlsErrors.isEmpty)
    }
}
