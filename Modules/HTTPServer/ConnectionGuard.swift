internal import HTTPTypes
package import NIOCore
internal import NIOHTTP1
package import NIOHTTPTypes
internal import NIOHTTPTypesHTTP1

/// Holds one connection to its `ConnectionLimits`, and answers what is no HTTP in the server's own words.
///
/// | waiting for | bounded by | then |
/// | --- | --- | --- |
/// | the first request's header | `firstHeader` | the connection is closed |
/// | the rest of a body | `body`; `discardedBytesMax` beyond `requestBytesMax` | the connection is closed |
/// | the client to take the next part of an answer | `answer` | the connection is closed |
/// | the next request | `idle` (Hummingbird's part) | the connection is closed |
///
/// While a request waits for its answer nothing more is read, so that what a client sends ahead stays with the system;
/// of what came along with it `pipelinedRequestsMax` requests are kept, and past that the connection is closed.
///
/// Bytes that are no HTTP, or a header beyond its limit, are answered with 400 or 431 and the connection is closed.
package final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    private let limits: ConnectionLimits
    private let refusal: ConnectionRefusal
    private let registry: ConnectionRegistry?

    private enum Reading {
        case firstHeader
        case body(bytes: Int)
        case nothing
    }

    private var reading = Reading.firstHeader
    private var readDeadline: Scheduled<Void>?
    private var answerDeadline: Scheduled<Void>?
    /// Requests whose answer has not ended.
    private var unanswered = 0
    private var isAnswering = false
    /// Parts of answers that the client has not taken.
    private var untaken = 0
    /// Kept alive until the answer that is being written has been taken.
    private var holds: [AnswerHold] = []
    /// True when more is wanted of the client than it may send at the moment.
    private var isReadHeld = false
    /// True once this handler wrote the last answer; nothing of others leaves any more.
    private var isEnding = false

    package convenience init(_ limits: ConnectionLimits, _ refusal: ConnectionRefusal) {
        self.init(limits, refusal, nil)
    }

    /// - Parameter registry: where the connection is counted.
    init(_ limits: ConnectionLimits, _ refusal: ConnectionRefusal, _ registry: ConnectionRegistry?) {
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
            guard bytes + part.readableBytes <= limits.requestBytesMax + limits.discardedBytesMax else {
                context.close(promise: nil)
                return
            }
            reading = .body(bytes: bytes + part.readableBytes)
        case .end:
            reading = .nothing
            readDeadline?.cancel()
            readDeadline = nil
        }
        context.fireChannelRead(data)
    }

    /// Answers `Expect: 100-continue` (RFC 9110 §10.1.1), unless the body is refused for its size anyway.
    private func allowBody(of head: HTTPRequest, _ context: ChannelHandlerContext) {
        guard head.headerFields[.expect]?.lowercased() == "100-continue", unanswered == 1 else { return }
        let announced = head.headerFields[.contentLength].flatMap { Int($0) } ?? 0
        guard announced <= limits.requestBytesMax else { return }
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }

    // MARK: - Reading

    package func read(context: ChannelHandlerContext) {
        isReadHeld = isAnswerDue
        if !isReadHeld { context.read() }
    }

    /// Whether a request that was read to its end has no answer yet.
    private var isAnswerDue: Bool {
        guard case .body = reading else { return unanswered > 0 }
        return unanswered > 1
    }

    private func readOn(_ context: ChannelHandlerContext) {
        guard isReadHeld, !isAnswerDue else { return }
        isReadHeld = false
        context.read()
    }

    // MARK: - Answers

    package func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        guard let hold = event as? AnswerHold else {
            context.triggerUserOutboundEvent(event, promise: promise)
            return
        }
        if context.channel.isActive { holds.append(hold) }
        promise?.succeed()
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isEnding else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        var held: [AnswerHold] = []
        switch unwrapOutboundIn(data) {
        case .head: isAnswering = true
        case .body: break
        case .end:
            isAnswering = false
            unanswered -= 1
            held = holds
            holds = []
        }
        context.write(data, promise: taken(promise, context, releasing: held))
        readOn(context)
    }

    /// A promise that is kept when the client has taken what is written with it. Until then there is a deadline, which
    /// begins anew with each part that was taken.
    private func taken(
        _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext, releasing held: [AnswerHold]
    ) -> EventLoopPromise<Void> {
        let taken = promise ?? context.eventLoop.makePromise(of: Void.self)
        untaken += 1
        if answerDeadline == nil { answerDeadline = closing(context, after: limits.answer) }
        let channel = context.channel
        taken.futureResult.assumeIsolated().whenComplete { [self] _ in
            withExtendedLifetime(held) {}
            untaken -= 1
            answerDeadline?.cancel()
            answerDeadline = untaken > 0 && channel.isActive ? closing(context, after: limits.answer) : nil
            if unanswered == 0 { registry?.becameIdle(channel) }
        }
        return taken
    }

    // MARK: - What is no HTTP

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !isEnding else { return }
        guard let problem = Self.problem(error), mayAnswerBadRequest else {
            context.fireErrorCaught(error)
            return
        }
        isEnding = true
        var (head, body) = refusal.answer(problem)
        head.headerFields[.connection] = "close"
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(body)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        cancelDeadlines()
        // Closing at once, with bytes of the client unread, could take the answer away from it again.
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

    /// Only when the answer cannot be taken for that of another request.
    private var mayAnswerBadRequest: Bool {
        if unanswered == 0 { return true }
        guard case .body = reading else { return false }
        return unanswered == 1 && !isAnswering
    }

    // MARK: - Deadlines

    private func closing(_ context: ChannelHandlerContext, after limit: Duration) -> Scheduled<Void> {
        context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limit)) { context.close(promise: nil) }
    }

    private func cancelDeadlines() {
        readDeadline?.cancel()
        answerDeadline?.cancel()
        readDeadline = nil
        answerDeadline = nil
    }
}
