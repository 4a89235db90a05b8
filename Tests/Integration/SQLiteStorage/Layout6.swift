import CausewayModels

/// A store as written by layout 6, in which operations were messages of a role of their own: with messages and
/// operations that wait, are parked, on their way, failed, failed in doubt and deleted. Never edited: such stores exist
/// on users' disks.
enum Layout6 {
    static let sql = """
        PRAGMA application_id = 1129535321;
        PRAGMA user_version = 6;
        CREATE TABLE account (
          id INTEGER PRIMARY KEY,
          server TEXT,
          user TEXT,
          outbox_id BLOB,
          opening BLOB,
          ancestors BLOB,
          server_history TEXT
        ) STRICT;
        INSERT INTO account VALUES (
         1, 'https://chat.example', 'ada', X'00000000000070008000000000000000',
         X'00000000000070008000000000000000', X'', NULL);
        CREATE TABLE control (
          id INTEGER PRIMARY KEY,
          account INTEGER NOT NULL,
          sequence INTEGER NOT NULL,
          kind INTEGER NOT NULL,
          lane TEXT NOT NULL,
          previous INTEGER,
          message BLOB NOT NULL
        ) STRICT;
        INSERT INTO control VALUES (1, 1, 4, 1, 'text', 2, X'00000000000070008000000000000005');
        INSERT INTO control VALUES (2, 1, 5, 2, 'text', 4, X'00000000000070008000000000000006');
        INSERT INTO control VALUES (3, 1, 14, 1, 'operations', 11, X'0000000000007000800000000000000D');
        CREATE TABLE delete_action (
          sequence INTEGER PRIMARY KEY,
          message BLOB NOT NULL,
          action TEXT NOT NULL
        , account INTEGER NOT NULL DEFAULT 1) STRICT;
        INSERT INTO delete_action VALUES (
         9, X'00000000000070008000000000000006',
         '{"type":"text","message":"00000000-0000-7000-8000-000000000006","at":1700000000043,"b'
         || 'y":"cli","sequence":9,"channel":"general","syncState":"syncing"}', 1);
        CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
        INSERT INTO grdb_migrations VALUES ('1');
        INSERT INTO grdb_migrations VALUES ('2');
        INSERT INTO grdb_migrations VALUES ('3');
        INSERT INTO grdb_migrations VALUES ('4');
        INSERT INTO grdb_migrations VALUES ('5');
        INSERT INTO grdb_migrations VALUES ('6');
        CREATE TABLE lane (
          id INTEGER PRIMARY KEY,
          account INTEGER NOT NULL,
          name TEXT NOT NULL,
          last_transmitted INTEGER NOT NULL
        ) STRICT;
        INSERT INTO lane VALUES (1, 1, 'text', 5);
        INSERT INTO lane VALUES (2, 1, 'operations', 14);
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
        , role INTEGER NOT NULL DEFAULT 0, related BLOB, queued_at INTEGER, history TEXT, extras TEXT,
          shown TEXT, account INTEGER NOT NULL DEFAULT 1) STRICT;
        INSERT INTO message VALUES (
         1, X'00000000000070008000000000000007', 'general', 'ada', '{"v":1,"type":"text","text":"synced"}', 37,
         1700000000007, 'text', 1, 0, 3, 1, 1700000000020, NULL, 0, 1, 1700000000021, 0, NULL, NULL,
         '2:1700000000020,3:1700000000022', NULL,
         '{"reactions":{"wave":1},"myReactions":["wave"],"clock":{"reactions":{}},"content":{"t'
         || 'ype":"text","v":1,"text":"edited"}}', 1);
        INSERT INTO message VALUES (
         2, X'00000000000070008000000000000003', 'general', 'ada', '{"v":1,"type":"text","text":"in flight"}', 40,
         1700000000003, 'text', 2, 1, 2, 1, 1700000000040, NULL, 0, 9223372036854775807, NULL, 0, NULL, NULL,
         '2:1700000000040', NULL, NULL, 1);
        INSERT INTO message VALUES (
         3, X'00000000000070008000000000000004', 'general', 'ada', '{"v":1,"type":"text","text":"failed"}', 37,
         1700000000004, 'text', 3, NULL, 4, 0, NULL,
         '{"detail":"because","reason":"refused","at":1700000000050,"code":"forbidden"}', 0, 9223372036854775807,
         NULL, 0, NULL, NULL, '4:1700000000050', NULL,
         '{"myReactions":[],"content":{"type":"text","v":1,"text":"failed, edited"},"reactions"'
         || ':{},"clock":{"reactions":{}}}', 1);
        INSERT INTO message VALUES (
         4, X'00000000000070008000000000000005', 'general', 'ada', '{"v":1,"type":"text","text":"in doubt"}', 39,
         1700000000005, 'text', 4, 2, 4, 2, 1700000000041,
         '{"detail":"because","reason":"refused","at":1700000000050,"code":"noAnswer"}', 1, 9223372036854775807,
         NULL, 0, NULL, NULL, '2:1700000000041,4:1700000000050', NULL, NULL, 1);
        INSERT INTO message VALUES (
         6, X'00000000000070008000000000000001', 'general', 'ada', '{"v":1,"type":"text","text":"queued"}', 37,
         1700000000001, 'text', 6, NULL, 0, 0, NULL, NULL, 0, 9223372036854775807, NULL, 0, NULL, NULL, NULL,
         NULL, '{"clock":{"reactions":{}},"myReactions":[],"content":{"text":"queued, edited","v":1,"'
         || 'type":"text"},"reactions":{}}', 1);
        INSERT INTO message VALUES (
         7, X'00000000000070008000000000000002', 'general', 'ada', '{"v":1,"type":"text","text":"parked reply"}',
         43, 1700000000002, 'media', 0, NULL, 0, 0, NULL, NULL, 0, 9223372036854775807, NULL, 1,
         X'00000000000070008000000000000001', NULL, NULL, NULL, NULL, 1);
        INSERT INTO message VALUES (
         8, X'00000000000070008000000000000008', 'general', 'grace', '{"v":1,"type":"text","text":"foreign"}', 38,
         1700000000008, NULL, 0, NULL, 3, 0, NULL, NULL, 0, 2, 1700000000029, 1,
         X'00000000000070008000000000000007', NULL, NULL,
         '{"changedAt":1700000000030,"reactions":{"wave":2},"myReactions":["wave"]}', NULL, 1);
        INSERT INTO message VALUES (
         10, X'00000000000070008000000000000009', 'general', 'ada', '{"v":1,"type":"text","text":"edited"}', 37,
         1700000000009, 'operations', 10, NULL, 0, 0, NULL, NULL, 0, 9223372036854775807, NULL, 2,
         X'00000000000070008000000000000007', NULL, NULL, NULL, NULL, 1);
        INSERT INTO message VALUES (
         11, X'0000000000007000800000000000000A', 'general', 'ada', '{"v":1,"type":"text","text":"wave"}', 35,
         1700000000010, 'operations', 11, 0, 2, 1, 1700000000060, NULL, 0, 9223372036854775807, NULL, 3,
         X'00000000000070008000000000000007', NULL, '2:1700000000060', NULL, NULL, 1);
        INSERT INTO message VALUES (
         12, X'0000000000007000800000000000000B', 'general', 'ada', '{"v":1,"type":"text","text":"wave"}', 35,
         1700000000011, 'operations', 12, NULL, 4, 0, NULL,
         '{"detail":"because","reason":"refused","at":1700000000050,"code":"notHere"}', 0, 9223372036854775807,
         NULL, 4, X'00000000000070008000000000000008', NULL, '4:1700000000050', NULL, NULL, 1);
        INSERT INTO message VALUES (
         13, X'0000000000007000800000000000000C', 'general', 'ada',
         '{"v":1,"type":"text","text":"queued, edited"}', 45, 1700000000012, 'operations', 0, NULL, 0, 0, NULL,
         NULL, 0, 9223372036854775807, NULL, 2, X'00000000000070008000000000000001', NULL, NULL, NULL, NULL, 1);
        INSERT INTO message VALUES (
         14, X'0000000000007000800000000000000D', 'general', 'ada', '{"v":1,"type":"text","text":"heart"}', 36,
         1700000000013, 'operations', 14, 11, 4, 3, 1700000000061,
         '{"detail":"because","reason":"refused","at":1700000000050,"code":"noAnswer"}', 1, 9223372036854775807,
         NULL, 3, X'00000000000070008000000000000007', NULL, '2:1700000000061,4:1700000000050', NULL, NULL, 1);
        INSERT INTO message VALUES (
         15, X'0000000000007000800000000000000E', 'general', 'ada',
         '{"v":1,"type":"text","text":"failed, edited"}', 45, 1700000000014, 'operations', 0, NULL, 0, 0, NULL,
         NULL, 0, 9223372036854775807, NULL, 2, X'00000000000070008000000000000004', NULL, NULL, NULL, NULL, 1);
        CREATE TABLE store (
          id INTEGER PRIMARY KEY CHECK (id = 1),
          outbox_id BLOB,
          epoch INTEGER NOT NULL,
          next_sequence INTEGER NOT NULL,
          session TEXT,
          verifications INTEGER NOT NULL
        , opening BLOB, ancestors BLOB, shared_below INTEGER NOT NULL DEFAULT 0, server_history TEXT,
          account INTEGER NOT NULL DEFAULT 1) STRICT;
        INSERT INTO store VALUES (
         1, NULL, 1, 258, '{"startedAt":1700000000000,"id":"00000000-0000-7000-8000-000000000064","server":"http'
         || 's:\\/\\/chat.example","user":"ada"}', 0, NULL, NULL, 0, NULL, 1);
        CREATE UNIQUE INDEX account_name ON account(server, user);
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
        CREATE INDEX delete_action_message ON delete_action(account, message);
        CREATE INDEX delete_action_account ON delete_action(account, sequence);
        CREATE UNIQUE INDEX control_sequence ON control(account, sequence);
        CREATE UNIQUE INDEX lane_name ON lane(account, name);
        """

