internal import CausewayHubRules
package import CausewayHubStorage
internal import Synchronization

/// Admits a few callers at a time, and takes turns between accounts when more wait.
package final class FairGate: Sendable {
    private struct State {
        var free: Int
        /// Resumed with true in their turn.
        var waiting = FairQueue<Int64, CheckedContinuation<Bool, Never>>()
    }

    private let state: Mutex<State>
    private let waitingPerAccountMax: Int

    package init(slots: Int, waitingPerAccountMax: Int = HubLimits.waitingPerAccountMax) {
        state = Mutex(State(free: slots))
        self.waitingPerAccountMax = waitingPerAccountMax
    }

    /// The callers that wait.
    package var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Runs `body` when it is the account's turn.
    ///
    /// - Throws: 503 `busy` if too many of this account wait already; errors of `body`.
    package func run<Value>(
        for account: HubAccount, _ body: () async throws -> Value
    ) async throws -> Value {
        try await enter(account.number)
        defer { leave() }
        return try await body()
    }

    private func enter(_ account: Int64) async throws {
        let isAdmitted: Bool = await withCheckedContinuation { continuation in
            // `nil` for one that waits.
            let known: Bool? = state.withLock { state in
                guard state.free == 0 else {
                    state.free -= 1
                    return true
                }
                guard state.waiting.count(of: account) < waitingPerAccountMax else { return false }
                state.waiting.append(continuation, of: account)
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
        guard isAdmitted else { throw HubHTTPError.busy }
    }

    private func leave() {
        let next = state.withLock { state in
            let next = state.waiting.popFirst()
            if next == nil { state.free += 1 }
            return next
        }
        next?.resume(returning: true)
    }
}
