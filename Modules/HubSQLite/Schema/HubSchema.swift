internal import GRDB

/// The tables of `hub.sqlite`. A released migration is never edited; a change gets a new one.
///
/// The purpose of each table, and what is unique in it:
///
/// - `account`: the accounts. Only the SHA-256 of a token is stored. A removed account keeps its row, so that its name
///   cannot be given to another user and its messages keep their sender.
/// - `channel`: the channels that have had a message: names, and the position of the newest message. Whether a channel
///   exists is its record's matter.
/// - `record`: the records of every kind, their fields as JSON. A deleted one keeps its row with its last fields.
/// - `record_list`: the entries of records in lists, in the order in which they are read; none of a deleted record.
/// - `record_write`: the ids of accepted writes to records, for ever, with the version that they gave the record.
/// - `message`: every accepted message, for ever; a deleted one keeps its row without its content, so that a repeat of
///   its delivery is still answered with the stored result and cannot bring it back. `revision` is the
///   commit of its last edit, reaction or deletion; none when there was none. `type` is that of the content, which no
///   edit changes; none for a text. `tags` are lines of text; none for a message without tags, or a deleted one. The
///   deleted ones have an index of their own, for pages that list them.
/// - `revision`: the count of earlier versions, which numbered the changes of messages apart from commits; only read.
///   One row for each opening of the database, with the revisions from which and to which it moved. Commits are
///   numbered above the highest of them.
/// - `operation`: the ids of accepted edits and reactions, for ever, with the message that they refer to: a repeat is
///   answered with the stored result.
/// - `reaction`: the reactions, by message, user and name.
/// - `outbox`: one row for each (account, outbox id), with the highest epoch seen and the opening that delivered last.
/// - `lane`: one row for each lane of an outbox, with its mark, and the opening and the operation that moved it last.
///   `changed_in` is the commit that changed it last; the highest of them is the hub's last commit.
/// - `barred_opening`: openings of copied stores that must never deliver in that outbox again.
/// - `early_deletion`: ids that an account deleted before they arrived. A copy of its store may still deliver them:
///   they are then stored as deleted messages, and their row here is removed. The oldest are dropped when there are too
///   many.
/// - `hub`: the identity of this hub, and the key of its seals. One row.
/// - `history`: the histories of these data; the last one is the present one. No position of a history lies at or below
///   its `floor`.
/// - `hub_opening`: the starts of the hub: the last commit before each run, and its last commit and the last position
///   of the log once it is over.
/// - `event_topic`: the topics of the log, with the position of the last change of each; the highest of them is the end
///   of the log, also when its entries have been dropped.
/// - `event`: the log, by topic and position. Positions are unique among all topics, in the order of the commits. An
///   entry points to a row of `message` or `record`. `version` is the version that the change gave it.
/// - `event_time`: positions of the log and a time at which they had been reached, some minutes apart.
/// - `event_log`: one row: the last position that has been dropped, and up to which one the rows of `event` are gone.
/// - `blob`: the complete files by their SHA-256, with the type that they are served with, the number of messages that
///   they are attached to, and since when there are none. The bytes are in the storage of blobs.
/// - `blob_uploader`: the accounts that uploaded a blob: each may read it, and it counts towards the quota of each.
/// - `attachment`: the messages with a blob, with their channel; none of a deleted message.
/// - `upload`: the uploads, for some time also those that are complete.
/// - `media_usage`: the bytes of the blobs that an account has uploaded.
enum HubSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1: accounts, channels, messages, outboxes, lanes") { db in
            try db.execute(sql: first)
        }
        migrator.registerMigration("2: replies, edits, reactions") { db in
            try db.execute(sql: second)
        }
        migrator.registerMigration("3: openings of stores") { db in
            try db.execute(sql: third)
        }
        migrator.registerMigration("4: creators of channels") { db in
            try db.execute(sql: fourth)
        }
        migrator.registerMigration("5: early deletions") { db in
            try db.execute(sql: fifth)
        }
        migrator.registerMigration("6: revisions of messages") { db in
            try db.execute(sql: sixth)
        }
        migrator.registerMigration("7: histories") { db in
            try db.execute(sql: seventh)
        }
        migrator.registerMigration("8: commits number the changes of messages") { db in
            try db.execute(sql: eighth)
        }
        migrator.registerMigration("9: records", migrate: ChannelRecordMigration.run)
        migrator.registerMigration("10: the log of events") { db in
            try db.execute(sql: tenth)
        }
        migrator.registerMigration("11: uploads and blobs", migrate: MediaMigration.run)
        migrator.registerMigration("12: messages by parent and by type") { db in
            try db.execute(sql: twelfth)
        }
        migrator.registerMigration("13: tags of messages") { db in
            try db.execute(sql: thirteenth)
        }
        migrator.registerMigration("14: deleted messages by position") { db in
            try db.execute(sql: fourteenth)
        }
        migrator.registerMigration("15: the last operation of each lane") { db in
            try db.execute(sql: fifteenth)
        }
        return migrator
    }

    private static let first = """
        CREATE TABLE account (
            number INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            token_sha256 BLOB UNIQUE,
            created_at INTEGER NOT NULL,
            removed_at INTEGER
        );
        CREATE TABLE channel (
            number INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            last_position INTEGER NOT NULL DEFAULT 0,
            created_at INTEGER NOT NULL
        );
        CREATE TABLE message (
            number INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE,
            channel INTEGER NOT NULL REFERENCES channel (number),
            position INTEGER NOT NULL,
            sender INTEGER NOT NULL REFERENCES account (number),
            content TEXT,
            created_at INTEGER NOT NULL,
            accepted_at INTEGER NOT NULL,
            deleted_at INTEGER,
            CHECK ((content IS NULL) = (deleted_at IS NOT NULL))
        );
        CREATE UNIQUE INDEX message_shown ON message (channel, position) WHERE deleted_at IS NULL;
        CREATE TABLE outbox (
            number INTEGER PRIMARY KEY,
            account INTEGER NOT NULL REFERENCES account (number),
            id BLOB NOT NULL,
            epoch INTEGER NOT NULL,
            UNIQUE (account, id)
        );
        CREATE TABLE lane (
            outbox INTEGER NOT NULL REFERENCES outbox (number),
            name TEXT NOT NULL,
            mark INTEGER NOT NULL,
            PRIMARY KEY (outbox, name)
        );
        """

    private static let third = """
        ALTER TABLE outbox ADD COLUMN opening BLOB;
        ALTER TABLE lane ADD COLUMN mover BLOB;
        CREATE TABLE barred_opening (
            outbox INTEGER NOT NULL REFERENCES outbox (number),
            opening BLOB NOT NULL,
            PRIMARY KEY (outbox, opening)
        ) WITHOUT ROWID;
        """

    private static let fourth = """
        ALTER TABLE channel ADD COLUMN creator INTEGER REFERENCES account (number);
        CREATE INDEX channel_creator ON channel (creator) WHERE creator IS NOT NULL;
        """

    private static let fifth = """
        CREATE TABLE early_deletion (
            account INTEGER NOT NULL REFERENCES account (number),
            number INTEGER NOT NULL,
            id BLOB NOT NULL,
            PRIMARY KEY (account, number)
        ) WITHOUT ROWID;
        CREATE UNIQUE INDEX early_deletion_id ON early_deletion (account, id);
        """

    private static let sixth = """
        CREATE TABLE revision (
            number INTEGER PRIMARY KEY,
            opening BLOB NOT NULL,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL
        );
        INSERT INTO revision (opening, first, last) VALUES (randomblob(16), 0, 0);
        ALTER TABLE message ADD COLUMN revision INTEGER;
        CREATE INDEX message_revised ON message (channel, revision) WHERE revision IS NOT NULL;
        """

    private static let seventh = """
        CREATE TABLE hub (
            number INTEGER PRIMARY KEY CHECK (number = 1),
            id BLOB NOT NULL,
            seal_key BLOB NOT NULL
        );
        INSERT INTO hub VALUES (1, randomblob(16), randomblob(32));
        CREATE TABLE history (
            number INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE,
            floor INTEGER NOT NULL,
            began_at INTEGER NOT NULL
        );
        INSERT INTO history VALUES (1, randomblob(16), 0, 0);
        CREATE TABLE hub_opening (
            number INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE,
            last_commit INTEGER
        );
        ALTER TABLE lane ADD COLUMN changed_in INTEGER NOT NULL DEFAULT 0;
        """

    /// The row of `revision` was written in each commit, beside the lane's `changed_in`.
    private static let eighth = """
        ALTER TABLE hub_opening ADD COLUMN first_commit INTEGER;
        """

    /// The log begins with the next change.
    private static let tenth = """
        CREATE TABLE event_topic (
            number INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            last_position INTEGER NOT NULL
        );
        CREATE INDEX event_topic_changed ON event_topic (last_position);
        CREATE TABLE event (
            topic INTEGER NOT NULL,
            position INTEGER NOT NULL,
            is_record INTEGER NOT NULL,
            subject INTEGER NOT NULL,
            version INTEGER NOT NULL,
            is_new INTEGER NOT NULL,
            PRIMARY KEY (topic, position)
        ) WITHOUT ROWID;
        CREATE TABLE event_time (
            position INTEGER PRIMARY KEY,
            at INTEGER NOT NULL
        );
        CREATE TABLE event_log (
            number INTEGER PRIMARY KEY CHECK (number = 1),
            dropped INTEGER NOT NULL,
            removed INTEGER NOT NULL
        );
        INSERT INTO event_log VALUES (1, 0, 0);
        ALTER TABLE hub_opening ADD COLUMN last_position INTEGER;
        """

    /// Most messages are texts that reply to none: they are in neither index.
    private static let twelfth = """
        ALTER TABLE message ADD COLUMN type TEXT;
        UPDATE message SET type = content ->> '$.type'
            WHERE deleted_at IS NULL AND json_valid(content) AND content ->> '$.type' <> 'text';
        CREATE INDEX message_reply ON message (channel, parent, position)
            WHERE parent IS NOT NULL AND deleted_at IS NULL;
        CREATE INDEX message_type ON message (channel, type, position)
            WHERE type IS NOT NULL AND deleted_at IS NULL;
        """

    /// Most messages have no tags: they are not in the index.
    private static let thirteenth = """
        ALTER TABLE message ADD COLUMN tags TEXT;
        CREATE INDEX message_tagged ON message (channel, position)
            WHERE tags IS NOT NULL AND deleted_at IS NULL;
        """

    private static let fourteenth = """
        CREATE INDEX message_deleted ON message (channel, position) WHERE deleted_at IS NOT NULL;
        """

    private static let fifteenth = """
        ALTER TABLE lane ADD COLUMN operation BLOB;
        """

    private static let second = """
        ALTER TABLE message ADD COLUMN parent BLOB;
        ALTER TABLE message ADD COLUMN edited_at INTEGER;
        ALTER TABLE message ADD COLUMN changed_at INTEGER;
        CREATE TABLE operation (
            number INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE,
            sender INTEGER NOT NULL REFERENCES account (number),
            message INTEGER NOT NULL REFERENCES message (number),
            accepted_at INTEGER NOT NULL
        );
        CREATE TABLE reaction (
            message INTEGER NOT NULL REFERENCES message (number),
            name TEXT NOT NULL,
            account INTEGER NOT NULL REFERENCES account (number),
            PRIMARY KEY (message, name, account)
        ) WITHOUT ROWID;
        """
}
