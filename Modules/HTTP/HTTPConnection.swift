import CausewayTLS
import HTTPTypes
import NIOCore
import NIOHTTP1

/// The owner of connections, which is notified of their results. All calls are made on the connection's event loop.
protocol HTTPConnectionOwner: AnyObject {
    /// The request has finished. `reusable` is true if the connection can carry another; otherwise it is closing.
    func connection(
        _ connection: HTTPConnection, finished request: ConnectionPoolState.RequestID,
        with result: Result<HTTPClientResponse, HTTPClientError>, reusable: Bool)

    /// The connection closed while it carried no request.
    func connectionClosedIdle(_ connection: HTTPConnection)
}

/// One connection: the last handler of its pipeline. It carries one request at a time.
///
/// ```
///  starting ──▶ idle ──start──▶ busy ─end of response─▶ responded ─read complete──▶ idle
///     │           │               │                         │
///     └───────────┴───────────────┴──── close, error ───────┴──▶ closed
/// ```
///
/// A response is returned only after the read that contained its end is complete, so that bytes after it are detected
/// before the connection is used again. Not `Sendable`: all code runs on the channel's event loop.
final class HTTPConnection: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    struct Exchange {
        let request: ConnectionPoolState.RequestID
        var assembler: ResponseAssembler
        let firstByteTimeout: TimeAmount
        var isWritten = false
        var hasFirstByte = false
        var firstByteTimer: Scheduled<Void>?
        /// Of a request whose body is read in parts, or whose response is received in parts.
        var transfer: TransferProgress?

