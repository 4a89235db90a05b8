import CausewayModels
import CausewayStorage

/// A cache of the most recently written messages and operations, so that the steps of a delivery need not read back
/// what they have just written.
///
/// Only the writer changes rows, so the cache equals the table as long as it is cleared after every rollback and every
/// statement that changes many rows. Two generations: a full young generation replaces the old one, which is dropped.
struct RowCache: Sendable {
    private var young: [OperationID: ItemRow] = [:]
    private var old: [OperationID: ItemRow] = [:]
    private var youngBytes = 0

    subscript(id: OperationID) -> ItemRow? { young[id] ?? old[id] }

    mutating func remember(_ row: ItemRow) {
        young[row.item.id] = row
        youngBytes += row.bytes
        guard young.count >= SQLiteLimits.cachedRowsMax || youngBytes >= SQLiteLimits.cachedRowBytesMax else { return }
        // The dropped generation's memory serves the next one.
        swap(&old, &young)
        young.removeAll(keepingCapacity: true)
        youngBytes = 0
    }

    mutating func forget(_ id: OperationID) {
        young[id] = nil
        old[id] = nil
    }

    mutating func forgetAll() { self = RowCache() }
}
