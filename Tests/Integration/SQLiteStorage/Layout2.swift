/// A store as written by layout 2: two users wrote to it, one after the other, and the second one is logged in. Never
/// edited: such stores exist on users' disks.
enum Layout2 {
    static let sql = """
        PRAGMA application_id = 1129535321;
        PRAGMA user_version = 2;
        CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
        INSERT INTO grdb_migrations VALUES ('1');
        INSERT INTO grdb_migrations VALUES ('2');
        CREATE TABLE store (
          id INTEGER PRIMARY KEY CHECK (id = 1),
          outbox_id BLOB,
          epoch INTEGER NOT NULL,
          next_sequence INTEGER NOT NULL,
          session TEXT,
          verifications INTEGER NOT NULL
        ) STRICT;
        INSERT INTO store VALUES (
         1, X'0190A6B20000700080000000000000AA', 3, 257,
         '{"id":"0190a6b2-0000-7000-8000-0000000000bb","server":"https://Hub/","user":"ada","startedAt":'
          || '1700000000000}', 0);
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
          accepted_at INTEGER,
          role INTEGER NOT NULL DEFAULT 0,
          related BLOB,
          queued_at INTEGER,
          history TEXT,
          extras TEXT,
          shown TEXT
        ) STRICT;
        INSERT INTO message VALUES (
         1, X'0190A6B2000070008000000000000001', 'general', 'ada', '{"v":1,"type":"text","text":"synced"}', 37,
         1700000000001, 'text', 1, 0, 3, 1, 1700000000101, NULL, 0, 7, 1700000000201, 0, NULL, NULL,
         '2:1700000000101,3:1700000000201', NULL, NULL);
        INSERT INTO message VALUES (
         2, X'0190A6B2000070008000000000000002', 'general', 'bob', '{"v":1,"type":"text","text":"bob"}', 36,
         1700000000002, 'text', 2, NULL, 4, 4, 1700000000102,
         '{"reason":"sessionEnded","code":"loggedOut","detail":"no","at":1700000000202}', 0,
         9223372036854775807, NULL, 0, NULL, NULL, NULL, NULL, NULL);
        INSERT INTO message VALUES (
         3, X'0190A6B2000070008000000000000003', 'general', 'ada', '{"v":1,"type":"text","text":"syncing"}',
         38, 1700000000003, 'text', 3, 2, 2, 1, 1700000000103, NULL, 0, 9223372036854775807, NULL, 0, NULL,
         NULL, NULL, NULL, NULL);
        INSERT INTO message VALUES (
         4, X'0190A6B2000070008000000000000004', 'random', 'ada', '{"v":1,"type":"text","text":"created"}', 38,
         1700000000004, 'media', 4, NULL, 0, 0, NULL, NULL, 0, 9223372036854775807, NULL, 0, NULL, NULL, NULL,
         NULL, NULL);
        INSERT INTO message VALUES (
         5, X'0190A6B2000070008000000000000005', 'general', 'bob', '{"v":1,"type":"text","text":"foreign"}',
         38, 1700000000005, NULL, 0, NULL, 3, 0, NULL, NULL, 0, 8, 1700000000205, 0, NULL, NULL, NULL, NULL,
         NULL);
        CREATE TABLE control (
          sequence INTEGER PRIMARY KEY,
          kind INTEGER NOT NULL,
          lane TEXT NOT NULL,
          previous INTEGER,
          message BLOB NOT NULL
        ) STRICT;
        INSERT INTO control VALUES (2, 1, 'text', 1, X'0190A6B2000070008000000000000002');
        CREATE TABLE lane (
          id INTEGER PRIMARY KEY,
          name TEXT NOT NULL UNIQUE,
          last_transmitted INTEGER NOT NULL
        ) STRICT;
        INSERT INTO lane VALUES (1, 'text', 3);
        CREATE TABLE delete_action (
          sequence INTEGER PRIMARY KEY,
          message BLOB NOT NULL,
          action TEXT NOT NULL
        ) STRICT;
        INSERT INTO delete_action VALUES (
         6, X'0190A6B2000070008000000000000006',
         '{"sequence":6,"at":1700000000300,"by":"cli","message":"0190a6b2-0000-7000-8000-000000000006","'
          || 'channel":"general","type":"text","syncState":"error"}');
        CREATE UNIQUE INDEX message_id ON message(id);
        CREATE INDEX message_place ON message(channel, position) WHERE role < 2;
        CREATE INDEX message_undelivered ON message(ordinal) WHERE sync_state <> 3;
        CREATE INDEX message_pending ON message(lane_sequence) WHERE sync_state < 3;
        CREATE INDEX message_failed ON message(ordinal) WHERE sync_state = 4;
        CREATE INDEX message_failed_in_channel ON message(channel, ordinal) WHERE sync_state = 4;
        CREATE INDEX message_dependant ON message(related, ordinal)
          WHERE related IS NOT NULL AND (role > 1 OR (sync_state = 0 AND lane_sequence = 0));
        CREATE INDEX delete_action_message ON delete_action(message);
        """
}
