/// The records that changed between two states of a window, with the old and the new key of each.
///
/// Two consecutive sets merge into one: the changes that a reader has not seen are always a single change from the
/// state that it saw to the current one, never a queue. Bounded: beyond a limit it only records that much has changed.
struct ChangedRows<ID: Hashable & Sendable, Key: Comparable & Sendable>: Sendable {
    /// The keys of one record: `nil` where it is not in the window.
    struct Places: Sendable {
        var old: Key?
        var new: Key?
    }

    private(set) var places: [ID: Places] = [:]
    /// True if more changed than is listed.
    private(set) var isOverfull = false

    var isEmpty: Bool { places.isEmpty && !isOverfull }

    /// Records that a record moved, changed, was added or removed.
    mutating func note(_ id: ID, from old: Key?, to new: Key?) {
        if isOverfull { return }
        if let first = places[id] {
            // A record that was added and removed again never existed for a reader that has not looked in between.
            places[id] = first.old == nil && new == nil ? nil : Places(old: first.old, new: new)
        } else if old != nil || new != nil {
            places[id] = Places(old: old, new: new)
        }
    }

    /// Appends later changes.
    mutating func append(_ later: ChangedRows, limit: Int) {
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
        from old: OrderStatisticTree<Key, Record>, to new: OrderStatisticTree<Key, Record>
    ) -> ChangedRows where Record: Identifiable & Equatable, Record.ID == ID {
        var touched = ChangedRows()
        var before: [ID: OrderStatisticTree<Key, Record>.Row] = [:]
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
