import CausewayModels
import CausewaySQLiteChecksums
import CausewayStorage
import GRDB

/// The layout of the database, and the identification of its files.
///
/// Rules of the layout:
/// - `message.ordinal` is the row id and comes from `store.next_sequence`, so it is never assigned twice; that column
///   runs ahead of the numbers in use.
/// - `sync_state` is a ``StateCode``; pending states are below `synced`, so that one comparison selects them.
/// - `position` of a message without a position on the server is the largest number: it sorts after all others.
/// - Partial indexes contain only the outbox: they cost nothing for delivered messages.
/// - `content` is the content sent to the server, with `extras` (edits and reactions that the server has confirmed, and
///   tags); `shown` is displayed instead while operations are pending, and `NULL` while none is.
/// - `queued_at` is `NULL` while it is equal to `created_at`; `history` is a list of `state:milliseconds`.
/// - `account` in a row is the account that it belongs to, and `store.account` the current one. It is the first column
///   of every index, so that a query for one account reads nothing of another. An account's `server` and `user` are
///   `NULL` before the first session. Ordinals and sequences are unique among all accounts, message ids within one.
/// - `operation` contains the operations that create no message, all of them undelivered: a delivered one is removed.
///   The creation of a message is part of the message's row. `operation.ordinal` comes from the same counter as that of
///   a message, and the columns that both tables have mean the same.
/// - `lane_sequence` is 0 while a message or an operation is parked. `message.role` and `operation.kind` are a
///   ``PayloadCode``.
/// - `upload` is not `NULL` for an undelivered message with an attachment.
/// - Text of the layer above (`content`, `failure`, `session`, `action`) is JSON that carries its own version; that of
///   `upload` has a value for each key that may be absent.
enum StoreSchema {
    /// Identifies the file as a Causeway store, at byte 68 of it: `CSWY`.
    static let applicationID: UInt32 = 0x4353_5759
    /// The layout that this version writes; stored as `user_version`.
    static let version = 11

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try db.execute(sql: layout1)
            try db.execute(sql: "PRAGMA user_version = 1")
        }
        migrator.registerMigration("2") { db in
            try db.execute(sql: layout2)
            try db.execute(sql: "PRAGMA user_version = 2")
        }
        migrator.registerMigration("3") { db in
            try db.execute(sql: layout3)
            try db.execute(sql: "PRAGMA user_version = 3")
        }
        migrator.registerMigration("4") { db in
            try db.execute(sql: layout4)
            try db.execute(sql: "PRAGMA user_version = 4")
        }
        migrator.registerMigration("5") { db in
            try db.execute(sql: layout5)
            try db.execute(sql: "PRAGMA user_version = 5")
        }
        migrator.registerMigration("6") { db in
            try db.execute(sql: layout6)
            try moveToAccounts(db)
            try db.execute(sql: "PRAGMA user_version = 6")
        }
        migrator.registerMigration("7") { db in
            try db.execute(sql: layout7)
            try db.execute(sql: "PRAGMA user_version = 7")
        }
        migrator.registerMigration("8") { db in
            try db.execute(sql: recordLayout)
            try db.execute(sql: "PRAGMA user_version = 8")
        }
        migrator.registerMigration("9") { db in
            try db.execute(sql: layout9)
            try db.execute(sql: "PRAGMA user_version = 9")
        }
        migrator.registerMigration("10") { db in
            try db.execute(sql: layout10)
            try db.execute(sql: "PRAGMA user_version = 10")
        }
        // No other tables: the pages may have checksums, which earlier versions would not write.
        migrator.registerMigration("11") { db in try db.execute(sql: "PRAGMA user_version = 11") }
        return migrator
    }

    /// A change of nothing: writes a page.
    static let touch = "UPDATE store SET verifications = verifications + 1 WHERE id = 1"

    private static let layout1 = """
        CREATE TABLE store (
          id INTEGER PRIMARY KEY CHECK (id = 1),
          outbox_id BLOB,
          epoch INTEGER NOT NULL,
          next_sequence INTEGER NOT NULL,
          session TEXT,
          verifications INTEGER NOT NULL
        ) STRICT;
        INSERT INTO store VALUES (1, NULL, 0, 1, NULL, 0);

        CREATE TABLE message (
          ordinal INTEGER PRIMARY KEY,
          id BLOB NOT NULL,
          channel TEXT NOT NULL,
          sender TEXT NOT NULL,
          content TEXT NOT NULL,
          bytes INTEGER NOT NULL,
          created_at INTEGER NOT NULL,
          lane TEXT,
          lane_sequence INTEGER NOT NULL,
          previous_sequence INTEGER,
          sync_state INTEGER NOT NULL,
          attempts INTEGER NOT NULL,
          last_attempt_at INTEGER,
          failure TEXT,
          in_doubt INTEGER NOT NULL,
          position INTEGER NOT NULL,
          accepted_at INTEGER
        ) STRICT;
        CREATE UNIQUE INDEX message_id ON message(id);
        CREATE INDEX message_place ON message(channel, position);
        CREATE INDEX message_undelivered ON message(ordinal) WHERE sync_state <> 3;
        CREATE INDEX message_pending ON message(lane_sequence) WHERE sync_state < 3;
        CREATE INDEX message_failed ON message(ordinal) WHERE sync_state = 4;
        CREATE INDEX message_failed_in_channel ON message(channel, ordinal) WHERE sync_state = 4;

        CREATE TABLE control (
          sequence INTEGER PRIMARY KEY,
          kind INTEGER NOT NULL,
          lane TEXT NOT NULL,
          previous INTEGER,
          message BLOB NOT NULL
        ) STRICT;
        CREATE TABLE lane (
          id INTEGER PRIMARY KEY,
          name TEXT NOT NULL UNIQUE,
          last_transmitted INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE delete_action (
          sequence INTEGER PRIMARY KEY,
          message BLOB NOT NULL,
          action TEXT NOT NULL
        ) STRICT;
        CREATE INDEX delete_action_message ON delete_action(message);
        """

    private static let layout2 = """
        ALTER TABLE message ADD COLUMN role INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE message ADD COLUMN related BLOB;
        ALTER TABLE message ADD COLUMN queued_at INTEGER;
        ALTER TABLE message ADD COLUMN history TEXT;
        ALTER TABLE message ADD COLUMN extras TEXT;
        ALTER TABLE message ADD COLUMN shown TEXT;
        DROP INDEX message_place;
        CREATE INDEX message_place ON message(channel, position) WHERE role < 2;
        CREATE INDEX message_dependant ON message(related, ordinal)
          WHERE related IS NOT NULL AND (role > 1 OR (sync_state = 0 AND lane_sequence = 0));
        """

    /// Finds messages under way, and the operations of a channel, within a long queue. These indexes contain only
    /// messages in flight and waiting operations, so they cost next to nothing.
    private static let layout3 = """
        CREATE INDEX message_under_way ON message(sync_state, lane_sequence) WHERE sync_state IN (1, 2);
        CREATE INDEX message_operation ON message(channel, ordinal) WHERE sync_state <> 3 AND role > 1;
        """

    /// The lineage of the store: its current opening, earlier ones (16 bytes each, newest first), and the number below
    /// which another copy has everything, too.
    private static let layout4 = """
        ALTER TABLE store ADD COLUMN opening BLOB;
        ALTER TABLE store ADD COLUMN ancestors BLOB;
        ALTER TABLE store ADD COLUMN shared_below INTEGER NOT NULL DEFAULT 0;
        """

    /// The last history that the server named: JSON of a `ServerHistory`.
    private static let layout5 = """
        ALTER TABLE store ADD COLUMN server_history TEXT;
        """

    /// Assigns every record to an account, which is the first column of every index. Tables whose keys include the
    /// account are created anew.
    private static let layout6 = """
        CREATE TABLE account (
          id INTEGER PRIMARY KEY,
          server TEXT,
          user TEXT,
          outbox_id BLOB,
          opening BLOB,
          ancestors BLOB,
          server_history TEXT
        ) STRICT;
        CREATE UNIQUE INDEX account_name ON account(server, user);
        INSERT INTO account SELECT 1, NULL, NULL, outbox_id, opening, ancestors, server_history
          FROM store WHERE id = 1;
        ALTER TABLE store ADD COLUMN account INTEGER NOT NULL DEFAULT 1;
        UPDATE store SET outbox_id = NULL, opening = NULL, ancestors = NULL, server_history = NULL;

        ALTER TABLE message ADD COLUMN account INTEGER NOT NULL DEFAULT 1;
        DROP INDEX message_id;
        DROP INDEX message_place;
        DROP INDEX message_undelivered;
        DROP INDEX message_pending;
        DROP INDEX message_under_way;
        DROP INDEX message_failed;
        DROP INDEX message_failed_in_channel;
        DROP INDEX message_operation;
        DROP INDEX message_dependant;
        CREATE UNIQUE INDEX message_id ON message(account, id);
        CREATE INDEX message_place ON message(account, channel, position) WHERE role < 2;
        CREATE INDEX message_undelivered ON message(account, ordinal) WHERE sync_state <> 3;
        CREATE INDEX message_pending ON message(account, lane_sequence) WHERE sync_state < 3;
        CREATE INDEX message_under_way ON message(account, sync_state, lane_sequence) WHERE sync_state IN (1, 2);
        CREATE INDEX message_failed ON message(account, ordinal) WHERE sync_state = 4;
        CREATE INDEX message_failed_in_channel ON message(account, channel, ordinal) WHERE sync_state = 4;
        CREATE INDEX message_operation ON message(account, channel, ordinal) WHERE sync_state <> 3 AND role > 1;
        CREATE INDEX message_dependant ON message(account, related, ordinal)
          WHERE related IS NOT NULL AND (role > 1 OR (sync_state = 0 AND lane_sequence = 0));

        ALTER TABLE delete_action ADD COLUMN account INTEGER NOT NULL DEFAULT 1;
        DROP INDEX delete_action_message;
        CREATE INDEX delete_action_message ON delete_action(account, message);
        CREATE INDEX delete_action_account ON delete_action(account, sequence);

        ALTER TABLE control RENAME TO control_of_all;
        CREATE TABLE control (
          id INTEGER PRIMARY KEY,
          account INTEGER NOT NULL,
          sequence INTEGER NOT NULL,
          kind INTEGER NOT NULL,
          lane TEXT NOT NULL,
          previous INTEGER,
          message BLOB NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX control_sequence ON control(account, sequence);
        INSERT INTO control SELECT NULL, 1, sequence, kind, lane, previous, message FROM control_of_all;
        DROP TABLE control_of_all;
        ALTER TABLE lane RENAME TO lane_of_all;
        CREATE TABLE lane (
          id INTEGER PRIMARY KEY,
          account INTEGER NOT NULL,
          name TEXT NOT NULL,
          last_transmitted INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX lane_name ON lane(account, name);
        INSERT INTO lane SELECT id, 1, name, last_transmitted FROM lane_of_all;
        DROP TABLE lane_of_all;
        """

    /// Moves the operations that create no message to a table of their own. They were messages of a role of their own;
    /// a list of messages then had to leave them out.
    private static let layout7 = """
        CREATE TABLE operation (
          ordinal INTEGER PRIMARY KEY,
          account INTEGER NOT NULL,
          id BLOB NOT NULL,
          kind INTEGER NOT NULL,
          target BLOB,
          channel TEXT NOT NULL,
          sender TEXT NOT NULL,
          content TEXT NOT NULL,
          bytes INTEGER NOT NULL,
          created_at INTEGER NOT NULL,
          queued_at INTEGER,
          lane TEXT,
          lane_sequence INTEGER NOT NULL,
          previous_sequence INTEGER,
          sync_state INTEGER NOT NULL,
          attempts INTEGER NOT NULL,
          last_attempt_at INTEGER,
          failure TEXT,
          in_doubt INTEGER NOT NULL,
          history TEXT
        ) STRICT;
        INSERT INTO operation SELECT ordinal, account, id, role, related, channel, sender, content, bytes, created_at,
          queued_at, lane, lane_sequence, previous_sequence, sync_state, attempts, last_attempt_at, failure, in_doubt,
          history FROM message WHERE role > 1 AND sync_state <> 3;
        CREATE UNIQUE INDEX operation_id ON operation(account, id);
        CREATE INDEX operation_order ON operation(account, ordinal);
        CREATE INDEX operation_in_channel ON operation(account, channel, ordinal);
        CREATE INDEX operation_target ON operation(account, target, ordinal);
        CREATE INDEX operation_pending ON operation(account, lane_sequence) WHERE sync_state < 3;
        CREATE INDEX operation_under_way ON operation(account, sync_state, lane_sequence) WHERE sync_state IN (1, 2);
        CREATE INDEX operation_failed ON operation(account, ordinal) WHERE sync_state = 4;
        CREATE INDEX operation_failed_in_channel ON operation(account, channel, ordinal) WHERE sync_state = 4;

        DELETE FROM message WHERE role > 1;
        DROP INDEX message_place;
        DROP INDEX message_operation;
        DROP INDEX message_dependant;
        CREATE INDEX message_place ON message(account, channel, position);
        CREATE INDEX message_dependant ON message(account, related, ordinal)
          WHERE related IS NOT NULL AND sync_state = 0 AND lane_sequence = 0;
        """

    /// The cursor up to which the server's events are stored: opaque text of the server.
    private static let layout9 = """
        ALTER TABLE account ADD COLUMN event_cursor TEXT;
        """

    /// The upload of a message's attachment: JSON of an `AttachmentUpload`, `NULL` for a message without one. Earlier
    /// versions uploaded nothing, so every attachment of an undelivered message is pending.
    private static let layout10 = """
        ALTER TABLE message ADD COLUMN upload TEXT;
        UPDATE message SET upload = json_object('total', max(0, json_extract(content, '$.attachment.size')))
          WHERE sync_state <> 3 AND content LIKE '%"attachment"%' AND json_valid(content)
          AND json_extract(content, '$.v') = 1
          AND json_extract(content, '$.type') IN ('image', 'video', 'audio', 'file')
          AND json_type(content, '$.attachment.size') = 'integer';
        """

    /// Assigns existing data to the account of the last session. Earlier layouts stored nothing per account except the
    /// sender of undelivered messages: those are assigned to the sender's account on the same server.
    private static func moveToAccounts(_ db: Database) throws {
        guard let session = try? db.storedSession() else { return }
        try db.execute(
            sql: "UPDATE account SET server = ?, user = ? WHERE id = 1",
            arguments: [session.account.server, session.user.value])
        try db.execute(
            sql: """
                INSERT INTO account (server, user) SELECT DISTINCT ?, sender FROM message \
                WHERE sync_state <> 3 AND sender <> ?
                """, arguments: [session.account.server, session.user.value])
        try db.execute(
            sql: """
                UPDATE message SET account = (SELECT id FROM account WHERE user = sender) \
                WHERE sync_state <> 3 AND sender <> ?
                """, arguments: [session.user.value])
    }

    /// Refuses a file that is not a store, by its first bytes, without opening it as a database.
    ///
    /// A store is prepared under another name and renamed when it is complete, so these bytes are always there.
    static func identify(_ folder: StoreFolder) throws(StoreError) {
        let head = try folder.head(of: folder.database, count: 100)
        guard head.count == 100, head.starts(with: Array("SQLite format 3\0".utf8)) else {
            throw .damaged(path: folder.database, detail: "not an SQLite database")
        }
        let mark = head[68..<72].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard mark == applicationID else {
            throw .damaged(path: folder.database, detail: "a database of another program")
        }
    }

    /// Refuses a file that a newer version wrote, or that is damaged, through a connection that cannot write, unless
    /// SQLite has to roll back an interrupted change first.
    static func verify(_ folder: StoreFolder) throws(StoreError) {
        let size = try folder.size(of: folder.database) ?? 0
        var configuration = Configuration()
        configuration.readonly = (try folder.size(of: folder.rollbackJournal) ?? 0) == 0
        configuration.busyMode = .timeout(SQLiteLimits.busySecondsMax)
        let problem: StoreError? = try StoreError.catching(folder.database) {
            let queue = try DatabaseQueue(
                path: PageChecksums.address(of: folder.database), configuration: configuration)
            defer { try? queue.close() }
            return try queue.read { db in
                let found = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
                if found > version { return .newerSchema(version: "layout \(found)", path: folder.database) }
                if let cut = try missingPages(db, folder) { return cut }
                guard size <= SQLiteLimits.openCheckBytesMax else { return nil }
                return try damage(db, folder)
            }
        }
        if let problem { throw problem }
    }

    /// The damage that SQLite finds in the file; `nil` if there is none.
    static func damage(_ db: Database, _ folder: StoreFolder) throws -> StoreError? {
        PageChecksums.forgetDamage(to: folder.database)
        let verdict = try String.fetchOne(db, sql: "PRAGMA quick_check(1)") ?? "no result"
        if verdict == "ok" { return nil }
        // SQLite's own words name the page above the one that it could not read.
        let page = PageChecksums.damage(to: folder.database)
        return .damaged(path: folder.database, detail: page?.description ?? verdict)
    }

    /// Prepares an empty store under another name and renames it in one step.
    static func create(_ folder: StoreFolder) throws(StoreError) {
        try folder.createEmpty(folder.newDatabase)
        try StoreError.catching(folder.newDatabase) {
            let queue = try DatabaseQueue(path: PageChecksums.address(of: folder.newDatabase, isNew: true))
            try queue.writeWithoutTransaction { db in
                try PageChecksums.reserve(in: db)
                try db.execute(sql: "PRAGMA synchronous = FULL")
                // Before anything is written: free pages can be given back in steps.
                try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
                try db.execute(sql: "PRAGMA application_id = \(applicationID)")
            }
            try migrator.migrate(queue)
            try queue.close()
        }
        try folder.putNewDatabaseInPlace()
    }
}
