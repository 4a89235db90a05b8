/// The range that the server has returned completely, and its effect on the window.
extension Window {
    /// Restricts the window to `loadedRange`; `nil` admits all stored records. A window that lies completely outside is
    /// read again at the anchor: an edge that remained outside would admit the records between it and the range.
    func confine(to loadedRange: LoadedRange<Key>?) {
        self.loadedRange = loadedRange ?? LoadedRange<Key>()
        if let key = start.key, isPast(key, .end) { return reopenInPlace() }
        if let key = end.key, isPast(key, .start) { return reopenInPlace() }
        start = confined(start, .start)
        end = confined(end, .end)
    }

    private func confined(_ edge: WindowEdge<Key>, _ side: Side) -> WindowEdge<Key> {
        guard let at = edge.key else {
            guard let limit = limit(side) else { return .open }
            cut(to: limit, side)
            return .limited(at: limit)
        }
        if let limit = limit(side), at == limit || isPast(at, side) {
            cut(to: limit, side)
            return .limited(at: limit)
        }
        // There may be more now, or the next record outside must not be shown.
        return .bounded(at: at, beyond: nil)
    }

    private func cut(to limit: Key, _ side: Side) {
        while let row = side == .start ? rows.first : rows.last, isPast(row.key, side) { remove(row.record.id) }
    }

    func limit(_ side: Side) -> Key? { side == .start ? loadedRange.start : loadedRange.end }

    /// The key, or the nearest one that the server has returned everything up to.
    func withinReach(_ key: Key) -> Key {
        if let end = loadedRange.end, isPast(key, .end) { return end }
        if let start = loadedRange.start, isPast(key, .start) { return start }
        return key
    }

    /// True for a key beyond the range that the server has returned.
    func isPast(_ key: Key, _ side: Side) -> Bool { isPast(key, side, of: loadedRange) }

    private func isPast(_ key: Key, _ side: Side, of loadedRange: LoadedRange<Key>) -> Bool {
        switch side {
        case .start: loadedRange.start.map { rows.isBefore(key, $0) } ?? false
        case .end: loadedRange.end.map { rows.isBefore($0, key) } ?? false
        }
    }

    /// The edge of a window that contains the whole range that the server has returned.
    func outermost(_ side: Side) -> WindowEdge<Key> { limit(side).map { .limited(at: $0) } ?? .open }

    /// A side on which `extent` goes beyond `loadedRange`.
    func side(of extent: LoadedRange<Key>, outside loadedRange: LoadedRange<Key>) -> Side? {
        if let first = extent.start, isPast(first, .start, of: loadedRange) { return .start }
        if let last = extent.end, isPast(last, .end, of: loadedRange) { return .end }
        return nil
    }

    // MARK: The newest end

    /// The largest key for which `isPlaced` is true; it is false for every key after one for which it is false. Cost:
    /// O((log n)²) for n rows.
    func newestKey(where isPlaced: (Key) -> Bool) -> Key? {
        let isAscending = query.direction == .ascending
        var low = 0
        var high = rows.count
        while low < high {
            let middle = (low + high) / 2
            if isPlaced(rows[isAscending ? middle : rows.count - 1 - middle].key) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low == 0 ? nil : rows[isAscending ? low - 1 : rows.count - low].key
    }

    /// The number of rows with keys above `lower`, up to and including `key`, which is one of them. Cost: O(log n).
    func count(after lower: Key, through key: Key) -> Int {
        guard query.direction == .ascending else { return rows.rank(of: lower) - rows.rank(of: key) }
        return rows.rank(of: key) + 1 - rows.rank(of: lower) - (rows.row(at: lower) == nil ? 0 : 1)
    }

    /// The side on which the server must be asked for more: the stored records that may be shown are fewer than
    /// requested.
    var sideForServer: Side? {
        if isStale { return nil }
        if demand.end > 0, end.isLimited { return .end }
        if demand.start > 0, start.isLimited { return .start }
        guard missing > 0, !end.isBounded, !start.isBounded else { return nil }
        return end.isLimited ? .end : start.isLimited ? .start : nil
    }
}
