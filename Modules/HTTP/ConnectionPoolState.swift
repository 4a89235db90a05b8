package import NIOCore

/// Assigns requests to connections. Pure: it does no I/O and reads no clock; the driver, `ConnectionPool`, performs the
/// returned actions in order and reports their results.
///
/// ```
///                  connected                released, none waiting
///  connecting ───────────────▶ leased ◀────────────────────────────▶ idle
///       │                         │            request arrives         │
///       │ connectFailed,          │ closed, cancel                     │ closed, sweep, discardIdle,
///       │ networkChanged          │                                    │ networkChanged
///       ▼                         ▼                                    ▼
///     (gone)                    (gone)                               (gone)
/// ```
///
/// Guarantees:
/// 1. Never more than `connectionsMax` connections, counting those being opened, nor more than `requestsMax` waiting
///    requests.
/// 2. Requests are served in the order of arrival; the most recently used connection is used first (the others become
///    idle and are closed).
/// 3. No request waits while a connection is idle, and while one waits, some connection is leased or being opened.
/// 4. A failed attempt fails the requests that were waiting when it began, unless a connection is in use, which shows
///    that the server is alive; later requests get an attempt of their own. So a dead server costs a request at most
///    two connect time-outs, however many are waiting; a change of the network begins them anew.
package struct ConnectionPoolState: Equatable, Sendable {
    package struct ConnectionID: Hashable, Sendable {
        package let number: Int
        package init(number: Int) { self.number = number }
    }

    package struct RequestID: Hashable, Sendable {
        package let number: Int
        package init(number: Int) { self.number = number }
    }

    package enum Refusal: Hashable, Sendable {
        case tooManyWaiting
        case shutDown
        /// The attempt that the request waited for failed.
        case connectFailed
    }

    package enum Action: Hashable, Sendable {
        /// Send the request on the connection.
        case lease(ConnectionID, RequestID)
        /// Begin to open a connection; report `connected` or `connectFailed`.
        case connect(ConnectionID)
        /// Close the connection, or end the attempt to open it; its state has been removed already.
        case close(ConnectionID)
        /// Fail the request; its state has been removed already.
        case refuse(RequestID, Refusal)
        /// Call `sweep` at this time.
        case sweep(at: NIODeadline)
    }

    /// The state of a request when it was cancelled.
    package enum Cancelled: Hashable, Sendable {
        case waiting
        /// Sent on this connection: close it, and report `closed`.
        case leased(ConnectionID)
        case unknown
    }

    private struct Waiting: Equatable {
        var request: RequestID
        var arrival: Int
    }

    private enum Connection: Equatable {
        /// - Parameters:
        ///   - servesUntil: the newest arrival that was waiting when the attempt began.
        ///   - restarts: of the attempt, by changes of the network.
        case connecting(servesUntil: Int, restarts: Int)
        case leased(RequestID)
        case idle(since: NIODeadline)
    }

    /// The number of times that an attempt is begun anew.
    package static let restartsMax = 4

    package let connectionsMax: Int
    package let requestsMax: Int
    package let idleTime: TimeAmount

    private var connections: [ConnectionID: Connection] = [:]
    /// A stack; the last element was used most recently. Ordered by `since`.
    private var idle: [ConnectionID] = []
    private var waiting: CircularBuffer<Waiting> = []
    private var arrivals = 0
    private var connectionsMade = 0
    private var sweeping = false
    private var isShutDown = false

    package init(connectionsMax: Int, requestsMax: Int, idleTime: TimeAmount) {
        self.connectionsMax = max(1, connectionsMax)
        self.requestsMax = max(1, requestsMax)
        self.idleTime = idleTime
    }

    // MARK: Requests

    package mutating func submit(_ request: RequestID) -> [Action] {
        if isShutDown { return [.refuse(request, .shutDown)] }
        if let connection = idle.popLast() {
            connections[connection] = .leased(request)
            return [.lease(connection, request)]
        }
        if waiting.count >= requestsMax { return [.refuse(request, .tooManyWaiting)] }
        arrivals += 1
        waiting.append(Waiting(request: request, arrival: arrivals))
        return openOne()
    }

    package mutating func cancel(_ request: RequestID) -> Cancelled {
        if let index = waiting.firstIndex(where: { $0.request == request }) {
            waiting.remove(at: index)
            return .waiting
        }
        if let leased = connections.first(where: { $0.value == .leased(request) })?.key { return .leased(leased) }
        return .unknown
    }

    // MARK: Connections

    package mutating func connected(_ connection: ConnectionID, now: NIODeadline) -> [Action] {
        guard case .connecting = connections[connection] else { return [.close(connection)] }
        return serve(connection, now: now)
    }

    package mutating func connectFailed(_ connection: ConnectionID) -> [Action] {
        guard case .connecting(let servesUntil, _) = connections.removeValue(forKey: connection) else { return [] }
        if connections.values.contains(where: { if case .leased = $0 { true } else { false } }) { return [] }
        var actions: [Action] = []
        while let first = waiting.first, first.arrival <= servesUntil {
            waiting.removeFirst()
            actions.append(.refuse(first.request, .connectFailed))
        }
        return actions + openOne()
    }

    /// The leased connection has finished its request and can carry another.
    package mutating func released(_ connection: ConnectionID, now: NIODeadline) -> [Action] {
        guard case .leased = connections[connection] else { return [] }
        return serve(connection, now: now)
    }

    /// The connection was closed. If it was leased, the driver has completed or failed its request.
    package mutating func closed(_ connection: ConnectionID) -> [Action] {
        guard let was = connections.removeValue(forKey: connection) else { return [] }
        if case .idle = was { idle.removeAll { $0 == connection } }
        return openOne()
    }

    /// Closes all idle connections: one of them turned out to be dead, so the others may be, too.
    package mutating func discardIdle() -> [Action] {
        let actions = idle.map { Action.close($0) }
        for connection in idle { connections[connection] = nil }
        idle.removeAll()
        return actions
    }

    /// Closes all idle connections, and begins anew to open those that are being opened: an attempt from an address of
    /// the old network would go on until its time-out.
    ///
    /// An attempt is begun anew at most ``restartsMax`` times, so that a network that changes all the time does not
    /// keep it from its end.
    package mutating func networkChanged() -> [Action] {
        var actions = discardIdle()
        for connection in connections.keys.sorted(by: { $0.number < $1.number }) {
            guard case .connecting(_, let restarts) = connections[connection], restarts < Self.restartsMax else {
                continue
            }
            connections[connection] = nil
            actions.append(.close(connection))
            actions += openOne(restarts: restarts + 1)
        }
        return actions
    }

    /// Closes connections that have been idle too long.
    package mutating func sweep(now: NIODeadline) -> [Action] {
        sweeping = false
        var actions: [Action] = []
        while let oldest = idle.first, case .idle(let since)? = connections[oldest], since + idleTime <= now {
            idle.removeFirst()
            connections[oldest] = nil
            actions.append(.close(oldest))
        }
        return actions + scheduleSweep()
    }

    /// Refuses all waiting requests and closes all connections; the driver fails the requests of leased ones. Nothing
    /// is accepted afterwards.
    package mutating func shutDown() -> [Action] {
        isShutDown = true
        var actions = waiting.map { Action.refuse($0.request, .shutDown) }
        actions += connections.keys.sorted { $0.number < $1.number }.map { Action.close($0) }
        waiting.removeAll()
        connections.removeAll()
        idle.removeAll()
        return actions
    }

    // MARK: Parts

    private mutating func serve(_ connection: ConnectionID, now: NIODeadline) -> [Action] {
        if let next = waiting.popFirst() {
            connections[connection] = .leased(next.request)
            return [.lease(connection, next.request)]
        }
        connections[connection] = .idle(since: now)
        idle.append(connection)
        return scheduleSweep()
    }

    private mutating func scheduleSweep() -> [Action] {
        guard !sweeping, let oldest = idle.first, case .idle(let since)? = connections[oldest] else { return [] }
        sweeping = true
        return [.sweep(at: since + idleTime)]
    }

    /// Opens a connection if more requests wait than connections are being opened.
    private mutating func openOne(restarts: Int = 0) -> [Action] {
        guard connections.count < connectionsMax, connectingCount < waiting.count else { return [] }
        connectionsMade += 1
        let connection = ConnectionID(number: connectionsMade)
        connections[connection] = .connecting(servesUntil: arrivals, restarts: restarts)
        return [.connect(connection)]
    }

    private var connectingCount: Int {
        connections.values.reduce(into: 0) { count, connection in
            if case .connecting = connection { count += 1 }
        }
    }
}

extension ConnectionPoolState {
    /// The guarantees that are broken, by number of the list above; empty if all hold.
    package var brokenInvariants: [String] {
        var broken: [String] = []
        if connections.count > connectionsMax { broken.append("1: \(connections.count) connections") }
        if waiting.count > requestsMax { broken.append("1: \(waiting.count) waiting") }
        if zip(waiting, waiting.dropFirst()).contains(where: { $0.arrival >= $1.arrival }) {
            broken.append("2: waiting out of order")
        }
        if !waiting.isEmpty, !idle.isEmpty { broken.append("3: waiting beside an idle connection") }
        if !waiting.isEmpty, connections.isEmpty { broken.append("3: waiting for nothing") }
        let idleByState = connections.filter { if case .idle = $0.value { true } else { false } }.map(\.key)
        if Set(idle) != Set(idleByState) || idle.count != idleByState.count { broken.append("idle stack is wrong") }
        if !idle.isEmpty, !sweeping { broken.append("idle connections without a sweep") }
        return broken
    }

    package var waitingCount: Int { waiting.count }
    package var connectionCount: Int { connections.count }
}
