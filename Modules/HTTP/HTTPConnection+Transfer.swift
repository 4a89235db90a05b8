import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// The state of a transfer on its connection.
struct TransferProgress {
    let stream: TransferStream
    var watch: TransferWatch
    var timer: Scheduled<Void>?
    /// Until the body is sent although the server has not said that it wants it.
    var continueTimer: Scheduled<Void>?
    /// Whether the body was given to the connection as a whole.
    var isBodyComplete: Bool
    /// Bytes of the body that were passed to the channel.
    private(set) var passedBytes = 0
    /// Bytes of the parts that were written as a whole.
    private var completedBytes = 0
    /// Bytes of the body that the system has taken, also of a part in the middle; never too many.
    private(set) var writtenBytes = 0
    /// Whether the connection is not read, because the receiver is slower.
    var isReadingHeld = false

    init(_ stream: TransferStream, watch: TransferWatch) {
        self.stream = stream
        self.watch = watch
        isBodyComplete = stream.transfer.body == nil
    }

    func cancelTimers() {
        timer?.cancel()
        continueTimer?.cancel()
    }

    var unwrittenBytes: Int { passedBytes - writtenBytes }

    /// A part is passed to the channel.
    mutating func passed(_ bytes: Int) { passedBytes += bytes }

    /// A part was written as a whole.
    mutating func completed(_ bytes: Int, now: NIODeadline) {
        completedBytes += bytes
        written(completedBytes, now: now)
    }

    /// The channel holds this many bytes, of the body and of what surrounds it.
    mutating func buffered(_ bytes: Int, now: NIODeadline) { written(passedBytes - bytes, now: now) }

    private mutating func written(_ total: Int, now: NIODeadline) {
        let count = total - writtenBytes
        guard count > 0 else { return }
        writtenBytes = total
        watch.transferred(count, now: now)
    }
}

