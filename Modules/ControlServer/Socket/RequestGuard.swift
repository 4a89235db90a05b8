import CausewayControlAPI
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Guards one connection: a request must arrive in full in time, and bytes that are not HTTP are answered in JSON.
///
/// The timer starts when the connection opens and again with each response, so it bounds idle connections and slow
/// requests alike. It is stopped while a response is awaited, which may take long. Each part of a file begins it
/// anew: a file may take long to arrive, but must not stand still.
final class RequestGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let time: TimeAmount
    private var timer: Scheduled<Void>?
    private var isResponding = false
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
            isResponding = true
            isFile = head.headerFields[.contentType] == ControlRoutes.mediaType
        case .body: if isFile { startTimer(context) }
        case .end: timer?.cancel()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            isResponding = false
            startTimer(context)
        }
        context.write(data, promise: promise)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let problem = error as? HTTPParserError, !isResponding else {
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

    private func startTimer(_ context: ChannelHandlerContext) {
        timer?.cancel()
        let channel = context.channel
        timer = context.eventLoop.scheduleTask(in: time) {
            channel.close(promise: nil)
        }
    }
}