    // The outcome at the next start, as computed by the program that wrote it.

    static let counts = StoreCounts(
        created: 7, error: 4, failedMessages: 2, undeliveredBytes: 429, blocked: 1)
    static let entries = [
        "send 3 text 2 1 1 40 1700000000003 false",
        "fence 5 text 4 2 0 0 0 false",
        "retract 6 text 5 4 0 0 0 false",
        "send 1 text 6 - 0 37 1700000000001 false",
        "send 9 operations 10 - 0 37 1700000000009 true",
        "send 10 operations 11 0 1 35 1700000000010 true",
        "fence 13 operations 14 11 0 0 0 false",
    ]
    static let messages = [
        "1 created 6 text(\"queued, edited\") false - [] []",
        "2 created 0 text(\"parked reply\") false - [] []",
        "3 created 2 text(\"in flight\") false - [\"syncing\", \"created\"] []",
        "4 error 3 text(\"failed, edited\") false forbidden [\"error\"] []",
        "5 error 4 text(\"in doubt\") true noAnswer [\"syncing\", \"error\"] []",
        "7 synced 1 text(\"edited\") false - [\"syncing\", \"synced\"] [(key: \"wave\", value: 1)]",
        "8 synced 0 text(\"foreign\") false - [] [(key: \"wave\", value: 2)]",
    ]
    static let operations = [
        "9 edit created 10 text(\"edited\") false - [] of 7",
        "10 addReaction created 11 text(\"wave\") false - [\"syncing\", \"created\"] of 7",
        "11 removeReaction error 12 text(\"wave\") false notHere [\"error\"] of 8",
        "12 edit created 0 text(\"queued, edited\") false - [] of 1",
        "13 addReaction error 14 text(\"heart\") true noAnswer [\"syncing\", \"error\"] of 7",
        "14 edit created 0 text(\"failed, edited\") false - [] of 4",
    ]
}
