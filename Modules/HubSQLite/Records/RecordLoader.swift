internal import CausewayHubRules
internal import CausewayModels
internal import GRDB

/// Loads the records that a decision needs.
struct RecordLoader {
    private let db: Database
    private(set) var state: RecordState
    /// The row numbers of the loaded records.
    private(set) var numbers: [RecordKey: Int64] = [:]

    init(_ keys: RecordKeys, floor: Int64, in db: Database) throws {
        self.db = db
        state = RecordState(floor: floor)
        if !keys.records.isEmpty { try loadRows(keys.records) }
        for list in keys.counted { try count(list) }
        if !keys.users.isEmpty { try loadUsers(Array(keys.users)) }
    }

    private static let rows = KeyedQuery(
        "SELECT id, number, version, value, deleted, json_valid(value) FROM record WHERE kind = ? AND id IN")

    private mutating func loadRows(_ keys: Set<RecordKey>) throws {
        for (kind, keys) in Dictionary(grouping: keys, by: \.kind) {
            try Self.rows.forEach(of: keys, in: db) {
                $0.bind(kind.value)
            } bind: {
                $0.bind($1.id)
            } _: { row in
                guard let id = row.text(0) else { return }
                let key = RecordKey(kind: kind, id: id)
                numbers[key] = row.number(1)
                state.rows[key] = RecordRow(
                    key: key, version: row.number(2), value: row.flag(5) ? row.text(3) : nil, isDeleted: row.flag(4))
            }
        }
    }

    private mutating func count(_ list: RecordList) throws {
        var row = try SQLStatement(
            """
            SELECT count(*) FROM (
                SELECT 1 FROM record_list WHERE kind = ? AND name = ? AND scope = ? LIMIT ?)
            """, db)
        row.bind(list.kind.value)
        row.bind(list.name)
        row.bind(list.scope)
        row.bind(RecordState.countMax)
        state.counts[list] = try row.step() ? Int(row.number(0)) : 0
    }

    private static let users = KeyedQuery("SELECT name FROM account WHERE name IN")

    private mutating func loadUsers(_ users: [UserID]) throws {
        try Self.users.forEach(of: users, in: db) {
            $0.bind($1.value)
        } _: { row in
            if let user = row.text(0).flatMap(UserID.init) { state.users.insert(user) }
        }
    }
}
