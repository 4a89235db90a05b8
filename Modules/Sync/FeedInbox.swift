import CausewayModels
import CausewayStorage
import Synchronization

/// What the change feed has brought and the engine has not yet taken: new links of the chain, in commit order.
///
/// Owned by the engine; filled on the store's committing thread, emptied on the engine. The lock guards the list and
/// is held for an append or a swap only. Bounded by the store's limit of undelivered messages.
final class FeedInbox: Sendable {
    private struct State {
        var entries: [OutboxEntry] = []
        /// Something changed that was told in no single change; what came before it does not count.
        var isReset = false
        var isAwaited = true
    }

    private let state = Mutex(State())

    /// Takes in what a commit put into the queue.
    ///
    /// - Returns: true when the engine must be told: it can do something with it, and was not told yet.
    func push(_ commit: StoreCommit) -> Bool {
        let fresh = commit.changes.compactMap(Self.newEntry)
        guard commit.isReset || !fresh.isEmpty else { return false }
        return state.withLock { state in
            defer {
                if commit.isReset {
                    state.isReset = true
                    state.entries = []
                } else {
                    state.entries += fresh
                }
            }
            return state.isAwaited && state.entries.isEmpty && !state.isReset
        }
    }

    /// Whether the store must be read again; once for each reset. Links that came after it stay.
    func takeReset() -> Bool {
        state.withLock { state in
            defer { state.isReset = false }
            return state.isReset
        }
    }

    /// The store is about to be read: whatever came until now will be in what it says.
    func clear() {
        state.withLock { state in
            state.isReset = false
            state.entries.removeAll(keepingCapacity: state.entries.count < 1024)
        }
    }

    func take() -> [OutboxEntry] {
        state.withLock { state in
            defer { state.entries.removeAll(keepingCapacity: state.entries.count < 1024) }
            return state.entries
        }
    }

    /// Says whether the engine wants to be told of what comes. While it could do nothing with it (the outbox is paused,
    /// say), waking it for every message would cost creators more than the message itself.
    ///
    /// - Returns: true when something has come meanwhile that nobody was told of.
    func await(_ isAwaited: Bool) -> Bool {
        state.withLock { state in
            let isNews = isAwaited && !state.isAwaited && (state.isReset || !state.entries.isEmpty)
            state.isAwaited = isAwaited
            return isNews
        }
    }

    var count: Int { state.withLock { $0.entries.count } }

    var isEmpty: Bool { state.withLock { $0.entries.isEmpty && !$0.isReset } }

    /// The link that a change put at the tail of a lane: a creation, a resend, a release or a deletion to
    /// send.
    ///
    /// Fences and retractions come from the outbox machine itself, which knows them already.
    private static func newEntry(_ change: RecordChange) -> OutboxEntry? {
        switch change {
        case .message(let before, let after?, let bytes):
            guard after.syncState == .created, let lane = after.lane, !after.isParked,
                before?.laneSequence != after.laneSequence
            else { return nil }
            return OutboxEntry(
                kind: .send, lane: lane, sequence: after.laneSequence, previous: nil, message: after.id, attempts: 0,
                bytes: bytes, queuedAt: after.queuedAt)
        case .control(nil, let after?) where after.kind == .delete:
            return after.entry
        default:
            return nil
        }
    }
}
