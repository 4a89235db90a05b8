import CausewayModels
import CausewayStorage

/// The index of an account's records other than messages: versions and places in lists; the fields are read from the
/// journal.
struct RecordIndex {
    struct Identity: Hashable, Sendable {
        var kind: RecordKind
        var id: String
    }

    struct Entry: Sendable, Equatable {
        var version: Int64
        var entries: [ListEntry]
        var location: RecordLocation
    }

    private(set) var stored: [Identity: Entry] = [:]
    private var lists: [RecordList: SortedKeys<ListCursor>] = [:]

    subscript(identity: Identity) -> Entry? { stored[identity] }

    /// The ids of the first `limit` records of the query's page.
    func ids(_ query: RecordListQuery, limit: Int) -> [String] {
        guard let keys = lists[query.list] else { return [] }
        return switch query.direction {
        case .ascending: keys.ascending(after: query.after, limit: limit).map(\.id)
        case .descending: keys.descending(before: query.after, limit: limit).map(\.id)
        }
    }

    /// Replaces the entry of a record.
    ///
    /// - Returns: the former one.
    mutating func set(_ entry: Entry?, for identity: Identity) -> Entry? {
        let old = stored.removeValue(forKey: identity)
        if let old, old.entries == entry?.entries {
            stored[identity] = entry
            return old
        }
        for (list, cursor) in old?.places(identity) ?? [] {
            lists[list]?.remove(cursor)
            if lists[list]?.isEmpty == true { lists[list] = nil }
        }
        if let entry {
            stored[identity] = entry
            for (list, cursor) in entry.places(identity) { lists[list, default: SortedKeys()].insert(cursor) }
        }
        return old
    }
}

extension RecordIndex.Entry {
    /// The lists to which the record belongs, with its position in each.
    fileprivate func places(_ identity: RecordIndex.Identity) -> [(RecordList, ListCursor)] {
        entries.map { entry in
            (
                RecordList(kind: identity.kind, name: entry.name, scope: entry.scope),
                ListCursor(key: entry.key, id: identity.id)
            )
        }
    }
}

/// The index of an account's past deletions.
struct DeletionIndex {
    struct Entry: Sendable, Equatable {
        var message: MessageID
        var location: RecordLocation
    }

    private(set) var stored: [Int64: Entry] = [:]
    private(set) var order = SortedKeys<Int64>()
    /// The number of recorded deletions for each message.
    private var counts: [MessageID: Int] = [:]

    func contains(_ id: MessageID) -> Bool { counts[id] != nil }

    /// Replaces the entry of a deletion.
    ///
    /// - Returns: the former one.
    mutating func set(_ entry: Entry?, for sequence: Int64) -> Entry? {
        let old = stored.removeValue(forKey: sequence)
        if let old {
            order.remove(sequence)
            let count = counts[old.message, default: 1] - 1
            counts[old.message] = count == 0 ? nil : count
        }
        if let entry {
            stored[sequence] = entry
            order.insert(sequence)
            counts[entry.message, default: 0] += 1
        }
        return old
    }
}
