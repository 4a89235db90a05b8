import CausewayModels
import CausewayStorage
import GRDB

/// Reading records other than messages.
extension Database {
    func storedRecord(_ kind: RecordKind, _ id: String, _ account: AccountRow) throws -> StoredRecord? {
        var found: StoredRecord?
        try run(RecordStatements.byID) { statement in
            statement.bind(account.id)
            statement.bind(kind.value)
            statement.bind(id)
        } forEachRow: { row in
            found = RecordRow.record(row, kind: kind)
            return false
        }
        return found
    }

    /// The first `limit` records of the query's page.
    func storedRecords(_ query: RecordListQuery, limit: Int, _ account: AccountRow) throws -> [StoredRecord] {
        var found: [StoredRecord] = []
        try run(RecordStatements.page(query)) { statement in
            statement.bind(account.id)
            statement.bind(query.list.kind.value)
            statement.bind(query.list.name)
            statement.bind(query.list.scope)
            if let after = query.after {
                statement.bind(blob: after.key.bytes)
                statement.bind(after.id)
            }
            statement.bind(limit)
        } forEachRow: { row in
            let key = ListKey(bytes: Array(row.data(RecordRow.entryKey)))
            let entry = ListEntry(query.list.name, scope: query.list.scope, key: key)
            found.append(RecordRow.record(row, kind: query.list.kind, in: entry))
            return true
        }
        return found
    }
}

/// The statements on the tables of records. The first argument of each is the account.
enum RecordStatements {
    static let byID = """
        SELECT \(RecordRow.columns) FROM record INDEXED BY record_id WHERE account = ? AND kind = ? AND record = ?
        """

    static func page(_ query: RecordListQuery) -> String {
        let (order, beyond) = query.direction == .ascending ? ("ASC", ">") : ("DESC", "<")
        let after = query.after == nil ? "" : "AND (entry.key, entry.record) \(beyond) (?, ?) "
        return """
            SELECT \(RecordRow.columns), entry.key FROM record_entry AS entry CROSS JOIN record INDEXED BY record_id \
            ON record.account = entry.account AND record.kind = entry.kind AND record.record = entry.record \
            WHERE entry.account = ? AND entry.kind = ? AND entry.name = ? AND entry.scope = ? \(after)\
            ORDER BY entry.key \(order), entry.record \(order) LIMIT ?
            """
    }

    static let put = """
        INSERT INTO record (account, kind, record, version, value, entries) VALUES (?, ?, ?, ?, ?, ?) \
        ON CONFLICT (account, kind, record) DO UPDATE SET version = excluded.version, value = excluded.value, \
        entries = excluded.entries
        """
    static let remove = "DELETE FROM record INDEXED BY record_id WHERE account = ? AND kind = ? AND record = ?"
    static let putEntry = """
        INSERT INTO record_entry (account, kind, name, scope, key, record) VALUES (?, ?, ?, ?, ?, ?) \
        ON CONFLICT DO NOTHING
        """
    static let removeEntry = """
        DELETE FROM record_entry WHERE account = ? AND kind = ? AND name = ? AND scope = ? AND key = ? AND record = ?
        """
    static let resetVersions = "UPDATE record INDEXED BY record_id SET version = 0 WHERE account = ?"
}
