import CausewayModels

/// The records of one account in a ``MemoryStore``, with their lists.
struct MemoryRecords: Sendable {
    private struct Identity: Hashable, Sendable {
        var kind: RecordKind
        var id: String
    }

    private var stored: [Identity: StoredRecord] = [:]
    private var lists: [RecordList: SortedKeys<ListCursor>] = [:]

    func record(_ kind: RecordKind, _ id: String) -> StoredRecord? { stored[Identity(kind: kind, id: id)] }

    /// The first `limit` records of the query's page.
    func records(_ query: RecordListQuery, limit: Int) -> [StoredRecord] {
        guard let keys = lists[query.list] else { return [] }
        let found =
            switch query.direction {
            case .ascending: keys.ascending(after: query.after, limit: limit)
            case .descending: keys.descending(before: query.after, limit: limit)
            }
        return found.compactMap { record(query.list.kind, $0.id) }
    }

    mutating func set(_ record: StoredRecord?, over old: StoredRecord?) {
        if let old {
            stored[Identity(kind: old.kind, id: old.id)] = nil
            for (list, cursor) in old.places {
                lists[list]?.remove(cursor)
                if lists[list]?.isEmpty == true { lists[list] = nil }
            }
        }
        guard let record else { return }
        stored[Identity(kind: record.kind, id: record.id)] = record
        for (list, cursor) in record.places { lists[list, default: SortedKeys()].insert(cursor) }
    }

    mutating func resetVersions() {
        for identity in Array(stored.keys) { stored[identity]?.version = 0 }
    }
}

extension StoredRecord {
    /// The lists to which the record belongs, with its position in each.
    fileprivate var places: [(RecordList, ListCursor)] {
        entries.map { entry in
            (RecordList(kind: kind, name: entry.name, scope: entry.scope), ListCursor(key: entry.key, id: id))
        }
    }
}
