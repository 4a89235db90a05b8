import CausewayControlAPI
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Guards one connection: a request must arrive in full in time, and bytes that are not HTTP are answered in JSON.
///
/// The timer starts when the connection opens and again with each response, so it bounds idle connections and slow
/// requests alike. It is stopped while a request that has arrived in full awaits its response, which may take long.
/// Each part of a file begins it anew: a file may take long to arrive, but must not stand still.
final class RequestGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let time: TimeAmount
    private var timer: Scheduled<Void>?
    /// Requests that have begun, and whose response has not ended; more than one when they are pipelined.
    private var awaitedCount = 0
    /// Whether a request has begun and not ended. Its response may have ended already: a refusal needs no body.
    private var isReceiving = false
    /// Whether the body of the request is a file.
    private var isFile = false

    init(time: TimeAmount) { self.time = time }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { startTimer(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        startTimer(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            awaitedCount += 1
            isReceiving = true
            isFile = head.headerFields[.contentType] == ControlRoutes.mediaType
        case .body: if isFile, !isComplete { startTimer(context) }
        case .end:
            isReceiving = false
            if isComplete { timer?.cancel() }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            awaitedCount = max(0, awaitedCount - 1)
            if !isComplete { startTimer(context) }
        }
        context.write(data, promise: promise)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let problem = error as? HTTPParserError, awaitedCount == 0 else {
            context.fireErrorCaught(error)
            return
        }
        let tooLarge = problem == .headerOverflow
        let refusal = ControlError(
            .badRequest, tooLarge ? "the request header is too large" : "invalid HTTP request")
        let status: HTTPResponse.Status = tooLarge ? .requestHeaderFieldsTooLarge : .badRequest
        let body = (try? ControlJSON.encode(ErrorResponse(refusal))).map { ByteBuffer(bytes: $0) } ?? ByteBuffer()
        let fields: HTTPFields = [
            .contentType: "application/json", .contentLength: String(body.readableBytes), .connection: "close",
        ]
        context.write(wrapOutboundOut(.head(HTTPResponse(status: status, headerFields: fields))), promise: nil)
        context.write(wrapOutboundOut(.body(body)), promise: nil)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }

    /// Whether a request that has arrived in full awaits its response.
    private var isComplete: Bool { awaitedCount > (isReceiving ? 1 : 0) }

    private func startTimer(_ context: ChannelHandlerContext) {
        timer?.cancel()
        let channel = context.channel
        timer = context.eventLoop.scheduleTask(in: time) {
            channel.close(promise: nil)
        }
    }
}
