import CausewayModels
import CausewayStorage

/// The items that were written last, so that the steps of a delivery need not read back what they have just written.
///
/// Only the writer uses it. Two generations: a full young one replaces the old one, which is dropped.
struct RowCache: Sendable {
    private var young: [OperationID: FileRow] = [:]
    private var old: [OperationID: FileRow] = [:]
    private var youngBytes = 0

    subscript(id: OperationID) -> FileRow? { young[id] ?? old[id] }

    mutating func remember(_ row: FileRow) {
        young[row.row.item.id] = row
        youngBytes += row.row.bytes
        guard young.count >= FileLimits.cachedRowsMax || youngBytes >= FileLimits.cachedRowBytesMax else { return }
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