/// Bodies in parts: all code runs on the channel's event loop.
///
/// The peer is waited for while something is to be written, and while the response's body is read; the watch runs only
/// then. Between the last byte of the request and the response's header the time-out of the first byte applies, which
/// every interim response begins anew.
///
/// Each part is one write. What has left of it is seen in the bytes that the channel still holds: over TLS the cipher
/// text, which is a little longer, because `TLSHandler` encrypts everything that is flushed at once and keeps none of
/// it. So the number of bytes that have left is never too high, and exact when the channel holds none.
extension HTTPConnection {
    func begin(_ stream: TransferStream, for request: ConnectionPoolState.RequestID) {
        guard case .busy(var exchange) = state else { return }
        var watch = TransferWatch(stream.transfer.timeouts, now: .now())
        watch.pause(now: .now())
        exchange.transfer = TransferProgress(stream, watch: watch)
        if let wait = stream.transfer.waitBeforeBody {
            exchange.transfer?.continueTimer = channel.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(wait)) {
                stream.mayContinue()
            }
        }
        state = .busy(exchange)
        let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
        let loop = channel.eventLoop
        stream.begin(
            on: TransferStream.Connection(
                write: { part, completed in
                    loop.execute { bound.value.write(part, of: request, completed) }
                },
                end: { loop.execute { bound.value.endBody(of: request) } },
                holdChanged: { stream in
                    loop.execute { bound.value.holdReading(stream.isHeld, of: request) }
                }))
    }

    private func write(
        _ part: ByteBuffer, of request: ConnectionPoolState.RequestID, _ completed: @escaping @Sendable () -> Void
    ) {
        guard case .busy(var exchange) = state, exchange.request == request,
            exchange.transfer?.isBodyComplete == false
        else { return completed() }
        let count = part.readableBytes
        // Nothing looks at the channel before it has the part.
        exchange.transfer?.passed(count)
        state = .busy(exchange)
        let written = channel.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { [weak self] result in
            self?.written(count, of: request, result)
            completed()
        }
        channel.pipeline.syncOperations.writeAndFlush(
            NIOAny(HTTPClientRequestPart.body(.byteBuffer(part))), promise: written)
        watchTransfer()
    }

    private func written(
        _ count: Int, of request: ConnectionPoolState.RequestID, _ result: Result<Void, any Error>
    ) {
        guard transfer(of: request) != nil, case .busy(let exchange) = state else { return }
        switch result {
        case .failure(let error):
            abort(HTTPClientError(onConnection: error, hasFirstByte: exchange.hasFirstByte, limits: limits))
        case .success:
            update { $0.completed(count, now: .now()) }
        }
    }

    /// The bytes that were passed to the channel and that the system has not taken; `nil` once it is closed.
    private var bufferedBytes: Int? { try? channel.syncOptions?.getOption(.bufferedWritableBytes) }

    /// Notes how much of the body has left, for the watch and for the number of interim responses.
    private func look(at exchange: inout Exchange) {
        guard let transfer = exchange.transfer, transfer.unwrittenBytes > 0, let buffered = bufferedBytes else {
            return
        }
        exchange.transfer?.buffered(buffered, now: .now())
        exchange.assembler.interimResponsesMax =
            limits.interimResponsesMax + (exchange.transfer?.writtenBytes ?? 0) / limits.transferInterimBytes
    }

    private func endBody(of request: ConnectionPoolState.RequestID) {
        guard let transfer = transfer(of: request), !transfer.isBodyComplete else { return }
        update { $0.isBodyComplete = true }
        writeEnd(of: request)
    }

    private func holdReading(_ isHeld: Bool, of request: ConnectionPoolState.RequestID) {
        guard transfer(of: request) != nil else { return }
        update { $0.isReadingHeld = isHeld }
        read(!isHeld)
    }

    /// The response is complete, although its receiver does not have all of it.
    func readAgain(after exchange: Exchange) {
        if exchange.transfer?.isReadingHeld == true { read(true) }
    }

    private func read(_ automatically: Bool) {
        // A channel that is closed is not read.
        try? channel.syncOptions?.setOption(.autoRead, value: automatically)
    }

    // MARK: - The response

    /// Interim responses of a server that wants the body: `Continue`, and `Upload Resumption Supported`, of one that
    /// has created an upload for it.
    private static let statusesToContinue: Set<UInt> = [100, 104]

    func receive(_ head: HTTPResponseHead, of exchange: inout Exchange) throws(HTTPClientError) {
        guard let stream = exchange.transfer?.stream else { return try exchange.assembler.receive(head: head) }
        try exchange.assembler.receive(head: head) { head in
            stream.transfer.receiver?.accepts(
                HTTPResponse.Status(code: Int(head.status.code), reasonPhrase: head.status.reasonPhrase),
                HTTPFields(head.headers, splitCookie: false)) ?? false
        }
        guard exchange.assembler.hasHead else {
            exchange.transfer?.watch.transferred(0, now: .now())
            if exchange.isWritten { startFirstByteTimer(&exchange) }
            if Self.statusesToContinue.contains(head.status.code) { stream.mayContinue() }
            return stream.transfer.interim(
                HTTPInterimResponse(
                    status: Int(head.status.code), fields: HTTPFields(head.headers, splitCookie: false)))
        }
        exchange.firstByteTimer?.cancel()
        exchange.firstByteTimer = nil
        // The rest of the body is of no use to the server; the connection cannot carry another request then.
        exchange.transfer?.isBodyComplete = true
        exchange.transfer?.watch.transferred(0, now: .now())
        stream.responseBegan()
    }

    /// Notes what has left, and lets the watch run, or stop, after a change of the exchange.
    func watchTransfer() { update { _ in } }

    func received(_ part: ByteBuffer) {
        guard case .busy(let exchange) = state, let stream = exchange.transfer?.stream else { return }
        update { $0.watch.transferred(part.readableBytes, now: .now()) }
        stream.received(part)
    }

    // MARK: - Time

    private func transfer(of request: ConnectionPoolState.RequestID) -> TransferProgress? {
        guard case .busy(let exchange) = state, exchange.request == request else { return nil }
        return exchange.transfer
    }

    /// Changes the state of the transfer, and lets the watch run while the peer is waited for.
    private func update(_ body: (inout TransferProgress) -> Void) {
        guard case .busy(var exchange) = state else { return }
        look(at: &exchange)
        guard var transfer = exchange.transfer else { return }
        body(&transfer)
        let awaitsPeer =
            exchange.assembler.hasHead ? !transfer.isReadingHeld : transfer.unwrittenBytes > 0
        if awaitsPeer {
            transfer.watch.resume(now: .now())
        } else {
            transfer.watch.pause(now: .now())
        }
        exchange.transfer = transfer
        state = .busy(exchange)
        if awaitsPeer, transfer.timer == nil { checkProgress() }
    }

    private func checkProgress() {
        guard case .busy(var exchange) = state, exchange.transfer != nil else { return }
        look(at: &exchange)
        switch exchange.transfer?.watch.check(now: .now()) {
        case .check(let time):
            exchange.transfer?.timer = channel.eventLoop.assumeIsolated().scheduleTask(deadline: time) {
                [weak self] in self?.checkProgress()
            }
            state = .busy(exchange)
        case .idle: abort(.timeout(.idle, requestSent: true))
        case .slow: abort(.timeout(.rate, requestSent: true))
        case .paused, nil:
            exchange.transfer?.timer = nil
            state = .busy(exchange)
        }
    }
}
