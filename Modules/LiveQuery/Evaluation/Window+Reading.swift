import CausewayModels
import CausewayStorage

extension Window {
    /// The read that the window requires from the store.
    enum Reading: Sendable, Equatable {
        /// The first page, at the query's anchor.
        case anew
        /// The displayed records, once more.
        case again
        /// `count` rows beyond an edge, and whether there is one after them.
        case more(Side, count: Int)
    }

    typealias Side = WindowSide

    /// Records in the order in which they were read, without the last of them, which only determines the next key.
    struct Fetched: Sendable {
        var reading: Reading
        var records: [Record]
        var next: Key?
        /// The direction in which they were read: towards the end of the displayed window or towards its start.
        var side: Side
        /// True if they come from more than one state of the store: a record may occur twice.
        var isOfManyStates = false
    }

    /// The next read; `nil` if the window is complete.
    var need: Reading? {
        if isStale { return isReopening ? .anew : .again }
        if demand.end > 0, end.isBounded { return .more(.end, count: demand.end) }
        if demand.start > 0, start.isBounded { return .more(.start, count: demand.start) }
        if missing > 0 {
            if end.isBounded { return .more(.end, count: missing) }
            if start.isBounded { return .more(.start, count: missing) }
        }
        if end.isUnknown { return .more(.end, count: 0) }
        if start.isUnknown { return .more(.start, count: 0) }
        return nil
    }

    /// The number of missing rows, without the pages that are still to be read.
    var missing: Int { target - rows.count - demand.start - demand.end }

    // MARK: Asking

    /// Performs the read of ``need``; changes nothing.
    func fetch(_ reading: Reading, from store: any Store) async throws(StoreError) -> Fetched {
        switch reading {
        case .anew:
            let count = target - demand.start - demand.end
            switch query.anchor {
            case .first:
                return try await fetch(reading, .end, from: loadedRange.start.map { .at($0) }, count: count, store)
            case .last:
                return try await fetch(reading, .start, from: loadedRange.end.map { .at($0) }, count: count, store)
            case .at(let key): return try await fetch(reading, .end, from: .at(withinReach(key)), count: count, store)
            }
        case .again:
            // Requested pages are read next.
            let count = max(1, rows.count, target - demand.start - demand.end)
            // Starting at the side of the anchor: there it neither drops displayed records nor misses new ones.
            if query.anchor == .last {
                return try await fetch(reading, .start, from: end.key.map { .at($0) }, count: count, store)
            }
            return try await fetch(reading, .end, from: start.key.map { .at($0) }, count: count, store)
        case .more(let side, let count):
            guard case .bounded(let at, _) = side == .end ? end : start else {
                return Fetched(reading: reading, records: [], next: nil, side: side)
            }
            return try await fetch(reading, side, from: .beyond(at), count: count, store)
        }
    }

    private func fetch(
        _ reading: Reading, _ side: Side, from bound: LiveBound<Key>?, count: Int, _ store: any Store
    ) async throws(StoreError) -> Fetched {
        let direction = side == .end ? query.direction : query.direction.opposite
        var records: [Record] = []
        var bound = bound
        // The record after the last one determines whether there is another page: often the store's page contains it
        // already.
        var following: Record?
        var pages = 0
        while records.count <= count {
            let limit = min(max(1, count - records.count), bounds.readingMax)
            let page = try await query.page(in: store, from: bound, direction: direction, limit: limit)
            if records.isEmpty { records = page.records } else { records += page.records }
            pages += 1
            following = page.hasMore ? page.following : nil
            guard page.hasMore, let last = page.records.last else { break }
            if records.count == count, following != nil { break }
            bound = .beyond(query.key(of: last))
        }
        if let last = records.last, isPast(query.key(of: last), side) {
            let end = records.firstIndex { isPast(query.key(of: $0), side) }
            records.removeSubrange((end ?? records.endIndex)...)
            following = nil
        }
        var next: Key?
        if records.count > count {
            next = query.key(of: records[count])
            records.removeSubrange(count...)
        } else if records.count == count, let key = following.map(query.key), !isPast(key, side) {
            next = key
        }
        return Fetched(reading: reading, records: records, next: next, side: side, isOfManyStates: pages > 1)
    }

    // MARK: Taking over

