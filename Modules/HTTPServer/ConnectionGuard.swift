internal import HTTPTypes
internal import HummingbirdCore
package import NIOCore
internal import NIOHTTP1
package import NIOHTTPTypes
internal import NIOHTTPTypesHTTP1

/// Enforces `ConnectionLimits` on one connection, and responds to bytes that are not HTTP in the server's own format.
///
/// | waiting for | bounded by | then |
/// | --- | --- | --- |
/// | the first request's header | `firstHeader` | the connection is closed |
/// | the rest of a body | `body`; `discardedBytesMax` beyond `requestBytesMax` | the connection is closed |
/// | the rest of a body that is allowed to last | `StreamedBody` | the connection is closed |
/// | the client to read more of a response, be it a part of one part | `response` | the connection is closed |
/// | the next request | `idle` (implemented by Hummingbird) | the connection is closed |
///
/// While a request waits for its response nothing more is read, and no time of a body runs: requests sent ahead stay in
/// the system's buffer; of those that arrived along with it `pipelinedRequestsMax` are kept, and past that the
/// connection is closed.
///
/// Bytes that are not HTTP, or a header beyond its limit, are answered with 400 or 431 and the connection is closed.
package final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    private let limits: ConnectionLimits
    private let refusal: ConnectionRefusal
    private let registry: ConnectionRegistry?
    /// Set before the first request.
    var detachable: DetachableChannel?

    private enum Reading {
        case firstHeader
        case body(bytes: Int64)
        case nothing
    }

    private var reading = Reading.firstHeader
    private var readDeadline: Scheduled<Void>?
    private var responseDeadline: Scheduled<Void>?
    /// The body of the present request, if it may be longer than others.
    private var streamed: (limits: StreamedBody, pace: TransferPace)?
    /// True from a request that waits for `100 (Continue)` until it is sent.
    private var isContinueDue = false
    /// Requests whose response has not ended.
    private var unanswered = 0
    private var isResponding = false
    /// Parts of responses that the client has not read.
    private var untaken = 0
    /// When the first of them was written, or the client was last seen to read.
    private var untakenSince = NIODeadline.uptimeNanoseconds(0)
    /// Of the parts that the client has not read.
    private var progress = OutputProgress()
    /// Kept alive until the client has read the response being written.
    private var holds: [ResponseHold] = []
    /// Of the response being written.
    private var watches: [InputCloseWatch] = []
    private var isInputClosed = false
    /// Waiting until the client has read everything that was written.
    private var drains: [ResponseDrain.Event] = []
    /// Waits for the response that hands the connection over.
    private var upgrade: ConnectionUpgrade?
    /// True when a read was requested while the client must not send more.
    private var isReadHeld = false
    /// True once this handler has written the last response; nothing from other handlers is sent any more.
    private var isEnding = false

    package convenience init(_ limits: ConnectionLimits, _ refusal: ConnectionRefusal) {
        self.init(limits, refusal, nil)
    }

    /// - Parameter registry: counts the connection.
    package init(_ limits: ConnectionLimits, _ refusal: ConnectionRefusal, _ registry: ConnectionRegistry?) {
        self.registry = registry
        self.limits = limits
        self.refusal = refusal
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        readDeadline = closing(context, after: limits.firstHeader)
    }

    package func handlerRemoved(context: ChannelHandlerContext) { end() }

    package func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    private func end() {
        cancelDeadlines()
        holds = []
        inputClosed()
        drains = []
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed? = event as? ChannelEvent { inputClosed() }
        context.fireUserInboundEventTriggered(event)
    }

    private func inputClosed() {
        isInputClosed = true
        for watch in watches { watch.action() }
        watches = []
    }

    // MARK: - Requests

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isEnding else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            guard unanswered < limits.pipelinedRequestsMax else {
                context.close(promise: nil)
                return
            }
            unanswered += 1
            registry?.requestBegan(on: context.channel)
            reading = .body(bytes: 0)
            readDeadline?.cancel()
            readDeadline = closing(context, after: limits.body)
            allowBody(of: head, context)
        case .body(let part):
            guard case .body(let bytes) = reading else { break }
            let total = bytes + Int64(part.readableBytes)
            guard total <= streamed?.limits.bytesMax ?? Int64(limits.requestBytesMax + limits.discardedBytesMax) else {
                context.close(promise: nil)
                return
            }
            reading = .body(bytes: total)
            streamed?.pace.received(part.readableBytes, at: SystemClock.monotonic())
        case .end:
            reading = .nothing
            streamed = nil
            isContinueDue = false
            readDeadline?.cancel()
            readDeadline = nil
        }
        context.fireChannelRead(data)
    }

    /// Responds to `Expect: 100-continue` (RFC 9110 §10.1.1), unless the handler does it, or the body is refused for
    /// its size anyway.
    private func allowBody(of head: HTTPRequest, _ context: ChannelHandlerContext) {
        guard head.headerFields.expectsContinue, unanswered == 1 else { return }
        isContinueDue = true
        let announced = head.headerFields[.contentLength].flatMap { Int($0) } ?? 0
        guard announced <= limits.requestBytesMax, !limits.streamsBody(to: head.path ?? "") else { return }
        writeContinue(context)
    }

    private func writeContinue(_ context: ChannelHandlerContext) {
        guard isContinueDue else { return }
        isContinueDue = false
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }

    /// Applies to the request that is being handled, if its body is still arriving.
    private func stream(_ body: StreamedBody, _ context: ChannelHandlerContext) {
        guard case .body = reading, unanswered == 1, !isEnding else { return }
        var pace = TransferPace(bytesPerSecondMin: body.bytesPerSecondMin, graceSeconds: body.graceSeconds)
        if !isReadHeld { pace.waits(at: SystemClock.monotonic()) }
        streamed = (body, pace)
        readDeadline?.cancel()
        readDeadline = nil
        checkPace(context)
        writeContinue(context)
    }

    private func checkPace(_ context: ChannelHandlerContext) {
        guard let grace = streamed?.pace.graceSeconds else { return }
        readDeadline = context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(grace)) { [self] in
            guard streamed != nil else { return }
            if streamed?.pace.isTooSlow(at: SystemClock.monotonic()) == true {
                context.close(promise: nil)
            } else {
                checkPace(context)
            }
        }
    }

    // MARK: - Reading

    package func read(context: ChannelHandlerContext) {
        isReadHeld = isResponseDue
        guard isReadHeld else {
            streamed?.pace.waits(at: SystemClock.monotonic())
            return context.read()
        }
        guard !isEnding else { return }
        // The time of a body begins when it is read.
        readDeadline?.cancel()
        readDeadline = nil
    }

    /// Whether a request that was read completely has no response yet.
    private var isResponseDue: Bool {
        guard case .body = reading else { return unanswered > 0 }
        return unanswered > 1
    }

    private func readOn(_ context: ChannelHandlerContext) {
        guard isReadHeld, !isResponseDue else { return }
        isReadHeld = false
        if case .body = reading, readDeadline == nil { readDeadline = closing(context, after: limits.body) }
        context.read()
    }

    // MARK: - Responses

    package func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        switch event {
        case let body as StreamedBody:
            stream(body, context)
        case let hold as ResponseHold:
            if context.channel.isActive { holds.append(hold) }
        case let watch as InputCloseWatch:
            watches.append(watch)
            if isInputClosed || !context.channel.isActive { inputClosed() }
        case let drain as ResponseDrain.Event:
            if untaken > 0, context.channel.isActive { drains.append(drain) }
        case let upgrade as ConnectionUpgrade: self.upgrade = upgrade
        default:
            context.triggerUserOutboundEvent(event, promise: promise)
            return
        }
        promise?.succeed()
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isEnding else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        var held: [ResponseHold] = []
        var bytes = 0
        switch unwrapOutboundIn(data) {
        // An interim response comes before the response.
        case .head(let head) where head.status.kind == .informational && head.status != .switchingProtocols: break
        case .head(let head):
            isResponding = true
            // A client that waits to continue is answered by the response.
            isContinueDue = false
            if head.status == .switchingProtocols { return handOver(context, data, promise) }
        case .body(let part): bytes = part.readableBytes
        case .end:
            isResponding = false
            unanswered -= 1
            held = holds
            holds = []
            watches = []
        }
        let promise = taken(promise, context, releasing: held)
        progress.wrote(bytes)
        context.write(data, promise: promise)
        readOn(context)
    }

    /// Writes the last header of HTTP, puts the handlers of the other protocol in the place of those of HTTP, and ends
    /// the server's part.
    private func handOver(_ context: ChannelHandlerContext, _ data: NIOAny, _ promise: EventLoopPromise<Void>?) {
        context.writeAndFlush(data, promise: promise)
        let pipeline = context.pipeline.syncOperations
        do {
            let handlers = upgrade?.makeHandlers(context.eventLoop) ?? []
            upgrade = nil
            try pipeline.addHandlers(
                handlers + [DetachedServer()],
                position: .before(try pipeline.handler(type: HTTPResponseEncoder.self)))
            // The request lasts as long as the connection.
            let held = holds
            context.channel.closeFuture.whenComplete { _ in withExtendedLifetime(held) {} }
            // The server reads the end of its requests. Its handler remains; the new ones read by themselves.
            context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            detachable?.detach()
            detachable = nil
            for handler in try Self.handlersOfHTTP(pipeline) { pipeline.removeHandler(handler, promise: nil) }
        } catch {
            context.close(promise: nil)
        }
    }

    private static func handlersOfHTTP(
        _ pipeline: ChannelPipeline.SynchronousOperations
    ) throws -> [any RemovableChannelHandler] {
        [
            try pipeline.handler(type: HTTPResponseEncoder.self),
            try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self),
            try pipeline.handler(type: RequestHeadGuard.self),
            try pipeline.handler(type: HTTP1ToHTTPServerCodec.self),
            try pipeline.handler(type: ConnectionGuard.self),
            try pipeline.handler(type: HTTPConnectionStateHandler.self),
        ]
    }

    /// Closes the connection if its client has read nothing for too long. One task for many parts: to schedule one for
    /// each costs more than to look at the time.
    ///
    /// A part may be large, so the task looks several times in that time whether the client reads.
    private func checkTaken(_ context: ChannelHandlerContext) {
        let limit = TimeAmount(limits.response)
        let next = context.eventLoop.now + .nanoseconds(limit.nanoseconds / Self.looksPerLimit)
        let time = min(next, untakenSince + limit)
        responseDeadline = context.eventLoop.assumeIsolated().scheduleTask(deadline: time) { [self] in
            responseDeadline = nil
            guard untaken > 0 else { return }
            let now = context.eventLoop.now
            let buffered = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
            if let buffered, progress.look(buffered: buffered) { untakenSince = now }
            if untakenSince + limit <= now {
                context.close(promise: nil)
            } else {
                checkTaken(context)
            }
        }
    }

    /// Looks at the progress of a client in the time that it may take.
    private static let looksPerLimit: Int64 = 4

    /// Returns a promise that succeeds when the client has read the data written with it. Until then there is a
    /// deadline, which restarts while the client reads.
    private func taken(
        _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext, releasing held: [ResponseHold]
    ) -> EventLoopPromise<Void> {
        let taken = promise ?? context.eventLoop.makePromise(of: Void.self)
        if untaken == 0 {
            untakenSince = context.eventLoop.now
            progress = OutputProgress()
        }
        untaken += 1
        if responseDeadline == nil { checkTaken(context) }
        let channel = context.channel
        taken.futureResult.assumeIsolated().whenComplete { [self] _ in
            withExtendedLifetime(held) {}
            untaken -= 1
            untakenSince = context.eventLoop.now
            if untaken == 0 { drains = [] }
            if unanswered == 0, untaken == 0 { registry?.becameIdle(channel) }
        }
        return taken
    }

    // MARK: - Bytes that are not HTTP

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !isEnding else { return }
        guard let problem = Self.problem(error), mayRespondBadRequest else {
            context.fireErrorCaught(error)
            return
        }
        isEnding = true
        var (head, body) = refusal.response(problem)
        head.headerFields[.connection] = "close"
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(body)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        cancelDeadlines()
        // Closing at once, with unread bytes of the client, could make the client lose the response.
        readDeadline = closing(context, after: .seconds(1))
    }

    private static func problem(_ error: any Error) -> ConnectionRefusal.Problem? {
        switch error {
        case HTTPParserError.headerOverflow: .headerTooLarge
        case is HTTPParserError, is HTTP1TypeConversionError: .notHTTP
        case is RequestHeadGuard.HostProblem: .hostInvalid
        default: nil
        }
    }

    /// True when the response cannot be mistaken for that of another request.
    private var mayRespondBadRequest: Bool {
        if unanswered == 0 { return true }
        guard case .body = reading else { return false }
        return unanswered == 1 && !isResponding
    }

    // MARK: - Deadlines

    private func closing(_ context: ChannelHandlerContext, after limit: Duration) -> Scheduled<Void> {
        context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limit)) { context.close(promise: nil) }
    }

    private func cancelDeadlines() {
        readDeadline?.cancel()
        responseDeadline?.cancel()
        readDeadline = nil
        responseDeadline = nil
    }
}
