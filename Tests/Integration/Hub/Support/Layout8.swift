/// The database of a hub as written by layout 8, before records: the operator created the channels `general` and
/// `empty`, bob the channels `own` and `unused`; ann and bob wrote to `general` and `own`, and cy only read. Never
/// edited: such hubs exist.
enum Layout8 {
    static let sql = """
        CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
        INSERT INTO grdb_migrations VALUES('1: accounts, channels, messages, outboxes, lanes');
        INSERT INTO grdb_migrations VALUES('2: replies, edits, reactions');
        INSERT INTO grdb_migrations VALUES('3: openings of stores');
        INSERT INTO grdb_migrations VALUES('4: creators of channels');
        INSERT INTO grdb_migrations VALUES('5: early deletions');
        INSERT INTO grdb_migrations VALUES('6: revisions of messages');
        INSERT INTO grdb_migrations VALUES('7: histories');
        INSERT INTO grdb_migrations VALUES('8: commits number the changes of messages');
        CREATE TABLE account (
            number INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            token_sha256 BLOB UNIQUE,
            created_at INTEGER NOT NULL,
            removed_at INTEGER
        );
        INSERT INTO account VALUES(1,'ann',
            X'ef3cbeaf981424b7f418c262be487736d77c16655adf720ae77700c668eefd09',1795399754446,NULL);
        INSERT INTO account VALUES(2,'bob',
            X'e61c14d06ef591306aaf3fa7b17353e76d4ac72b72302adb986bb04bdf6c1918',1795399754547,NULL);
        INSERT INTO account VALUES(3,'cy',
            X'3a26956174495a97b99f56e03ede137694f6bb88f69cf0f5a57e008ac1b85fc0',1795399754802,NULL);
        CREATE TABLE channel (
            number INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            last_position INTEGER NOT NULL DEFAULT 0,
            created_at INTEGER NOT NULL
        , creator INTEGER REFERENCES account (number));
        INSERT INTO channel VALUES(1,'general',4,1795399754457,NULL);
        INSERT INTO channel VALUES(2,'empty',0,1795399754940,NULL);
        INSERT INTO channel VALUES(3,'own',2,1795399756524,2);
        INSERT INTO channel VALUES(4,'unused',0,1795399756592,2);
        CREATE TABLE message (
            number INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE,
            channel INTEGER NOT NULL REFERENCES channel (number),
            position INTEGER NOT NULL,
            sender INTEGER NOT NULL REFERENCES account (number),
            content TEXT,
            created_at INTEGER NOT NULL,
            accepted_at INTEGER NOT NULL,
            deleted_at INTEGER, parent BLOB, edited_at INTEGER, changed_at INTEGER, revision INTEGER,
            CHECK ((content IS NULL) = (deleted_at IS NOT NULL))
        );
        INSERT INTO message VALUES(1,X'0190a6b21c3d7fffbfff000000000011',1,1,1,
            '{"text":"edited","type":"text","v":1}',5,1795399756642,NULL,NULL,1795399756918,1795399756918,
            4);
        INSERT INTO message VALUES(2,X'0190a6b21c3d7fffbfff000000000012',1,2,1,
            '{"text":"m12","type":"text","v":1}',5,1795399756642,NULL,NULL,NULL,NULL,NULL);
        INSERT INTO message VALUES(3,X'0190a6b21c3d7fffbfff000000000013',1,3,1,NULL,5,1795399756642,
            1795399756836,NULL,NULL,NULL,3);
        INSERT INTO message VALUES(4,X'0190a6b21c3d7fffbfff000000000021',1,4,2,
            '{"text":"m21","type":"text","v":1}',5,1795399756740,NULL,NULL,NULL,1795399756918,4);
        INSERT INTO message VALUES(5,X'0190a6b21c3d7fffbfff000000000022',3,1,2,
            '{"text":"m22","type":"text","v":1}',5,1795399756740,NULL,NULL,NULL,NULL,NULL);
        INSERT INTO message VALUES(6,X'0190a6b21c3d7fffbfff000000000014',3,2,1,
            '{"text":"m14","type":"text","v":1}',5,1795399756836,NULL,NULL,NULL,NULL,NULL);
        CREATE TABLE outbox (
            number INTEGER PRIMARY KEY,
            account INTEGER NOT NULL REFERENCES account (number),
            id BLOB NOT NULL,
            epoch INTEGER NOT NULL, opening BLOB,
            UNIQUE (account, id)
        );
        INSERT INTO outbox VALUES(1,1,X'0190a6b21c3d7fffbfff000000000001',1,NULL);
        INSERT INTO outbox VALUES(2,2,X'0190a6b21c3d7fffbfff000000000002',1,NULL);
        CREATE TABLE lane (
            outbox INTEGER NOT NULL REFERENCES outbox (number),
            name TEXT NOT NULL,
            mark INTEGER NOT NULL, mover BLOB, changed_in INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (outbox, name)
        );
        INSERT INTO lane VALUES(1,'text',7,NULL,4);
        INSERT INTO lane VALUES(2,'text',2,NULL,2);
        CREATE TABLE operation (
            number INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE,
            sender INTEGER NOT NULL REFERENCES account (number),
            message INTEGER NOT NULL REFERENCES message (number),
            accepted_at INTEGER NOT NULL
        );
        INSERT INTO operation VALUES(1,X'0190a6b21c3d7fffbfff000000000031',1,4,1795399756918);
        INSERT INTO operation VALUES(2,X'0190a6b21c3d7fffbfff000000000032',1,1,1795399756918);
        CREATE TABLE reaction (
            message INTEGER NOT NULL REFERENCES message (number),
            name TEXT NOT NULL,
            account INTEGER NOT NULL REFERENCES account (number),
            PRIMARY KEY (message, name, account)
        ) WITHOUT ROWID;
        INSERT INTO reaction VALUES(4,'wave',1);
        CREATE TABLE barred_opening (
            outbox INTEGER NOT NULL REFERENCES outbox (number),
            opening BLOB NOT NULL,
            PRIMARY KEY (outbox, opening)
        ) WITHOUT ROWID;
        CREATE TABLE early_deletion (
            account INTEGER NOT NULL REFERENCES account (number),
            number INTEGER NOT NULL,
            id BLOB NOT NULL,
            PRIMARY KEY (account, number)
        ) WITHOUT ROWID;
        CREATE TABLE revision (
            number INTEGER PRIMARY KEY,
            opening BLOB NOT NULL,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL
        );
        INSERT INTO revision VALUES(1,X'f2864d67e3a9af2d05d441dc3bfa2b3c',0,0);
        CREATE TABLE hub (
            number INTEGER PRIMARY KEY CHECK (number = 1),
            id BLOB NOT NULL,
            seal_key BLOB NOT NULL
        );
        INSERT INTO hub VALUES(1,X'e12818d6811a34a5b9335cd3fe70e503',
            X'da69e225fff1cc6fde15e54adb9d8be94191618c63dff03e4512558de109cbf4');
        CREATE TABLE history (
            number INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE,
            floor INTEGER NOT NULL,
            began_at INTEGER NOT NULL
        );
        INSERT INTO history VALUES(1,X'cc2fd056446e86066a1bac9871ad435e',0,0);
        CREATE TABLE hub_opening (
            number INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE,
            last_commit INTEGER
        , first_commit INTEGER);
        INSERT INTO hub_opening VALUES(1,X'06b1b2ce2357d5d48432de6547275ab1',NULL,0);
        CREATE UNIQUE INDEX message_shown ON message (channel, position) WHERE deleted_at IS NULL;
        CREATE INDEX channel_creator ON channel (creator) WHERE creator IS NOT NULL;
        CREATE UNIQUE INDEX early_deletion_id ON early_deletion (account, id);
        CREATE INDEX message_revised ON message (channel, revision) WHERE revision IS NOT NULL;
        """
}
