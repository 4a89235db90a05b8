internal import CausewayHTTPServer
internal import CausewayHubStorage
internal import Hummingbird
internal import NIOCore
internal import Synchronization

/// The connections that each account has used, bounded for each account over all addresses.
///
/// A connection belongs to the account of its latest request, which may change behind a proxy. Past the share, the
/// account's connection that was without a request for the longest time is closed. A connection without a valid token
/// so far counts for its address alone.
final class AccountConnections: RouterMiddleware {
    private struct State {
        var shares: ConnectionShares<ObjectIdentifier>
        var channels: [ObjectIdentifier: (owner: String, channel: any Channel)] = [:]

        mutating func remove(_ id: ObjectIdentifier) -> (any Channel)? {
            shares.remove(id)
            return channels.removeValue(forKey: id)?.channel
        }
    }

    private let state: Mutex<State>

    init(connectionsMax: Int) {
        state = Mutex(State(shares: ConnectionShares(connectionsMax: .max, perPeerMax: connectionsMax)))
    }

    /// - Throws: 503 `busy` if all of the account's connections have requests in progress.
    @concurrent
    func handle(
        _ request: Request, context: HubRequestContext,
        next: @concurrent (Request, HubRequestContext) async throws -> Response
    ) async throws -> Response {
        // A socket is a connection in use since it was opened.
        if context.exchange != nil { return try await next(request, context) }
        let channel = context.channel
        let id = ObjectIdentifier(channel)
        guard began(channel, of: String(try context.requireAccount().number)) else {
            // The connection counts for its address alone; its next request checks again.
            throw HubHTTPError.busy
        }
        defer { state.withLock { $0.shares.becameIdle(id, at: SystemClock.monotonic()) } }
        return try await next(request, context)
    }

    /// - Returns: false when the account has no room for the connection.
    private func began(_ channel: any Channel, of owner: String) -> Bool {
        let id = ObjectIdentifier(channel)
        let (isAdmitted, isNew, leaving) = state.withLock { state -> (Bool, Bool, (any Channel)?) in
            let isKnown = state.channels[id] != nil
            if isKnown, state.channels[id]?.owner == owner {
                state.shares.requestBegan(on: id)
                return (true, false, nil)
            }
            _ = state.remove(id)
            let admission = state.shares.admit(id, from: owner, at: SystemClock.monotonic())
            guard admission != .refused else { return (false, false, nil) }
            state.shares.requestBegan(on: id)
            state.channels[id] = (owner, channel)
            guard case .admittedInsteadOf(let other) = admission else { return (true, !isKnown, nil) }
            return (true, !isKnown, state.channels.removeValue(forKey: other)?.channel)
        }
        leaving?.close(promise: nil)
        if isNew { channel.closeFuture.whenComplete { [self] _ in _ = state.withLock { $0.remove(id) } } }
        return isAdmitted
    }
}
