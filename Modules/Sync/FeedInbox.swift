import CausewayModels
import CausewayStorage
import Synchronization

/// New links of the chain that the change feed has reported and the engine has not processed yet, in commit order.
///
/// Owned by the engine; filled on the store's committing thread, emptied on the engine. The lock guards the list and is
/// held for an append or a swap only. Bounded by the store's limit of undelivered messages.
final class FeedInbox: Sendable {
    private struct State {
        var entries: [OutboxEntry] = []
        /// True after a reset, whose changes are not listed; earlier entries are obsolete.
        var isReset = false
        var isAwaited = true
    }

    private let state = Mutex(State())

    /// Adds the links that a commit appended to lanes.
    ///
    /// - Returns: true if the engine must be woken: it can act on them, and has not been woken yet.
    func push(_ commit: StoreCommit) -> Bool {
        guard commit.isReset || !commit.appended.isEmpty else { return false }
        return state.withLock { state in
            defer {
                if commit.isReset {
                    state.isReset = true
                    state.entries = []
                } else {
                    state.entries += commit.appended
                }
            }
            return state.isAwaited && state.entries.isEmpty && !state.isReset
        }
    }

    /// Whether the store must be read again; returns true once for each reset. Links that arrived after it are kept.
    func takeReset() -> Bool {
        state.withLock { state in
            defer { state.isReset = false }
            return state.isReset
        }
    }

    /// Discards everything that has arrived, before the store is read: the read will include it.
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

    /// Discards the links that send one of the messages: the server was seen to have them. O(the number of entries).
    func discardSends(of messages: Set<MessageID>) {
        state.withLock { state in
            state.entries.removeAll { $0.kind == .send && messages.contains($0.message) }
        }
    }

    /// Sets whether the engine is to be woken for new entries. While it cannot act on them (for example because the
    /// outbox is paused), waking it for every message would cost creators more than the message itself.
    ///
    /// - Returns: true if entries arrived meanwhile for which the engine was not woken.
    func await(_ isAwaited: Bool) -> Bool {
        state.withLock { state in
            let isNews = isAwaited && !state.isAwaited && (state.isReset || !state.entries.isEmpty)
            state.isAwaited = isAwaited
            return isNews
        }
    }

    var count: Int { state.withLock { $0.entries.count } }

    var isEmpty: Bool { state.withLock { $0.entries.isEmpty && !$0.isReset } }
}
