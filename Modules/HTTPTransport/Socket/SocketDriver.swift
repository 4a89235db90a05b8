import CausewayHTTP
import CausewayWebSocket
import CausewayWire
import HTTPTypes
import NIOCore
import NIOHTTP1

/// Drives ``SocketSchedule``: performs its actions and reports their results.
///
/// All code here runs on one event loop, which is also the loop of the connection. `requests` contains every accepted
/// request without a response; `complete` removes it exactly once.
final class SocketDriver: WebSocketOwner {
    private struct Request {
        let request: HTTPClientRequest
        let continuation: CheckedContinuation<SocketCarrier.Outcome, Never>
        var wholeTimer: Scheduled<Void>?
        var firstByteTimer: Scheduled<Void>?
    }

    private let opening: HTTPClientRequest
    private let settings: WebSocketSettings
    private let timeouts: HTTPTimeouts
    private let endpoint: HTTPEndpoint
    private let loop: any EventLoop
    private let observer: any SocketObserver
    private var schedule = SocketSchedule(waitingMax: HTTPTransportLimits.socketWaitingMax)
    private var requests: [SocketSchedule.RequestID: Request] = [:]
    private var lastID: SocketSchedule.RequestID = 0
    private var attempt: WebSocketOpening?
    private var socket: WebSocketHandler?
    /// When the last byte came from the server.
    private var lastHeard = NIODeadline.now()
    private var idleTimer: Scheduled<Void>?

    init(
        _ opening: HTTPClientRequest, _ settings: WebSocketSettings, _ timeouts: HTTPTimeouts,
        endpoint: HTTPEndpoint, loop: any EventLoop, observer: any SocketObserver
    ) {
        self.opening = opening
        self.settings = settings
        self.timeouts = timeouts
        self.endpoint = endpoint
        self.loop = loop
        self.observer = observer
    }

    // MARK: - Requests

    func submit(
        _ id: SocketSchedule.RequestID, _ request: HTTPClientRequest, isProbe: Bool,
        _ continuation: CheckedContinuation<SocketCarrier.Outcome, Never>
    ) {
        guard isProbe || !observer.isGivenUp else { return continuation.resume(returning: .givenUp) }
        lastID = max(lastID, id)
        let limit = timeouts.whole + request.serverWait
        let timer = scheduled(limit) { $0.withdraw(id) { .timeout(.whole, requestSent: $0) } }
        requests[id] = Request(request: request, continuation: continuation, wholeTimer: timer)
        perform(
            schedule.submit(id, isRepeatable: request.isSafeToRepeat, isLasting: request.serverWait > .zero))
    }

    /// Ends a request in any state.
    ///
    /// - Parameter error: creates the error, given whether the request may have been sent.
    func withdraw(_ id: SocketSchedule.RequestID, _ error: (_ requestSent: Bool) -> HTTPClientError) {
        let (withdrawal, actions) = schedule.withdraw(id)
        switch withdrawal {
        case .unknown: return
        case .waiting: complete(id, .failed(error(false)))
        case .sent:
            // A late response is ignored; the server need not wait for an event any more.
            send(.cancel(id: id))
            complete(id, .failed(error(true)))
        }
        perform(actions)
    }

    /// Closes a connection that carries no request, or begins anew to open one.
    func networkChanged() { perform(schedule.networkChanged()) }

    /// - Returns: a future that completes when the connection is closed.
    func shutDown() -> EventLoopFuture<Void> {
        let closed = socket?.closed
        perform(schedule.shutDown())
        return closed ?? loop.makeSucceededVoidFuture()
    }

    private func complete(_ id: SocketSchedule.RequestID, _ outcome: SocketCarrier.Outcome) {
        guard let request = requests.removeValue(forKey: id) else { return }
        request.wholeTimer?.cancel()
        request.firstByteTimer?.cancel()
        request.continuation.resume(returning: outcome)
        watchIdleness()
    }

    private func scheduled(
        _ limit: Duration, _ action: @escaping (SocketDriver) -> Void
    ) -> Scheduled<Void> {
        loop.assumeIsolated().scheduleTask(in: TimeAmount(limit)) { [weak self] in
            if let self { action(self) }
        }
    }

    // MARK: - Actions

    private func perform(_ actions: [SocketSchedule.Action]) {
        for action in actions {
            switch action {
            case .open: open()
            case .send(let id): send(id)
            case .fail(let id, .tooManyWaiting):
                complete(id, .failed(.tooManyWaiting(requestsMax: HTTPTransportLimits.socketWaitingMax)))
            case .fail(let id, .shutDown(let sent)): complete(id, .failed(.shutdown(requestSent: sent)))
            case .fail(let id, .cut): complete(id, .failed(cutError))
            case .fail(let id, .givenUp): complete(id, .givenUp)
            case .close: closeSocket()
            }
        }
    }

    private func send(_ id: SocketSchedule.RequestID) {
        guard let request = requests[id]?.request else { return }
        let message = ByteBuffer(bytes: SocketCoding.message(request, id: id))
        let written = loop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenSuccess { [weak self] in self?.awaitFirstByte(of: id) }
        guard let socket else { return written.fail(ChannelError.ioOnClosedChannel) }
        socket.send([message], written)
    }

