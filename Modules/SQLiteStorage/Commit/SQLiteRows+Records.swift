import CausewayModels
import CausewayStorage
import GRDB

/// Records other than messages.
extension SQLiteRows {
    func record(_ kind: RecordKind, _ id: String) throws -> StoredRecord? {
        try db.storedRecord(kind, id, counters.account)
    }

    func records(_ query: RecordListQuery) throws -> [StoredRecord] {
        try db.storedRecords(query, limit: query.limit, counters.account)
    }

    /// Writes only the entries that differ.
    mutating func setRecord(_ record: StoredRecord?, over old: StoredRecord?) throws {
        let (former, next) = (Set(old?.entries ?? []), Set(record?.entries ?? []))
        if let old {
            for entry in former.subtracting(next) { try write(RecordStatements.removeEntry, entry, of: old) }
        }
        guard let record else {
            guard let old else { return }
            return try db.execute(RecordStatements.remove) { row in
                row.bind(counters.account.id)
                row.bind(old.kind.value)
                row.bind(old.id)
            }
        }
        let entries = try RecordRow.encode(record.entries)
        try db.execute(RecordStatements.put) { row in
            row.bind(counters.account.id)
            row.bind(record.kind.value)
            row.bind(record.id)
            row.bind(record.version)
            row.bind(text: record.value)
            row.bind(entries)
        }
        for entry in next.subtracting(former) { try write(RecordStatements.putEntry, entry, of: record) }
    }

    private func write(_ statement: String, _ entry: ListEntry, of record: StoredRecord) throws {
        try db.execute(statement) { row in
            row.bind(counters.account.id)
            row.bind(record.kind.value)
            row.bind(entry.name)
            row.bind(entry.scope)
            row.bind(blob: entry.key.bytes)
            row.bind(record.id)
        }
    }

    mutating func resetRecordVersions() throws {
        try db.execute(RecordStatements.resetVersions) { row in row.bind(counters.account.id) }
    }
}
