import CausewayModels
import CausewayStorage

/// The part of a query's result that a collection holds, kept up to date change by change.
///
/// What holds after each step, once it was read (`isStale` is false):
///
/// 1. `rows` are the records that match with keys between the edges, as of the commit that was applied last.
/// 2. `keys` has the key of each of them by its identity.
/// 3. A bounded edge knows the record next outside, or says that it must be asked for.
/// 4. No edge lies beyond `reach`, and none that could is open.
/// 5. `touched` names every row that differs from the state that was frozen last.
///
/// How it stays right while the store is asked. A page comes from some state r of the store, while the feed has been
/// applied up to p, p ≤ r. All commits after p are applied on top of the page, those up to r for a second time. That is
/// right in the end because a record is put where the last change of it says, whatever was there before; and it is
/// shown only when the feed has been applied up to r (``Store/settledVersion()``). The same holds for records of pages
/// that were read one after the other from different states.
///
/// Confined to the router that owns it.
final class Window<Query: LiveQuery> {
    typealias Record = Query.Record
    typealias Key = Query.Key

    let query: Query
    let plantedFault: LiveFault?
    private let surplusMax: Int
    /// Records that are read at a time.
    let readingMax: Int
    private(set) var rows: RankedRows<Key, Record>
    private(set) var keys: [Record.ID: Key] = [:]
    private(set) var touched = TouchedRows<Record.ID, Key>()
    var start: WindowEdge<Key> = .open
    var end: WindowEdge<Key> = .open
    /// What may be shown: records beyond it are let in by nothing.
    var reach = LiveReach<Key>()
    /// How many rows it should hold when there are as many.
    var target: Int
    /// Pages that were asked for and not read yet.
    var demand = Demand()
    /// True when `rows` are nothing to rely on: it was never read, or more changed than was told.
    private(set) var isStale = true
    /// True when the next reading begins anew at the anchor.
    var isReopening = true

    init(_ query: Query, surplusMax: Int, readingMax: Int, plantedFault: LiveFault?) {
        self.query = query
        self.readingMax = readingMax
        self.surplusMax = surplusMax
        self.plantedFault = plantedFault
        rows = RankedRows(isDescending: query.direction == .descending)
        target = Self.pageSize(query)
    }

    static func pageSize(_ query: Query) -> Int { min(max(1, query.pageSize), LiveLimits.pageSizeMax) }

    var pageSize: Int { Self.pageSize(query) }

    /// More changed than was told: the window must be read again.
    func invalidate() {
        if plantedFault == .losesReset, !isReopening { return }
        isStale = true
    }

    func settled() {
        isStale = false
        isReopening = false
    }

    /// What changed since it was asked last.
    func takeTouched() -> TouchedRows<Record.ID, Key> {
        defer { touched = TouchedRows() }
        return touched
    }

    /// Nothing of what was frozen last is the same in the next state.
    func touchAll() { touched.overflow() }

    // MARK: - Changes of the feed

    /// Takes in one change. Cost: O(log n) for a window of n rows.
    func apply(_ change: LiveRecordChange<Record>) {
        guard let id = change.after?.id ?? change.before?.id else { return }
        let after = change.after.flatMap { query.matches($0) ? (key: query.key(of: $0), record: $0) : nil }
        forgetNeighbour(change.before, unlessAt: after?.key)
        guard let after, isInside(after.key) else { return remove(id) }
        put(id, after.key, after.record)
    }

    /// The record next outside an edge may be this one, gone or moved.
    private func forgetNeighbour(_ before: Record?, unlessAt key: Key?) {
        guard plantedFault != .missesEdge, let before, query.matches(before) else { return }
        let old = query.key(of: before)
        if old == key { return }
        if case .bounded(let at, old) = start { start = .bounded(at: at, beyond: nil) }
        if case .bounded(let at, old) = end { end = .bounded(at: at, beyond: nil) }
    }

    /// True for a key between the edges; one that is outside may be the next one there.
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
            // Another record in its place: that one is gone, whether the feed told it or not.
            if there.record.id != id { remove(there.record.id) }
        }
        if let old, old != key { rows.remove(old) }
        rows.insert(key, record)
        keys[id] = key
        if plantedFault == .forgetsMove, let old, old != key { return }
        touched.note(id, from: old, to: key)
    }

    func remove(_ id: Record.ID) {
        guard let old = keys.removeValue(forKey: id) else { return }
        rows.remove(old)
        touched.note(id, from: old, to: nil)
    }

    /// Lets go of rows that came in beyond what was asked for, down to half of what may be too many: whoever looks at
    /// the list keeps most of it, and the record at the anchor. The window ends where it is cut; what lies beyond can
    /// be asked for again.
    func trim() {
        guard rows.count > target + surplusMax else { return }
        let isCutAtStart =
            switch query.anchor {
            case .first: false
            case .last: true
            // Half of what is kept fits at either side.
            case .at(let key): rows.rank(of: key) > rows.count / 2
            }
        var next: Key?
        while rows.count > target + surplusMax / 2, let row = isCutAtStart ? rows.first : rows.last {
            remove(row.record.id)
            next = row.key
        }
        guard let row = isCutAtStart ? rows.first : rows.last else { return }
        let edge = WindowEdge.bounded(at: row.key, beyond: next)
        if isCutAtStart { start = edge } else { end = edge }
    }

    /// Takes over rows as a whole, for an empty window; no record may be there twice. Cost: linear.
    func fill(_ records: some Collection<Record>) {
        if records.isEmpty { return }
        let ordered = records.map { RankedRows<Key, Record>.Row(query.key(of: $0), $0) }
        rows = RankedRows(isDescending: rows.isDescending, inOrder: ordered)
        keys.reserveCapacity(ordered.count)
        for row in ordered { keys[row.record.id] = row.key }
        // Everything is new: who saw nothing before needs no list of it.
        touched.overflow()
    }
}