    /// Adopts the records that were read. Commits that the feed reported since the last applied change must be applied
    /// next.
    func integrate(_ fetched: Fetched) {
        switch fetched.reading {
        case .anew:
            replace(with: fetched)
            let edge = edge(after: fetched, from: nil)
            switch query.anchor {
            case .first: (start, end) = (outermost(.start), edge)
            case .last: (start, end) = (edge, outermost(.end))
            case .at(let key): (start, end) = (.bounded(at: withinReach(key), beyond: nil), edge)
            }
            settled()
        case .again:
            replace(with: fetched)
            let edge = edge(after: fetched, from: nil)
            // The rows beyond the edge at which the read began may have changed, too.
            if fetched.side == .start {
                if case .bounded(let at, _) = end { end = .bounded(at: at, beyond: nil) }
                start = edge
            } else {
                if case .bounded(let at, _) = start { start = .bounded(at: at, beyond: nil) }
                end = edge
            }
            settled()
        case .more(let side, let count):
            for record in fetched.records { put(record.id, query.key(of: record), record) }
            switch side {
            case .end: end = edge(after: fetched, from: end)
            case .start: start = edge(after: fetched, from: start)
            }
            meetDemand(side, asked: count, fetched.records.count)
        }
        // At an open edge all requested records are there.
        if start.isOpen { settleDemand(.start, left: 0) }
        if end.isOpen { settleDemand(.end, left: 0) }
    }

    private func replace(with fetched: Fetched) {
        let isOnce = !fetched.isOfManyStates || Set(fetched.records.map(\.id)).count == fetched.records.count
        if rows.isEmpty, isOnce {
            return fetched.side == .end ? fill(fetched.records) : fill(fetched.records.reversed() as ReversedCollection)
        }
        var gone = Set(keys.keys)
        // The state that was read last is valid.
        for record in fetched.records {
            gone.remove(record.id)
            put(record.id, query.key(of: record), record)
        }
        if gone.isEmpty { return }
        // In the order of the rows: that of a set differs from run to run.
        for row in rows.rows where gone.contains(row.record.id) { remove(row.record.id) }
    }

    /// The edge at which a read ended. If nothing was read it is unchanged.
    private func edge(after fetched: Fetched, from old: WindowEdge<Key>?) -> WindowEdge<Key> {
        guard let next = fetched.next else { return outermost(fetched.side) }
        if let last = fetched.records.last { return .bounded(at: query.key(of: last), beyond: next) }
        if case .bounded(let at, _)? = old { return .bounded(at: at, beyond: next) }
        preconditionFailure("a first page that ends before its first record")
    }

    /// If a requested page came out short and the server has more, the server supplies the rest, not the other end.
    private func meetDemand(_ side: Side, asked count: Int, _ found: Int) {
        let asked = side == .end ? demand.end : demand.start
        guard asked > 0, count >= asked else { return }
        let isLimited = side == .end ? end.isLimited : start.isLimited
        settleDemand(side, left: isLimited ? max(0, asked - found) : 0)
    }

    private func settleDemand(_ side: Side, left: Int) {
        let old = side == .end ? demand.end : demand.start
        guard left < old else { return }
        if side == .end { demand.end = left } else { demand.start = left }
        target = max(pageSize, min(target, rows.count + demand.start + demand.end))
    }

    // MARK: Pages

    /// Requests another page at one end, if there is one.
    func grow(_ side: Side) {
        if isComplete(side) { return }
        if isStale, isReopening { return growWhileReopening(side) }
        target = max(target, rows.count) + pageSize
        if side == .end { demand.end += pageSize } else { demand.start += pageSize }
    }

    /// True if nothing can follow at this side, as far as is known.
    func isComplete(_ side: Side) -> Bool {
        if isStale, isReopening { return side == .start ? query.anchor == .first : query.anchor == .last }
        return side == .end ? end.isOpen : start.isOpen
    }

    /// The first page is still to be read: the records displayed until then are irrelevant.
    private func growWhileReopening(_ side: Side) {
        switch (query.anchor, side) {
        case (.first, .start), (.last, .end): return
        case (.first, .end), (.last, .start): break
        case (.at, .end): demand.end += pageSize
        case (.at, .start): demand.start += pageSize
        }
        target += pageSize
    }

    /// Returns to the first page.
    func reopen() {
        target = pageSize
        reopenInPlace()
    }

    /// Starts again at the anchor, with as many rows as before.
    func reopenInPlace() {
        demand = Demand()
        isReopening = true
        invalidate()
    }

    /// Rows that were requested beyond those that the window contained.
    struct Demand: Sendable {
        var start = 0
        var end = 0
    }
}
