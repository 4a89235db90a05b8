import CausewayModels
import CausewayStorage

/// The expected records of one account, in the simplest form: an array, filtered and sorted for every question.
struct RecordModel {
    private(set) var records: [StoredRecord] = []

    mutating func commit(_ mutations: [Mutation]) {
        for mutation in mutations { apply(mutation) }
    }

    private mutating func apply(_ mutation: Mutation) {
        switch mutation {
        case .removeRecord(let kind, let id): records.removeAll { $0.kind == kind && $0.id == id }
        case .mergeRecords(let merge):
            if let range = merge.coverage {
                records.removeAll { record in
                    record.kind == range.list.kind && Self.isInside(range, record)
                        && !merge.records.contains { $0.id == record.id } && !merge.retained.contains(record.id)
                }
            }
            for record in merge.records {
                if records.contains(where: { Self.isSame($0, record) && $0.version >= record.version }) { continue }
                records.removeAll { Self.isSame($0, record) }
                records.append(record)
            }
        case .eraseAccount: records = []
        case .followHistory:
            for index in records.indices { records[index].version = 0 }
        default: break
        }
    }

    private static func isSame(_ left: StoredRecord, _ right: StoredRecord) -> Bool {
        left.kind == right.kind && left.id == right.id
    }

    /// The numbers by which records are ordered: the bytes of the key, a separator below all of them, and the id.
    private static func order(_ cursor: ListCursor) -> [Int] {
        cursor.key.bytes.map { Int($0) } + [-1] + cursor.id.utf8.map { Int($0) }
    }

    private static func place(of record: StoredRecord, in list: RecordList) -> [Int]? {
        record.entries.first { $0.name == list.name && $0.scope == list.scope }
            .map { order(ListCursor(key: $0.key, id: record.id)) }
    }

    private static func isInside(_ range: ListRange, _ record: StoredRecord) -> Bool {
        guard let place = place(of: record, in: range.list) else { return false }
        let isReversed = range.direction == .descending
        let (low, high) = isReversed ? (range.through, range.after) : (range.after, range.through)
        if let low = low.map(order), place.lexicographicallyPrecedes(low) || (!isReversed && place == low) {
            return false
        }
        if let high = high.map(order), high.lexicographicallyPrecedes(place) || (isReversed && place == high) {
            return false
        }
        return true
    }

    /// The records of a list, by ascending key.
    func records(in list: RecordList) -> [StoredRecord] {
        records.filter { $0.kind == list.kind }.compactMap { record in
            Self.place(of: record, in: list).map { (place: $0, record: record) }
        }.sorted { $0.place.lexicographicallyPrecedes($1.place) }.map(\.record)
    }

    /// Compares every list and every record with the store's.
    func check(_ store: any Store, lists: [RecordList], ids: [String], pageLimit: Int) async throws {
        for list in lists {
            let expected = records(in: list)
            let up = RecordListQuery(list: list, limit: pageLimit)
            let down = RecordListQuery(list: list, direction: .descending, limit: pageLimit)
            try requireEqual(try await store.allRecords(up), expected, "\(list) ascending by \(pageLimit)")
            try requireEqual(try await store.allRecords(down), expected.reversed(), "\(list) descending")
        }
        for kind in Set(lists.map(\.kind)) {
            for id in ids {
                let expected = records.first { $0.kind == kind && $0.id == id }
                try requireEqual(try await store.record(kind, id), expected, "\(kind) \(id)")
            }
        }
    }
}

extension Store {
    /// All records of a query, page by page.
    func allRecords(_ query: RecordListQuery) async throws -> [StoredRecord] {
        var query = query
        var found: [StoredRecord] = []
        while true {
            let page = try await records(query)
            try require(page.records.count <= query.limit, "a page of \(page.records.count) for \(query)")
            found += page.records
            guard let next = page.next else {
                try requireEqual(page.following, nil, "the record after the last page")
                return found
            }
            try requireEqual(next, page.records.last?.cursor(in: query.list), "the start of the next page")
            try require(found.count < 10_000, "pages without an end")
            let following = page.following
            query.after = next
            if let following {
                try requireEqual(try await records(query).records.first, following, "the first one of the next page")
            }
        }
    }
}
