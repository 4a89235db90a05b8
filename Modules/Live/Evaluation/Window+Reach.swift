/// How far the server has told everything, and what the window makes of it.
extension Window {
    typealias Reach = LiveReach<Key>

    /// Lets in nothing beyond `reach`; `nil` lets in whatever is stored.
    func confine(to reach: Reach?) {
        self.reach = reach ?? Reach()
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
        // There may be more now, or what lay next is not to be shown.
        return .bounded(at: at, beyond: nil)
    }

    private func cut(to limit: Key, _ side: Side) {
        while let row = side == .start ? rows.first : rows.last, isPast(row.key, side) { remove(row.record.id) }
    }

    func limit(_ side: Side) -> Key? { side == .start ? reach.start : reach.end }

    /// True for a key beyond what the server has told.
    func isPast(_ key: Key, _ side: Side) -> Bool { isPast(key, side, of: reach) }

    private func isPast(_ key: Key, _ side: Side, of reach: Reach) -> Bool {
        switch side {
        case .start: reach.start.map { rows.isBefore(key, $0) } ?? false
        case .end: reach.end.map { rows.isBefore($0, key) } ?? false
        }
    }

    /// The edge of a window that has all that the server has told.
    func outermost(_ side: Side) -> WindowEdge<Key> { limit(side).map { .limited(at: $0) } ?? .open }

    /// A side at which what is shown reaches beyond `reach`.
    func sideOutside(_ reach: Reach) -> Side? {
        if let first = rows.first, isPast(first.key, .start, of: reach) { return .start }
        if let last = rows.last, isPast(last.key, .end, of: reach) { return .end }
        return nil
    }

    /// The side at which the server must be asked for more: what the store may show is less than what was asked for.
    var sideForServer: Side? {
        if isStale { return nil }
        if demand.end > 0, end.isLimited { return .end }
        if demand.start > 0, start.isLimited { return .start }
        guard missing > 0, !end.isBounded, !start.isBounded else { return nil }
        return end.isLimited ? .end : start.isLimited ? .start : nil
    }
}
