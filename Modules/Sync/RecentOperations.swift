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
    private struct Slot {
        let id: OperationID
        let bytes: Int
        /// `nil` once it is forgotten.
        var item: StoredItem?
    }

    private struct State {
        /// In the order in which they were made.
        var slots: Deque<Slot> = []
        /// The number of the first slot; the others follow without gaps.
        var firstNumber = 0
        /// The number of the slot of each operation that is not forgotten.
        var numbers: [OperationID: Int] = [:]
        var bytes = 0

        mutating func removeAll() {
            slots = []
            numbers = [:]
            bytes = 0
        }

        mutating func add(_ item: StoredItem, _ id: OperationID, _ bytes: Int) {
            numbers[id] = firstNumber + slots.count
            slots.append(Slot(id: id, bytes: bytes, item: item))
            self.bytes += bytes
        }

        /// Forgets an operation that changed; the progress of its delivery is not looked at by those who send it.
        mutating func update(_ id: OperationID, _ item: @autoclosure () -> StoredItem?) {
            guard !numbers.isEmpty, let number = numbers[id] else { return }
            let index = number - firstNumber
            if let item = item(), item.isUndelivered, item.asOperation.payload == slots[index].item?.asOperation.payload
            {
                return
            }
            numbers[id] = nil
            slots[index].item = nil
        }

        mutating func dropOldest(countMax: Int, bytesMax: Int) {
            while slots.count > countMax || bytes > bytesMax, let oldest = slots.popFirst() {
                firstNumber += 1
                bytes -= oldest.bytes
                if oldest.item != nil { numbers[oldest.id] = nil }
            }
        }

        func item(_ id: OperationID) -> StoredItem? {
            numbers[id].flatMap { slots[$0 - firstNumber].item }
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
                    if after.isUndelivered { state.add(.message(after), after.id, bytes) }
                case .message(let before?, let after, _): state.update(before.id, after.map { .message($0) })
                case .operation(nil, let after?, let bytes): state.add(.operation(after), after.id, bytes)
                case .operation(let before?, let after, _): state.update(before.id, after.map { .operation($0) })
                case .message, .operation, .marker, .record, .deleteAction, .session: break
                }
            }
            state.dropOldest(countMax: countMax, bytesMax: bytesMax)
        }
    }

    /// Those of the operations that are known.
    package func find(_ ids: [OperationID]) -> [OperationID: QueuedOperation] {
        state.withLock { state in
            if state.numbers.isEmpty { return [:] }
            var found: [OperationID: QueuedOperation] = [:]
            for id in ids { found[id] = state.item(id)?.asOperation }
            return found
        }
    }
}