    private func send(_ message: WireSocket.ClientMessage) {
        socket?.send([ByteBuffer(bytes: message.text)], nil)
    }

    /// A response, or anything else that shows that the server is there, must come in time.
    private func awaitFirstByte(of id: SocketSchedule.RequestID) {
        guard let request = requests[id]?.request else { return }
        let limit = timeouts.firstByte + request.serverWait
        let sent = NIODeadline.now()
        requests[id]?.firstByteTimer = scheduled(limit) { driver in
            guard driver.requests[id] != nil else { return }
            // Heard of in between: it is slow, and the time-out of the whole call applies.
            if driver.lastHeard > sent { return driver.awaitFirstByte(of: id) }
            driver.cutReason = .timeout(.firstByte, requestSent: true)
            driver.socket?.abort()
        }
    }

    // MARK: - The connection

    private func open() {
        do throws(HTTPClientError) {
            let attempt = try WebSocketOpening(opening, settings, on: loop, owner: self) { [weak self] outcome in
                self?.opened(outcome)
            }
            self.attempt = attempt
            attempt.start()
        } catch {
            for id in schedule.openingFailed() { complete(id, .failed(error)) }
        }
    }

    private func opened(_ outcome: WebSocketOpening.Outcome) {
        attempt = nil
        switch outcome {
        case .open(let socket, let fields):
            self.socket = socket
            lastHeard = .now()
            observer.socketOpened()
            perform(schedule.opened(window: SocketCoding.window(fields[WireSocket.windowHeader])))
            watchIdleness()
        case .refused(let response):
            for id in schedule.openingFailed() { complete(id, .refused(.response(response))) }
        case .notAWebSocket(let error):
            let unsent = error.beforeSending(to: endpoint)
            for id in schedule.openingFailed() { complete(id, .refused(.notAWebSocket(unsent))) }
        case .failed(let error):
            let unsent = error.beforeSending(to: endpoint)
            for id in schedule.openingFailed() { complete(id, .failed(unsent)) }
        }
    }

    private func closeSocket() {
        attempt?.cancel()
        attempt = nil
        // Its end is no event any more.
        let socket = socket
        self.socket = nil
        cancelFirstByteTimers()
        socket?.close(WebSocketClose(.normal))
    }

    /// A request that is sent again on another connection is waited for from then on.
    private func cancelFirstByteTimers() {
        for request in requests.values { request.firstByteTimer?.cancel() }
    }

    /// The error of the requests that were under way when the connection ended.
    private var cutReason: HTTPClientError?

    private var cutError: HTTPClientError { cutReason ?? .connectionClosed(requestSent: true) }

    func heard(from handler: WebSocketHandler) { lastHeard = .now() }

    func ended(_ end: WebSocketEnd, of handler: WebSocketHandler) {
        guard handler === socket else { return }
        socket = nil
        idleTimer?.cancel()
        cancelFirstByteTimers()
        perform(schedule.cut(reopens: observer.socketLost(hasServed: schedule.hasServed)))
        cutReason = nil
    }

    func received(_ message: WebSocketMessage, from handler: WebSocketHandler) {
        handler.consumed(message)
        guard handler === socket else { return }
        do {
            let response = try WireSocket.Response(message.content())
            guard response.id <= lastID, !response.hasMore, let received = SocketCoding.response(response) else {
                throw WireSocket.Problem.malformed
            }
            // The response to a request that was withdrawn is ignored.
            guard schedule.underWay.contains(response.id) else { return }
            let actions = schedule.finished(response.id)
            complete(response.id, .response(received))
            perform(actions)
            // The server closes such a socket; a request that met its end would be in doubt.
            if received.status.code == 401 { perform(schedule.discardIdle()) }
        } catch {
            cutReason = .malformedResponse("a message that is no response to a request")
            // Nothing that follows can be trusted.
            handler.abort()
        }
    }

    /// Closes a connection that has carried nothing for a while, so that a carrier that was dropped leaves nothing.
    private func watchIdleness() {
        idleTimer?.cancel()
        idleTimer = nil
        guard schedule.isIdle else { return }
        idleTimer = loop.assumeIsolated().scheduleTask(
            in: .seconds(HTTPTransportLimits.socketIdleSeconds)
        ) { [self] in
            perform(schedule.closeIdle())
        }
    }
}

extension HTTPClientError {
    /// The error of a request that was not sent because its connection could not be opened.
    fileprivate func beforeSending(to endpoint: HTTPEndpoint) -> HTTPClientError {
        switch self {
        case .tls(let error, _): .tls(error, requestSent: false)
        case .timeout(let phase, _): .timeout(phase, requestSent: false)
        case .connectionClosed: .connectionClosed(requestSent: false)
        case .shutdown: .shutdown(requestSent: false)
        case .cancelled: .cancelled(requestSent: false)
        case .malformedResponse, .headersTooLarge, .bodyTooLarge, .truncated:
            .connectFailed(to: "\(endpoint)", reason: description)
        case .invalidRequest, .resolveFailed, .connectRefused, .connectFailed, .proxyRefused, .proxyFailed,
            .tooManyWaiting:
            self
        }
    }
}
