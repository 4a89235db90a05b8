internal import CausewayWire
internal import HTTPTypes
internal import HummingbirdCore
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes
internal import NIOHTTPTypesHTTP1

/// Holds one connection to its `ConnectionLimits`, and answers what is no HTTP with a `WireError`.
///
/// | waiting for | bounded by | then |
/// | --- | --- | --- |
/// | the first request's header | `firstHeader` | the connection is closed |
/// | the rest of a body | `body`; `HubLimits.discardedBytesMax` beyond the limit | the connection is closed |
/// | the client to take an answer | `answer` | the connection is closed |
/// | the next request | `idle` (Hummingbird's part) | the connection is closed |
///
/// Bytes that are no HTTP, or a header beyond its limit, are answered with 400 or 431 and the connection is closed.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limits: ConnectionLimits

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
    /// True once this handler wrote the last answer; nothing of others leaves any more.
    private var isEnding = false

    init(_ limits: ConnectionLimits) { self.limits = limits }

    func handlerAdded(context: ChannelHandlerContext) {
        readDeadline = closing(context, after: limits.firstHeader)
    }

    func handlerRemoved(context: ChannelHandlerContext) { cancelDeadlines() }

    func channelInactive(context: ChannelHandlerContext) {
        cancelDeadlines()
        context.fireChannelInactive()
    }

    // MARK: - Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isEnding else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            unanswered += 1
            reading = .body(bytes: 0)
            readDeadline?.cancel()
            readDeadline = closing(context, after: limits.body)
            allowBody(of: head, context)
        case .body(let part):
            guard case .body(let bytes) = reading else { break }
            guard bytes + part.readableBytes <= HubLimits.requestBytesMax + HubLimits.discardedBytesMax else {
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
        guard announced <= HubLimits.requestBytesMax else { return }
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }

    // MARK: - Answers

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isEnding else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head:
            isAnswering = true
            if answerDeadline == nil { answerDeadline = closing(context, after: limits.answer) }
            context.write(data, promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            isAnswering = false
            unanswered -= 1
            let taken = promise ?? context.eventLoop.makePromise(of: Void.self)
            taken.futureResult.assumeIsolated().whenComplete { [self] _ in
                answerDeadline?.cancel()
                answerDeadline = nil
            }
            context.write(data, promise: taken)
        }
    }

    // MARK: - What is no HTTP

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !isEnding else { return }
        guard error is HTTPParserError || error is HTTP1TypeConversionError, mayAnswerBadRequest else {
            context.fireErrorCaught(error)
            return
        }
        isEnding = true
        let isTooLarge = error as? HTTPParserError == .headerOverflow
        let refusal =
            isTooLarge
            ? HubRefusal(
                .requestHeaderFieldsTooLarge, code: "headerTooLarge",
                detail: "The header is larger than the \(HubLimits.headerListBytesMax) bytes that the hub takes.")
            : HubRefusal(.badRequest, code: "httpInvalid", detail: "The request is not HTTP/1.1.")
        var head = refusal.response.head
        head.headerFields[.connection] = "close"
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        let body = (try? HubCoding.encode(refusal.body)) ?? []
        context.write(wrapOutboundOut(.body(ByteBuffer(bytes: body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        cancelDeadlines()
        // Closing at once, with bytes of the client unread, could take the answer away from it again.
        readDeadline = closing(context, after: .seconds(1))
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
