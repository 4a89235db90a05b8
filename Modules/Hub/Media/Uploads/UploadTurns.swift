internal import CausewayHubRules
internal import Synchronization

/// The requests for uploads that are being handled: one for each upload at a time. A new request ends the older one, so
/// that a client which lost its connection continues at once, and never waits for a lock.
///
/// At most two requests of an upload are here: the one that has the turn, and the newest one, which waits until the
/// other has stored what it received. One that waited before is refused.
final class UploadTurns: Sendable {
    private struct Turn {
        /// Ends the request that has the turn; `nil` for one that ends by itself soon.
        var stop: (@Sendable () -> Void)?
        var next: CheckedContinuation<Bool, Never>?
    }

    private struct State {
        var turns: [UploadID: Turn] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Runs `body` when the request has the turn.
    ///
    /// - Parameter stop: ends the request early; called at most once, by a newer request or by ``close()``.
    /// - Throws: `uploadSuperseded` if a newer request came first, 503 `busy` after ``close()``; errors of `body`.
    func run<Value>(
        _ id: UploadID, stop: (@Sendable () -> Void)? = nil, _ body: () async throws -> Value
    ) async throws -> Value {
        guard await take(id) else { throw HubHTTPError.uploadSuperseded }
        defer { release(id) }
        let (isOpen, isNewest) = state.withLock { state in
            state.turns[id]?.stop = stop
            return (!state.isClosed, state.turns[id]?.next == nil)
        }
        guard isOpen else { throw HubHTTPError.busy }
        guard isNewest else { throw HubHTTPError.uploadSuperseded }
        return try await body()
    }

    /// Ends all requests that can be ended; later ones are refused.
    func close() {
        let stops = state.withLock { state in
            state.isClosed = true
            return state.turns.values.compactMap(\.stop)
        }
        for stop in stops { stop() }
    }

    private func take(_ id: UploadID) async -> Bool {
        await withCheckedContinuation { continuation in
            let (isFree, stop, older) = state.withLock { state in
                guard let turn = state.turns[id] else {
                    state.turns[id] = Turn()
                    return (true, (@Sendable () -> Void)?.none, CheckedContinuation<Bool, Never>?.none)
                }
                state.turns[id] = Turn(stop: nil, next: continuation)
                return (false, turn.stop, turn.next)
            }
            if isFree { continuation.resume(returning: true) }
            older?.resume(returning: false)
            stop?()
        }
    }

    private func release(_ id: UploadID) {
        let next = state.withLock { state in
            let next = state.turns[id]?.next
            state.turns[id] = next == nil ? nil : Turn()
            return next
        }
        next?.resume(returning: true)
    }
}
