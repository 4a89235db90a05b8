package import CausewayHubRules
package import CausewayHubStorage
package import CausewayModels
internal import GRDB

extension SQLiteHubStorage {
    package func records(_ keys: RecordKeys) async throws(HubStorageError) -> RecordState {
        try await read { [self] db in
            let state = try RecordLoader(keys, floor: Self.floor(db), in: db).state
            for row in state.rows.values where row.value == nil { damaged.note(row.key, logger) }
            return state
        }
    }

    package func changeRecords<Value: Sendable>(
        loading keys: RecordKeys, _ decide: @escaping @Sendable (RecordState) -> RecordDecision<Value>
    ) async throws(HubStorageError) -> Value {
        try await write { db in
            let loaded = try RecordLoader(keys, floor: Self.floor(db), in: db)
            let decision = decide(loaded.state)
            var log = LogRecorder(in: db)
            try RecordRecorder(loaded.numbers, in: db).store(decision.changes, &log)
            try log.store()
            return decision.value
        }
    }

    private static let listed = """
        SELECT entry.key, record.id, record.version, record.value, json_valid(record.value), entry.id
        FROM record_list AS entry CROSS JOIN record ON record.number = entry.record
        WHERE entry.kind = ? AND entry.name = ? AND entry.scope = ?
        """
    private static let ascending = listed + " ORDER BY entry.key, entry.id LIMIT ?"
    private static let descending = listed + " ORDER BY entry.key DESC, entry.id DESC LIMIT ?"
    private static let ascendingAfter =
        listed + " AND (entry.key, entry.id) > (?, ?) ORDER BY entry.key, entry.id LIMIT ?"
    private static let descendingAfter =
        listed + " AND (entry.key, entry.id) < (?, ?) ORDER BY entry.key DESC, entry.id DESC LIMIT ?"

    /// Reads the index of the list from one key on.
    package func records(
        in list: RecordList, _ range: RecordRange, limit: PageLimit
    ) async throws(HubStorageError) -> RecordPage {
        try await read { [self] db in
            let sql =
                switch (range.after == nil, range.isDescending) {
                case (true, false): Self.ascending
                case (true, true): Self.descending
                case (false, false): Self.ascendingAfter
                case (false, true): Self.descendingAfter
                }
            var row = try SQLStatement(sql, db)
            row.bind(list.kind.value)
            row.bind(list.name)
            row.bind(list.scope)
            if let after = range.after {
                row.bind(after.key.bytes)
                row.bind(after.id)
            }
            row.bind(limit.count + 1)
            var page = RecordPage(rows: [], next: nil)
            var bytes = 0
            var count = 0
            var last: ListCursor?
            while try row.step() {
                guard count < limit.count, bytes <= limit.contentBytes else {
                    page.next = last
                    break
                }
                count += 1
                last = ListCursor(key: ListKey(bytes: row.bytes(0)), id: row.text(5) ?? "")
                // Values are inserted into responses as they are stored: a damaged one would make all of it unreadable.
                // Without its fields the record is listed, so that no reader takes it for removed.
                guard let id = row.text(1) ?? row.text(5), !id.isEmpty else { continue }
                let found = RecordRow(
                    key: RecordKey(kind: list.kind, id: id), version: max(row.number(2), 1),
                    value: row.flag(4) ? row.text(3) : nil)
                if found.value == nil { damaged.note(found.key, logger) }
                bytes += found.bytes
                page.rows.append(found)
            }
            return page
        }
    }
}
