import NIOCore
import NIOHTTP1

/// Drives ``ConnectionPoolState``: performs its actions and reports their results.
///
/// All code here runs on one event loop, which is also the loop of every connection; this protects the mutable state
/// without a lock. `requests` contains every accepted request without a response; `complete` removes it exactly once.
final class ConnectionPool: HTTPConnectionOwner {
    struct Request {
        let head: HTTPRequestHead
        let body: ByteBuffer
        let isSafeToRepeat: Bool
        let serverWait: Duration
        /// The parts of the bodies of a transfer.
        let stream: TransferStream?
        let continuation: CheckedContinuation<Result<HTTPClientResponse, HTTPClientError>, Never>
        var wasRepeated = false
        var wholeTimer: Scheduled<Void>?
    }

    private let loop: any EventLoop
    private let settings: ConnectionSettings
    private var state: ConnectionPoolState
    private var requests: [ConnectionPoolState.RequestID: Request] = [:]
    private var connections: [ConnectionPoolState.ConnectionID: HTTPConnection] = [:]
    private var attempts: [ConnectionPoolState.ConnectionID: ConnectAttempt] = [:]

    init(loop: any EventLoop, settings: ConnectionSettings) {
        self.loop = loop
        self.settings = settings
        self.state = ConnectionPoolState(
            connectionsMax: settings.limits.connectionsMax, requestsMax: settings.limits.requestsWaitingMax,
            idleTime: .seconds(Int64(settings.limits.idleSeconds)))
    }

    // MARK: Requests

    func submit(_ id: ConnectionPoolState.RequestID, _ request: Request) {
        requests[id] = request
        startWholeTimer(id)
        perform(state.submit(id))
    }

    private func startWholeTimer(_ id: ConnectionPoolState.RequestID) {
        guard let request = requests[id] else { return }
        requests[id]?.wholeTimer = loop.assumeIsolated().scheduleTask(
            in: TimeAmount(settings.timeouts.whole + request.serverWait)
        ) {
            self.withdraw(id) { .timeout(.whole, requestSent: $0) }
        }
    }

    /// Ends a request in any state; if it has been sent, its connection is closed.
    ///
    /// - Parameter error: creates the error, given whether the request may have been sent.
    func withdraw(_ id: ConnectionPoolState.RequestID, _ error: (_ requestSent: Bool) -> HTTPClientError) {
        switch state.cancel(id) {
        case .waiting: complete(id, .failure(error(false)))
        case .leased(let connection): connections[connection]?.abort(error(true))
        case .unknown: break
        }
    }

    /// Closes the connections that carry no request, and begins anew to open the others that carry none.
    func networkChanged() { perform(state.networkChanged()) }

    /// - Returns: a future that completes when every open connection is closed.
    func shutDown() -> EventLoopFuture<Void> {
        let closing = connections.values.map(\.channel.closeFuture)
        perform(state.shutDown())
        return EventLoopFuture.andAllComplete(closing, on: loop)
    }

    private func complete(
        _ id: ConnectionPoolState.RequestID, _ result: Result<HTTPClientResponse, HTTPClientError>
    ) {
        guard let request = requests.removeValue(forKey: id) else { return }
        request.wholeTimer?.cancel()
        request.continuation.resume(returning: result)
    }

    // MARK: Connections

    func connection(
        _ connection: HTTPConnection, finished request: ConnectionPoolState.RequestID,
        with result: Result<HTTPClientResponse, HTTPClientError>, reusable: Bool
    ) {
        if shouldRepeat(request, after: result, on: connection) {
            requests[request]?.wasRepeated = true
            // The lease has ended the timer of a transfer, which waits for a connection again.
            if requests[request]?.stream != nil { startWholeTimer(request) }
            connections[connection.id] = nil
            perform(state.closed(connection.id))
            perform(state.discardIdle())
            perform(state.submit(request))
            return
        }
        complete(request, result)
        if reusable {
            perform(state.released(connection.id, now: .now()))
        } else {
            connections[connection.id] = nil
            perform(state.closed(connection.id))
        }
    }

    func connectionClosedIdle(_ connection: HTTPConnection) {
        connections[connection.id] = nil
        perform(state.closed(connection.id))
    }

    /// A server may close a kept connection at the moment when it is used again. The request is then sent once more if
    /// that is harmless: because it only reads, or because nothing of it was sent.
    private func shouldRepeat(
        _ id: ConnectionPoolState.RequestID, after result: Result<HTTPClientResponse, HTTPClientError>,
        on connection: HTTPConnection
    ) -> Bool {
        guard case .failure(.connectionClosed(let requestSent)) = result, connection.responses > 0,
            let request = requests[id], !request.wasRepeated
        else { return false }
        return request.isSafeToRepeat || !requestSent
    }

    // MARK: Actions

    private func perform(
        _ actions: [ConnectionPoolState.Action], connectError: HTTPClientError = .shutdown(requestSent: false)
    ) {
        for action in actions {
            switch action {
            case .lease(let connection, let request):
                if let connection = connections[connection], let waiting = requests[request] {
                    if waiting.stream != nil { waiting.wholeTimer?.cancel() }
                    connection.start(
                        request, head: waiting.head, body: waiting.body, serverWait: waiting.serverWait,
                        stream: waiting.stream)
                }
            case .connect(let connection):
                connect(connection)
            case .close(let connection):
                attempts.removeValue(forKey: connection)?.cancel(.shutdown(requestSent: false))
                connections.removeValue(forKey: connection)?.abort(.shutdown(requestSent: true))
            case .refuse(let request, .connectFailed):
                complete(request, .failure(connectError))
            case .refuse(let request, .shutDown):
                complete(request, .failure(.shutdown(requestSent: false)))
            case .refuse(let request, .tooManyWaiting):
                complete(request, .failure(.tooManyWaiting(requestsMax: settings.limits.requestsWaitingMax)))
            case .sweep(let time):
                // Keeps the pool alive until its last idle connection is closed, even after the client was released.
                loop.assumeIsolated().scheduleTask(deadline: time) { self.perform(self.state.sweep(now: .now())) }
            }
        }
    }

    private func connect(_ id: ConnectionPoolState.ConnectionID) {
        let attempt = ConnectAttempt(id: id, settings: settings, loop: loop) { outcome in
            self.attempts[id] = nil
            switch outcome {
            case .success(let connection):
                connection.owner = self
                self.connections[id] = connection
                self.perform(self.state.connected(id, now: .now()))
            case .failure(let error):
                self.perform(self.state.connectFailed(id), connectError: error)
            }
        }
        attempts[id] = attempt
        attempt.start()
    }
}
