internal import CausewayHubRules
internal import CausewayHubStorage
internal import Synchronization

/// Admits a few callers at a time, and takes turns between accounts when more wait.
final class FairGate: Sendable {
    private struct State {
        var free: Int
        var waiting = FairQueue<Int64, CheckedContinuation<Void, Never>>()
    }

    private let state: Mutex<State>
    private let waitingPerAccountMax: Int

    init(slots: Int, waitingPerAccountMax: Int = HubLimits.waitingPerAccountMax) {
        state = Mutex(State(free: slots))
        self.waitingPerAccountMax = waitingPerAccountMax
    }

    /// Runs `body` when it is the account's turn.
    ///
    /// - Throws: 503 `busy` if too many of this account wait already; errors of `body`.
    func run<Value>(for account: HubAccount, _ body: () async throws -> Value) async throws -> Value {
        try await enter(account.number)
        defer { leave() }
        return try await body()
    }

    private func enter(_ account: Int64) async throws {
        guard state.withLock({ $0.waiting.count(of: account) }) < waitingPerAccountMax else { throw HubHTTPError.busy }
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free == 0 else {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation, of: account)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    private func leave() {
        let next = state.withLock { state in
            let next = state.waiting.popFirst()
            if next == nil { state.free += 1 }
            return next
        }
        next?.resume()
    }
}
