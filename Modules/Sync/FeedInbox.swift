import CausewayModels
import CausewayStorage
import Synchronization

/// What the change feed has brought and the engine has not yet taken: new links of the chain, in commit order.
///
/// Owned by the engine; filled on the store's committing thread, emptied on the engine. The lock guards the list and
/// is held for an append or a swap only. Bounded by the store's limit of undelivered messages.
final class FeedInbox: Sendable {
    private let entries = Mutex<[OutboxEntry]>([])

    /// Takes in what a commit put into the queue.
    ///
    /// - Returns: true when there was nothing waiting before: the engine must be told.
    func push(_ commit: StoreCommit) -> Bool {
        let fresh = commit.changes.compactMap(Self.newEntry)
        guard !fresh.isEmpty else { return false }
        return entries.withLock { entries in
            defer { entries += fresh }
            return entries.isEmpty
        }
    }

    func take() -> [OutboxEntry] {
        entries.withLock { entries in
            defer { entries.removeAll(keepingCapacity: entries.count < 1024) }
            return entries
        }
    }

    /// The link that a change put at the tail of a lane: a creation, a resend or a deletion to send.
    ///
    /// Fences and retractions come from the outbox machine itself, which knows them already.
    private static func newEntry(_ change: RecordChange) -> OutboxEntry? {
        switch change {
        case .message(let before, let after?, let bytes):
            guard after.syncState == .created, let lane = after.lane,
                before?.laneSequence != after.laneSequence
            else { return nil }
            return OutboxEntry(
                kind: .send, lane: lane, sequence: after.laneSequence, previous: nil, message: after.id, attempts: 0,
                bytes: bytes)
        case .control(nil, let after?) where after.kind == .delete:
            return after.entry
        default:
            return nil
        }
    }
}
