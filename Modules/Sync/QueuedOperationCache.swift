package import CausewayModels
package import CausewayStorage
import Synchronization

/// Operations that this run created and that wait to be sent, so that sending them reads nothing back from the store.
///
/// Kept up to date by the store's feed: an operation is forgotten when its content changes, when it fails, and when it
/// is delivered or deleted; a reset forgets everything. So an operation that is found is the stored one. All others are
/// read from the store.
///
/// A full cache takes nothing more until operations leave it. Those that it holds are the oldest, which are sent first;
/// a backlog that outgrows it costs its creators nothing and is read from the store.
///
/// Filled on the store's committing thread, read on the engine. The lock is held for the changes of one commit, at a
/// constant cost for each.
package final class QueuedOperationCache: Sendable {
    private struct Entry {
        let item: StoredItem
        let bytes: Int
    }

    private struct State {
        var entries: [OperationID: Entry] = [:]
        var bytes = 0

        mutating func remove(_ id: OperationID) {
            if let entry = entries.removeValue(forKey: id) { bytes -= entry.bytes }
        }

        /// Forgets an operation that changed; the progress of its delivery is not looked at by those who send it.
        mutating func update(_ id: OperationID, _ item: @autoclosure () -> StoredItem?) {
            guard let entry = entries[id] else { return }
            if let item = item(), item.isPending, item.asOperation.payload == entry.item.asOperation.payload { return }
            remove(id)
        }
    }

    private let state = Mutex(State())
    private let countMax: Int
    private let bytesMax: Int

    /// - Parameters:
    ///   - countMax: the number of operations kept.
    ///   - bytesMax: the bytes of their contents.
    package init(countMax: Int, bytesMax: Int) {
        self.countMax = countMax
        self.bytesMax = bytesMax
    }

    package func note(_ commit: StoreCommit) {
        state.withLock { state in
            if commit.isReset {
                state = State()
                return
            }
            for change in commit.changes { note(change, &state) }
        }
    }

    private func note(_ change: RecordChange, _ state: inout State) {
        switch change {
        case .message(nil, _, let bytes) where !hasRoom(for: bytes, state): break
        case .message(nil, let after?, let bytes): add(.message(after), bytes, &state)
        case .message(let before?, let after, _): state.update(before.id, after.map { .message($0) })
        case .operation(nil, _, let bytes) where !hasRoom(for: bytes, state): break
        case .operation(nil, let after?, let bytes): add(.operation(after), bytes, &state)
        case .operation(let before?, let after, _): state.update(before.id, after.map { .operation($0) })
        case .message, .operation, .marker, .record, .deleteAction, .session: break
        }
    }

    private func hasRoom(for bytes: Int, _ state: State) -> Bool {
        state.entries.count < countMax && bytes <= bytesMax - state.bytes
    }

    private func add(_ item: StoredItem, _ bytes: Int, _ state: inout State) {
        guard item.isPending else { return }
        let former = state.entries.updateValue(Entry(item: item, bytes: bytes), forKey: item.id)
        state.bytes += bytes - (former?.bytes ?? 0)
    }

    /// Those of the operations that are known.
    package func find(_ ids: [OperationID]) -> [OperationID: QueuedOperation] {
        state.withLock { state in
            if state.entries.isEmpty { return [:] }
            var found: [OperationID: QueuedOperation] = [:]
            for id in ids { found[id] = state.entries[id]?.item.asOperation }
            return found
        }
    }
}
