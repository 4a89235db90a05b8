package import CausewayModels
package import CausewayStorage
import DequeModule
import Synchronization

/// Operations that were made a moment ago, so that sending them reads nothing back from the store.
///
/// Kept up to date by the store's feed: what is deleted, changed or delivered is forgotten, and everything after a
/// reset, so that an operation that is found is the stored one. Operations that are not found are read from the store.
/// Past the limits the oldest are dropped first: a long backlog is read from the store anyway.
///
/// Filled on the store's committing thread, read on the engine. The lock is held for the changes of one commit, at a
/// constant cost for each.
package final class RecentOperations: Sendable {
    private struct Kept {
        let operation: QueuedOperation
        let bytes: Int
        let number: Int
    }

    private struct State {
        var kept: [OperationID: Kept] = [:]
        /// In the order in which they were made; some may be gone.
        var order: Deque<(id: OperationID, number: Int)> = []
        var bytes = 0
        var lastNumber = 0

        mutating func removeAll() {
            kept = [:]
            order = []
            bytes = 0
        }

        mutating func add(_ operation: QueuedOperation, _ bytes: Int) {
            lastNumber += 1
            remove(operation.id)
            kept[operation.id] = Kept(operation: operation, bytes: bytes, number: lastNumber)
            order.append((operation.id, lastNumber))
            self.bytes += bytes
        }

        /// Forgets an operation that changed; the progress of its delivery is not looked at by those who send it.
        mutating func update(_ id: OperationID, _ operation: @autoclosure () -> QueuedOperation?) {
            guard let known = kept[id] else { return }
            if operation()?.payload != known.operation.payload { remove(id) }
        }

        private mutating func remove(_ id: OperationID) {
            if let removed = kept.removeValue(forKey: id) { bytes -= removed.bytes }
        }

        mutating func dropOldest(countMax: Int, bytesMax: Int) {
            // What is gone counts as well, so that the order is bounded.
            while let oldest = order.first, order.count > countMax || bytes > bytesMax || kept[oldest.id] == nil {
                order.removeFirst()
                if kept[oldest.id]?.number == oldest.number { remove(oldest.id) }
            }
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
            if commit.isReset { return state.removeAll() }
            for change in commit.changes {
                switch change {
                case .message(nil, let after?, let bytes):
                    if after.isUndelivered { state.add(QueuedOperation(creating: after), bytes) }
                case .message(let before?, let after, _):
                    state.update(before.id, after.flatMap { $0.isUndelivered ? QueuedOperation(creating: $0) : nil })
                case .operation(nil, let after?, let bytes): state.add(after, bytes)
                case .operation(let before?, let after, _): state.update(before.id, after)
                case .message, .operation, .marker, .record, .deleteAction, .session: break
                }
            }
            state.dropOldest(countMax: countMax, bytesMax: bytesMax)
        }
    }

    /// Those of the operations that are known.
    package func find(_ ids: [OperationID]) -> [OperationID: QueuedOperation] {
        state.withLock { state in
            if state.kept.isEmpty { return [:] }
            var found: [OperationID: QueuedOperation] = [:]
            for id in ids { found[id] = state.kept[id]?.operation }
            return found
        }
    }
}
