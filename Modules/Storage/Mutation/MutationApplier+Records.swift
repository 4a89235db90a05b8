import CausewayModels

/// Records other than messages.
extension MutationApplier {
    /// See ``RecordMerge``. Cost: linear in the records of the merge, and in those that are stored in its range.
    mutating func merge(_ merge: RecordMerge) throws(Rows.Failure) {
        if let coverage = merge.coverage {
            let listed = Set(merge.records.map(\.id)).union(merge.retained)
            try removeRecords(in: coverage, except: listed)
        }
        for record in merge.records {
            let old = try rows.record(record.kind, record.id)
            guard old.map({ $0.version < record.version }) ?? true else { continue }
            if record.kind == DeletedMessage.kind { try keep(record) } else { try set(record, over: old) }
        }
    }

    mutating func removeRecord(_ kind: RecordKind, _ id: String) throws(Rows.Failure) {
        if let old = try rows.record(kind, id) { try set(nil, over: old) }
    }

    mutating func set(_ record: StoredRecord?, over old: StoredRecord?) throws(Rows.Failure) {
        try rows.setRecord(record, over: old)
        changes.add(record: old, record)
    }

    /// Removes the records of a range that the server does not list. A step reads beyond the records that it keeps.
    private mutating func removeRecords(in range: ListRange, except listed: Set<String>) throws(Rows.Failure) {
        var query = RecordListQuery(
            list: range.list, direction: range.direction, after: range.after, limit: Self.recordsPerStep)
        while true {
            let found = try rows.records(query)
            for record in found where !listed.contains(record.id) {
                guard let cursor = record.cursor(in: range.list), range.contains(cursor) else { continue }
                try set(nil, over: record)
            }
            guard found.count == query.limit, let last = found.last?.cursor(in: range.list), !range.isPast(last) else {
                return
            }
            query.after = last
        }
    }

    /// Records that are read at once.
    private static var recordsPerStep: Int { 128 }
}
