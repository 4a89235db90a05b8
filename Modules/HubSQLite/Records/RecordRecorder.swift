internal import CausewayHubRules
internal import CausewayModels
internal import GRDB

/// Stores changed records, and their entries in lists where they differ.
struct RecordRecorder {
    private let db: Database
    private let numbers: [RecordKey: Int64]

    /// - Parameter numbers: the row numbers of the records that the changes were decided on.
    init(_ numbers: [RecordKey: Int64], in db: Database) {
        self.db = db
        self.numbers = numbers
    }

    func store(_ changes: [RecordKey: RecordChange], _ log: inout LogRecorder) throws {
        for (key, change) in changes {
            let number = try store(change.row, as: numbers[key])
            if let entries = change.entries { try store(entries, of: key, number) }
            for topic in change.topics {
                log.append(
                    topic,
                    .init(isRecord: true, subject: number, version: change.row.version, isNew: change.isNew))
            }
        }
    }

    private func store(_ row: RecordRow, as number: Int64?) throws -> Int64 {
        guard let number else {
            var insertion = try SQLStatement(
                "INSERT INTO record (kind, id, version, value, deleted) VALUES (?, ?, ?, ?, ?)", db)
            insertion.bind(row.key.kind.value)
            insertion.bind(row.key.id)
            insertion.bind(row.version)
            insertion.bind(row.value)
            insertion.bind(row.isDeleted)
            try insertion.run()
            return db.lastInsertedRowID
        }
        var update = try SQLStatement("UPDATE record SET version = ?, value = ?, deleted = ? WHERE number = ?", db)
        update.bind(row.version)
        update.bind(row.value)
        update.bind(row.isDeleted)
        update.bind(number)
        try update.run()
        return number
    }

    private func store(_ entries: [ListEntry], of key: RecordKey, _ number: Int64) throws {
        var removal = try SQLStatement("DELETE FROM record_list WHERE record = ?", db)
        removal.bind(number)
        try removal.run()
        var insertion = try SQLStatement(
            "INSERT INTO record_list (kind, name, scope, key, id, record) VALUES (?, ?, ?, ?, ?, ?)", db)
        for entry in entries {
            insertion.bind(key.kind.value)
            insertion.bind(entry.name)
            insertion.bind(entry.scope)
            insertion.bind(entry.key.bytes)
            insertion.bind(key.id)
            insertion.bind(number)
            try insertion.run()
        }
    }
}
