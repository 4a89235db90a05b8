import CausewayStorage
import GRDB
import Synchronization

/// The time of the last commit, by the store or by a GRDB pool: the earliest time at which an observer can be notified
/// of it.
final class CommitClock: TransactionObserver, Sendable {
    private struct State {
        var instant = ContinuousClock.now
        var subscription: StoreSubscription?
    }

    private let state = Mutex(State())

    /// The time of the last commit.
    var instant: ContinuousClock.Instant { state.withLock { $0.instant } }

    private func stamp() {
        let now = ContinuousClock.now
        state.withLock { $0.instant = now }
    }

    /// Must be called before any other subscriber subscribes.
    func watch(_ store: any Store) {
        let subscription = store.subscribe { [weak self] _ in self?.stamp() }
        state.withLock { $0.subscription = subscription }
    }

    // MARK: GRDB

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) { stamp() }
    func databaseDidRollback(_ db: Database) {}
}
