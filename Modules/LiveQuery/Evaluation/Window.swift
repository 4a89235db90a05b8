import CausewayModels
import CausewayStorage

/// The part of a query's result that a collection holds, kept up to date change by change.
///
/// Invariants after each step, once it was read (`isStale` is false):
///
/// 1. `rows` are the records that match with keys between the edges, as of the last applied commit.
/// 2. `keys` has the key of each of them by its identity.
/// 3. A bounded edge contains the key of the next record outside, or is marked as unknown.
/// 4. No edge lies beyond `loadedRange`, and no edge that could lie beyond it is open.
/// 5. `touched` names every row that differs from the last frozen state.
///
/// Consistency while the store is read: a page comes from some state r of the store, while the feed has been applied up
/// to p, p ≤ r. All commits after p are applied on top of the page, those up to r for a second time. The result is
/// correct because the last change of a record determines its state, whatever it was before; and it is displayed only
/// when the feed has been applied up to r (``Store/settledVersion()``). The same holds for records of pages that were
/// read one after the other from different states.
///
/// Confined to the router that owns it.
final class Window<Query: LiveQuery> {
    typealias Record = Query.Record
    typealias Key = Query.Key

    let query: Query
    let bounds: LiveQueryEngine.Bounds
    private(set) var rows: OrderStatisticTree<Key, Record>
    private(set) var keys: [Record.ID: Key] = [:]
    private(set) var touched = ChangedRows<Record.ID, Key>()
    var start: WindowEdge<Key> = .open
    var end: WindowEdge<Key> = .open
    /// The range that may be displayed: records beyond it are never admitted.
    var loadedRange = LoadedRange<Key>()
    /// The number of rows that it should contain if there are as many.
    var target: Int
    /// Pages that were requested and not read yet.
    var demand = Demand()
    /// True if `rows` is not reliable: it was never read, or more changed than was reported.
    private(set) var isStale = true
    /// True if the next read starts again at the anchor.
    var isReopening = true

    init(_ query: Query, bounds: LiveQueryEngine.Bounds) {
        self.query = query
        self.bounds = bounds
        rows = OrderStatisticTree(isDescending: query.direction == .descending)
        target = Self.pageSize(query)
    }

    static func pageSize(_ query: Query) -> Int { min(max(1, query.pageSize), LiveLimits.pageSizeMax) }

    var pageSize: Int { Self.pageSize(query) }

    /// Marks the window for reading again: more changed than was reported.
    func invalidate() {
        isStale = true
    }

    func settled() {
        isStale = false
        isReopening = false
    }

    /// Returns and clears the changes since the last call.
    func takeTouched() -> ChangedRows<Record.ID, Key> {
        defer { touched = ChangedRows() }
        return touched
    }

    /// Marks every row as changed since the last frozen state.
    func touchAll() { touched.overflow() }

    // MARK: - Changes of the feed

    /// Applies one change. Cost: O(log n) for a window of n rows.
    func apply(_ change: LiveRecordChange<Record>) {
        guard let id = change.after?.id ?? change.before?.id else { return }
        let after = change.after.flatMap { query.matches($0) ? (key: query.key(of: $0), record: $0) : nil }
        forgetNeighbour(change.before, unlessAt: after?.key)
        guard let after, isInside(after.key) else { return remove(id) }
        put(id, after.key, after.record)
    }

    /// Marks the edges as unknown if the next record outside is this one, removed or moved.
    private func forgetNeighbour(_ before: Record?, unlessAt key: Key?) {
        guard let before, query.matches(before) else { return }
        let old = query.key(of: before)
        if old == key { return }
        if case .bounded(let at, old) = start { start = .bounded(at: at, beyond: nil) }
        if case .bounded(let at, old) = end { end = .bounded(at: at, beyond: nil) }
    }

    /// True for a key between the edges; a key outside may become the next one there.
    private func isInside(_ key: Key) -> Bool {
        if let at = start.key, rows.isBefore(key, at) {
            if case .bounded(_, let beyond?) = start, rows.isBefore(beyond, key) {
                start = .bounded(at: at, beyond: key)
            }
            return false
        }
        if let at = end.key, rows.isBefore(at, key) {
            if case .bounded(_, let beyond?) = end, rows.isBefore(key, beyond) { end = .bounded(at: at, beyond: key) }
            return false
        }
        return true
    }

    // MARK: - Rows

    func put(_ id: Record.ID, _ key: Key, _ record: Record) {
        let old = keys[id]
        if let there = rows.row(at: key) {
            if there.record == record { return }
            // Another record with the same key: the old one has been removed, whether the feed reported it or not.
            if there.record.id != id { remove(there.record.id) }
        }
        if let old, old != key { rows.remove(old) }
        rows.insert(key, record)
        keys[id] = key
        touched.note(id, from: old, to: key)
    }

    func remove(_ id: Record.ID) {
        guard let old = keys.removeValue(forKey: id) else { return }
        rows.remove(old)
        touched.note(id, from: old, to: nil)
    }

    /// Drops rows that arrived beyond the requested number, down to half of the allowed surplus, keeping the record at
    /// the anchor and the rows near it. The window ends where it is cut; the records beyond can be requested again.
    func trim() {
        guard rows.count > target + bounds.surplusMax else { return }
        let isCutAtStart =
            switch query.anchor {
            case .first: false
            case .last: true
            // Half of the kept rows fit on either side.
            case .at(let key): rows.rank(of: key) > rows.count / 2
            }
        var next: Key?
        while rows.count > target + bounds.surplusMax / 2, let row = isCutAtStart ? rows.first : rows.last {
            remove(row.record.id)
            next = row.key
        }
        guard let row = isCutAtStart ? rows.first : rows.last else { return }
        let edge = WindowEdge.bounded(at: row.key, beyond: next)
        if isCutAtStart { start = edge } else { end = edge }
    }

    /// Adopts rows as a whole, for an empty window; no record may occur twice. Cost: linear.
    func fill(_ records: some Collection<Record>) {
        if records.isEmpty { return }
        let ordered = records.map { OrderStatisticTree<Key, Record>.Row(query.key(of: $0), $0) }
        rows = OrderStatisticTree(isDescending: rows.isDescending, inOrder: ordered)
        keys.reserveCapacity(ordered.count)
        for row in ordered { keys[row.record.id] = row.key }
        // Everything is new: a reader that saw nothing before needs no list of changes.
        touched.overflow()
    }
}
