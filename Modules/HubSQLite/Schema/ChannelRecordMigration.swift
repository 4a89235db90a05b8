internal import CausewayModels
internal import GRDB

/// Migration 9: every channel becomes a record, and every account that ever wrote to it a member.
///
/// Its creator becomes the owner; a channel of the operator, or of a version that recorded no creators, has none until
/// the operator names one. All channels are public, as they were: accounts that only read can join. The forms of the
/// fields, lists and keys are those of this migration for ever, whatever later versions write.
enum ChannelRecordMigration {
    static func run(_ db: Database) throws {
        try db.execute(sql: tables)
        // Above everything that a lost history can have assigned.
        let version = 1 + (try Int64.fetchOne(db, sql: "SELECT max(floor) FROM history") ?? 0)
        for channel in try Row.fetchAll(db, sql: channels) {
            try insert(
                Record(kind: "channel", id: channel["name"], value: channel["value"], entries: lists(of: channel)),
                version: version, db)
        }
        for member in try Row.fetchAll(db, sql: members) {
            let id: String = member["id"]
            let parts = id.split(separator: "/").map(String.init)
            let key = key(member["joined_at"])
            try insert(
                Record(
                    kind: "channelMember", id: id, value: member["value"],
                    entries: [
                        ("byChannel", parts[0], key), ("byUser", parts[1], key),
                        ("byRole", "\(parts[0])/\(member["role"] as String)", key),
                    ]), version: version, db)
        }
        try db.execute(sql: rest)
    }

    private struct Record {
        var kind: String
        var id: String
        var value: String
        var entries: [(name: String, scope: String, key: [UInt8])]
    }

    private static func lists(of channel: Row) -> [(name: String, scope: String, key: [UInt8])] {
        let name: String = channel["name"]
        var entries = [("all", "", Array(name.utf8)), ("public", "", Array(name.utf8))]
        if let creator: String = channel["creator"] {
            entries.append(("byCreator", creator, key(channel["created_at"])))
        }
        return entries
    }

    /// A time as a key: big-endian, with the sign such that negative ones come first.
    private static func key(_ milliseconds: Int64) -> [UInt8] {
        let ordered = UInt64(bitPattern: milliseconds) ^ (1 << 63)
        return (0..<8).map { UInt8(truncatingIfNeeded: ordered >> (56 - 8 * $0)) }
    }

    private static func insert(_ record: Record, version: Int64, _ db: Database) throws {
        var row = try SQLStatement("INSERT INTO record (kind, id, version, value) VALUES (?, ?, ?, ?)", db)
        row.bind(record.kind)
        row.bind(record.id)
        row.bind(version)
        row.bind(record.value)
        try row.run()
        let number = db.lastInsertedRowID
        for entry in record.entries {
            var list = try SQLStatement(
                "INSERT INTO record_list (kind, name, scope, key, id, record) VALUES (?, ?, ?, ?, ?, ?)", db)
            list.bind(record.kind)
            list.bind(entry.name)
            list.bind(entry.scope)
            list.bind(entry.key)
            list.bind(record.id)
            list.bind(number)
            try list.run()
        }
    }

    private static let tables = """
        CREATE TABLE record (
            number INTEGER PRIMARY KEY,
            kind TEXT NOT NULL,
            id TEXT NOT NULL,
            version INTEGER NOT NULL,
            value TEXT NOT NULL,
            deleted INTEGER NOT NULL DEFAULT 0,
            UNIQUE (kind, id)
        );
        CREATE TABLE record_list (
            kind TEXT NOT NULL,
            name TEXT NOT NULL,
            scope TEXT NOT NULL,
            key BLOB NOT NULL,
            id TEXT NOT NULL,
            record INTEGER NOT NULL REFERENCES record (number),
            PRIMARY KEY (kind, name, scope, key, id)
        ) WITHOUT ROWID;
        CREATE INDEX record_list_record ON record_list (record);
        CREATE TABLE record_write (
            number INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE,
            sender INTEGER NOT NULL REFERENCES account (number),
            version INTEGER NOT NULL,
            accepted_at INTEGER NOT NULL
        );
        CREATE TEMP TABLE former_member AS
            SELECT channel, account, min(joined_at) AS joined_at, max(is_creator) AS is_creator FROM (
                SELECT channel, sender AS account, min(accepted_at) AS joined_at, 0 AS is_creator
                FROM message GROUP BY channel, sender
                UNION ALL
                SELECT number, creator, created_at, 1 FROM channel WHERE creator IS NOT NULL)
            GROUP BY channel, account;
        """

    private static let channels = """
        SELECT channel.name, account.name AS creator, channel.created_at,
            json_object(
                'createdAt', channel.created_at, 'id', channel.name,
                'lastActivityAt', coalesce(messages.newest, channel.created_at),
                'lastPosition', coalesce(messages.position, 0), 'memberCount', coalesce(members.count, 0),
                'messageCount', coalesce(messages.count, 0), 'metadata', json('{}'), 'isPublic', json('true'),
                'name', channel.name, 'createdBy', account.name) AS value
        FROM channel
        LEFT JOIN account ON account.number = channel.creator
        LEFT JOIN (
            SELECT channel, max(position) AS position, max(accepted_at) AS newest,
                sum(deleted_at IS NULL) AS count
            FROM message GROUP BY channel) AS messages ON messages.channel = channel.number
        LEFT JOIN (
            SELECT channel, count(*) AS count FROM former_member GROUP BY channel) AS members
            ON members.channel = channel.number
        """

    private static let members = """
        SELECT channel.name || '/' || account.name AS id, former_member.joined_at,
            iif(is_creator, 'owner', 'member') AS role,
            json_object(
                'channel', channel.name, 'joinedAt', former_member.joined_at,
                'role', iif(is_creator, 'owner', 'member'), 'user', account.name) AS value
        FROM former_member
        JOIN channel ON channel.number = former_member.channel
        JOIN account ON account.number = former_member.account
        """

    private static let rest = """
        DROP TABLE former_member;
        CREATE TABLE new_channel (
            number INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            last_position INTEGER NOT NULL
        );
        INSERT INTO new_channel SELECT number, name, last_position FROM channel
            WHERE EXISTS (SELECT 1 FROM message WHERE channel = channel.number);
        DROP TABLE channel;
        ALTER TABLE new_channel RENAME TO channel;
        """
}