        func cancelTimers() {
            firstByteTimer?.cancel()
            transfer?.cancelTimers()
        }
    }

    enum State {
        /// - Parameter ready: completed when requests can be sent.
        case starting(ready: EventLoopPromise<Void>)
        case idle
        case busy(Exchange)
        case responded(Exchange, HTTPClientResponse, keepAlive: Bool)
        case closed
    }

    let id: ConnectionPoolState.ConnectionID
    let channel: any Channel
    weak var owner: (any HTTPConnectionOwner)?

    private let decoder: ResponseDecoder
    let limits: HTTPLimits
    private let firstByteTimeout: TimeAmount
    var state: State

    /// The number of earlier responses on this connection.
    private(set) var responses = 0

    init(
        id: ConnectionPoolState.ConnectionID, channel: any Channel, decoder: ResponseDecoder, limits: HTTPLimits,
        timeouts: HTTPTimeouts, ready: EventLoopPromise<Void>
    ) {
        self.id = id
        self.channel = channel
        self.decoder = decoder
        self.limits = limits
        self.firstByteTimeout = TimeAmount(timeouts.firstByte)
        self.state = .starting(ready: ready)
        decoder.onFirstByte = { [weak self] in self?.firstByteCame() }
    }

    /// Marks the connection as ready for requests.
    func becomeReady() {
        guard case .starting(let ready) = state else { return }
        state = .idle
        ready.succeed()
    }

    /// Sends one request; the owner is notified of its result.
    ///
    /// - Parameters:
    ///   - serverWait: how much longer than usual the server may take before it responds.
    ///   - isUpgrade: whether it asks for another protocol. After a response with the status 101 the connection is left
    ///     open and untouched, for the owner to use.
    ///   - stream: the parts of the bodies; `body` is ignored if it sends one.
    func start(
        _ request: ConnectionPoolState.RequestID, head: HTTPRequestHead, body: ByteBuffer,
        serverWait: Duration = .zero, isUpgrade: Bool = false, stream: TransferStream? = nil
    ) {
        guard case .idle = state, channel.isActive else {
            state = .closed
            channel.close(promise: nil)
            finish(request, .failure(.connectionClosed(requestSent: false)), reusable: false)
            return
        }
        state = .busy(
            Exchange(
                request: request,
                assembler: ResponseAssembler(method: head.method, limits: limits, isUpgrade: isUpgrade),
                firstByteTimeout: firstByteTimeout + TimeAmount(serverWait)))
        channel.pipeline.syncOperations.write(NIOAny(HTTPClientRequestPart.head(head)), promise: nil)
        if let stream {
            begin(stream, for: request)
            if stream.transfer.body != nil { return channel.flush() }
        } else if body.readableBytes > 0 {
            channel.pipeline.syncOperations.write(
                NIOAny(HTTPClientRequestPart.body(.byteBuffer(body))), promise: nil)
        }
        writeEnd(of: request)
    }

    func writeEnd(of request: ConnectionPoolState.RequestID) {
        let written = channel.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { [weak self] result in
            self?.requestWritten(request, result)
        }
        channel.pipeline.syncOperations.writeAndFlush(
            NIOAny(HTTPClientRequestPart.end(nil)), promise: written)
    }

    /// Ends the current operation with this error and closes the connection.
    func abort(_ error: HTTPClientError) {
        let was = state
        state = .closed
        switch was {
        case .starting(let ready):
            ready.fail(error)
        case .idle:
            owner?.connectionClosedIdle(self)
        case .busy(let exchange):
            exchange.cancelTimers()
            finish(exchange.request, .failure(error), reusable: false)
        case .responded(let exchange, let response, _):
            finish(exchange.request, .success(response), reusable: false)
        case .closed:
            break
        }
        channel.close(promise: nil)
    }

    /// The bytes that came after a response with the status 101.
    var upgradeRest: ByteBuffer { decoder.upgradeRest ?? ByteBuffer() }

    // MARK: Channel events

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .busy(var exchange) = state else {
            // Parts of a response that was not requested, or after the one that was.
            if case .closed = state { return }
            return abort(.malformedResponse("more than one response"))
        }
        do throws(HTTPClientError) {
            switch unwrapInboundIn(data) {
            case .head(let head):
                guard !exchange.assembler.hasHead else { throw .malformedResponse("two response headers") }
                try receive(head, of: &exchange)
                if head.status == .switchingProtocols { decoder.endHTTP() }
                state = .busy(exchange)
                watchTransfer()
            case .body(let part):
                if exchange.assembler.isStreamed { return received(part) }
                // Released first, so that the body grows in place.
                state = .closed
                defer { state = .busy(exchange) }
                try exchange.assembler.receive(body: part)
            case .end:
                let (response, keepAlive) = try exchange.assembler.finish()
                exchange.cancelTimers()
                readAgain(after: exchange)
                state = .responded(exchange, response, keepAlive: keepAlive)
            }
        } catch {
            abort(error)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        deliverResponse(channelIsOpen: true)
        context.fireChannelReadComplete()
    }

    func channelInactive(context: ChannelHandlerContext) {
        deliverResponse(channelIsOpen: false)
        if case .busy(let exchange) = state {
            abort(exchange.hasFirstByte ? .truncated : .connectionClosed(requestSent: true))
        } else {
            abort(.connectionClosed(requestSent: false))
        }
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is TLSHandshakeCompleted { becomeReady() }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch state {
        case .busy(let exchange):
            abort(HTTPClientError(onConnection: error, hasFirstByte: exchange.hasFirstByte, limits: limits))
        case .starting(let ready):
            state = .closed
            ready.fail(error)
            channel.close(promise: nil)
        case .idle, .responded, .closed:
            abort(.connectionClosed(requestSent: false))
        }
    }

    // MARK: Parts

    private func deliverResponse(channelIsOpen: Bool) {
        guard case .responded(let exchange, let response, let keepAlive) = state else { return }
        if response.status.code == ResponseAssembler.upgradeStatus, channelIsOpen {
            state = .closed
            return finish(exchange.request, .success(response), reusable: false)
        }
        let reusable =
            channelIsOpen && keepAlive && exchange.isWritten && !decoder.hasLeftover && channel.isActive
        responses += 1
        if reusable {
            decoder.endResponse()
            state = .idle
        } else {
            state = .closed
            channel.close(promise: nil)
        }
        finish(exchange.request, .success(response), reusable: reusable)
    }

    private func requestWritten(_ request: ConnectionPoolState.RequestID, _ result: Result<Void, any Error>) {
        guard case .busy(var exchange) = state, exchange.request == request else { return }
        switch result {
        case .failure(let error):
            abort(HTTPClientError(onConnection: error, hasFirstByte: exchange.hasFirstByte, limits: limits))
        case .success:
            exchange.isWritten = true
            // The response to a body that is streamed may be awaited after interim ones.
            if !exchange.hasFirstByte || (exchange.transfer != nil && !exchange.assembler.hasHead) {
                startFirstByteTimer(&exchange)
            }
            state = .busy(exchange)
        }
    }

    func startFirstByteTimer(_ exchange: inout Exchange) {
        exchange.firstByteTimer?.cancel()
        exchange.firstByteTimer = channel.eventLoop.assumeIsolated().scheduleTask(in: exchange.firstByteTimeout) {
            [weak self] in
            self?.abort(.timeout(.firstByte, requestSent: true))
        }
    }

    private func firstByteCame() {
        guard case .busy(var exchange) = state else { return }
        exchange.hasFirstByte = true
        if exchange.transfer == nil {
            exchange.firstByteTimer?.cancel()
            exchange.firstByteTimer = nil
        }
        state = .busy(exchange)
    }

    private func finish(
        _ request: ConnectionPoolState.RequestID, _ result: Result<HTTPClientResponse, HTTPClientError>, reusable: Bool
    ) {
        owner?.connection(self, finished: request, with: result, reusable: reusable)
    }
}

extension TimeAmount {
    /// Saturates: a duration of centuries is a time-out that never fires.
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let wholeSeconds = min(max(seconds, 0), Int64(Int32.max))
        self = .nanoseconds(wholeSeconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
