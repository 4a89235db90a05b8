/// Which records changed between two states of a window, and where each of them was and is.
///
/// Two of these in a row make one: what a reader has not looked at is one change from what it saw to what is now, never
/// a queue. Bounded: past a limit it only says that much has changed.
struct TouchedRows<ID: Hashable & Sendable, Key: Comparable & Sendable>: Sendable {
    /// The places of one record: `nil` where it is not in the window.
    struct Places: Sendable {
        var old: Key?
        var new: Key?
    }

    private(set) var places: [ID: Places] = [:]
    /// True when more changed than is listed.
    private(set) var isOverfull = false

    var isEmpty: Bool { places.isEmpty && !isOverfull }

    /// Notes that a record moved, changed, came or went.
    mutating func note(_ id: ID, from old: Key?, to new: Key?) {
        if isOverfull { return }
        if let first = places[id] {
            // What came and went again was never there for those who look only now.
            places[id] = first.old == nil && new == nil ? nil : Places(old: first.old, new: new)
        } else if old != nil || new != nil {
            places[id] = Places(old: old, new: new)
        }
    }

    /// Goes on with what changed afterwards.
    mutating func append(_ later: TouchedRows, limit: Int) {
        if later.isOverfull || isOverfull { return overflow() }
        if places.isEmpty {
            places = later.places
        } else {
            for (id, moved) in later.places { note(id, from: moved.old, to: moved.new) }
        }
        if places.count > limit { overflow() }
    }

    mutating func overflow() {
        places = [:]
        isOverfull = true
    }

    /// Everything that differs between two states, found by identity. Cost: linear in both.
    static func all<Record>(
        from old: RankedRows<Key, Record>, to new: RankedRows<Key, Record>
    ) -> TouchedRows where Record: Identifiable & Equatable, Record.ID == ID {
        var touched = TouchedRows()
        var before: [ID: RankedRows<Key, Record>.Row] = [:]
        for row in old.rows { before[row.record.id] = row }
        for row in new.rows {
            let was = before.removeValue(forKey: row.record.id)
            if was === row { continue }
            if let was, was.key == row.key, was.record == row.record { continue }
            touched.places[row.record.id] = Places(old: was?.key, new: row.key)
        }
        for (id, row) in before { touched.places[id] = Places(old: row.key, new: nil) }
        return touched
    }
}
