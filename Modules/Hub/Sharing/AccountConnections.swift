internal import CausewayHTTPServer
internal import CausewayHubStorage
internal import Hummingbird
internal import NIOCore
internal import Synchronization

/// The connections that each account has used, bounded for each account over all addresses.
///
/// A connection belongs to the account of its latest request, which may change behind a proxy. Past the share, the
/// account's connection that was without a request for the longest time is closed. A request lasts until the client has
/// read the response, and a socket until it is closed. A connection without a valid token so far counts for its address
/// alone.
final class AccountConnections: RouterMiddleware {
    private struct Connection {
        let owner: String
        let channel: any Channel
        var requests: Int
    }

    private struct State {
        var shares: ConnectionShares<ObjectIdentifier>
        var connections: [ObjectIdentifier: Connection] = [:]

        mutating func remove(_ id: ObjectIdentifier) -> (any Channel)? {
            shares.remove(id)
            return connections.removeValue(forKey: id)?.channel
        }
    }

    /// A request of an account; it lasts as long as this object.
    private final class RequestInProgress: Sendable {
        private let end: @Sendable () -> Void
        init(end: @escaping @Sendable () -> Void) { self.end = end }
        deinit { end() }
    }

    private let state: Mutex<State>

    init(connectionsMax: Int) {
        state = Mutex(State(shares: ConnectionShares(connectionsMax: .max, perPeerMax: connectionsMax)))
    }

    /// Cost: linear in the number of connections.
    var requestsInProgress: Int { state.withLock { $0.connections.values.reduce(0) { $0 + $1.requests } } }

    /// - Throws: 503 `busy` if all of the account's connections have requests in progress.
    @concurrent
    func handle(
        _ request: Request, context: HubRequestContext,
        next: @concurrent (Request, HubRequestContext) async throws -> Response
    ) async throws -> Response {
        // The request that opened the socket is still in progress.
        if context.exchange != nil { return try await next(request, context) }
        let channel = context.channel
        guard began(channel, of: String(try context.requireAccount().number)) else {
            // The connection counts for its address alone; its next request checks again.
            throw HubHTTPError.busy
        }
        // With the channel, so that no other one gets its identifier before the request has ended.
        let inProgress = RequestInProgress { [self] in ended(channel) }
        // Together with the response: by itself it would wake the connection's thread for each request.
        defer { context.hold(inProgress) }
        return try await next(request, context)
    }

    /// - Returns: false when the account has no room for the connection.
    private func began(_ channel: any Channel, of owner: String) -> Bool {
        let id = ObjectIdentifier(channel)
        let (isAdmitted, isNew, leaving) = state.withLock { state -> (Bool, Bool, (any Channel)?) in
            let known = state.connections[id]
            if known?.owner == owner {
                state.connections[id]?.requests += 1
                state.shares.requestBegan(on: id)
                return (true, false, nil)
            }
            _ = state.remove(id)
            let admission = state.shares.admit(id, from: owner, at: SystemClock.monotonic())
            guard admission != .refused else { return (false, false, nil) }
            state.shares.requestBegan(on: id)
            let requests = (known?.requests ?? 0) + 1
            state.connections[id] = Connection(owner: owner, channel: channel, requests: requests)
            guard case .admittedInsteadOf(let other) = admission else { return (true, known == nil, nil) }
            return (true, known == nil, state.connections.removeValue(forKey: other)?.channel)
        }
        leaving?.close(promise: nil)
        if isNew { channel.closeFuture.whenComplete { [self] _ in _ = state.withLock { $0.remove(id) } } }
        return isAdmitted
    }

    private func ended(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        state.withLock { state in
            guard let connection = state.connections[id] else { return }
            let requests = max(0, connection.requests - 1)
            state.connections[id]?.requests = requests
            if requests == 0 { state.shares.becameIdle(id, at: SystemClock.monotonic()) }
        }
    }
}
