import Causeway
import CausewayControlAPI
import Synchronization

/// Observes the commits of a client: counts them, and counts the delivered messages of the own account per minute.
final class ActivityMonitor: Sendable {
    /// Owned by the monitor; written on the store's committing thread, read from any thread. The lock is held for an
    /// addition.
    private final class Counters: Sendable {
        struct State {
            var version: Int64 = 0
            var drain = DeliveryHistogram()
            var watchers = 0
        }

        let state = Mutex(State())

        func note(_ commit: StoreCommit) {
            let delivered = commit.changes.count { change in
                guard case .message(let before, let after, _) = change, let after, after.lane != nil else {
                    return false
                }
                return before?.syncState != .synced && after.syncState == .synced
            }
            let now = SystemRuntime().wallClock
            state.withLock { state in
                state.version = commit.version
                if delivered > 0 { state.drain.record(delivered, at: now) }
            }
        }
    }

    private let counters: Counters
    private let subscription: StoreSubscription

    init(_ client: CausewayClient) {
        let counters = Counters()
        self.counters = counters
        subscription = client.changes { counters.note($0) }
    }

    /// The number of the last commit of this run.
    var version: Int64 { counters.state.withLock { $0.version } }

    func drainedPerMinute() -> [Int] {
        let now = SystemRuntime().wallClock
        return counters.state.withLock { $0.drain.perMinute(at: now) }
    }

    /// Reserves a slot for a watcher; returns false when all are in use.
    func enter() -> Bool {
        counters.state.withLock { state in
            guard state.watchers < ControlLimits.watchersMax else { return false }
            state.watchers += 1
            return true
        }
    }

    func leave() { counters.state.withLock { $0.watchers -= 1 } }
}
