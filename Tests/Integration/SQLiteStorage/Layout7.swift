/// The store of ``Layout6`` in layout 7, in which operations have a table of their own. Never edited: such stores exist
/// on users' disks.
enum Layout7 {
    static let sql = """
        PRAGMA application_id = 1129535321;
        PRAGMA user_version = 7;
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
         '{"type":"text","message":"00000000-0000-7000-8000-000000000006","at":1700000000043,"by":"cli",'
          || '"sequence":9,"channel":"general","syncState":"syncing"}', 1);
        CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
        INSERT INTO grdb_migrations VALUES ('1');
        INSERT INTO grdb_migrations VALUES ('2');
        INSERT INTO grdb_migrations VALUES ('3');
        INSERT INTO grdb_migrations VALUES ('4');
        INSERT INTO grdb_migrations VALUES ('5');
        INSERT INTO grdb_migrations VALUES ('6');
        INSERT INTO grdb_migrations VALUES ('7');
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
         '{"reactions":{"wave":1},"myReactions":["wave"],"clock":{"reactions":{}},"content":{"type":"tex'
          || 't","v":1,"text":"edited"}}', 1);
        INSERT INTO message VALUES (
         2, X'00000000000070008000000000000003', 'general', 'ada', '{"v":1,"type":"text","text":"in flight"}',
         40, 1700000000003, 'text', 2, 1, 2, 1, 1700000000040, NULL, 0, 9223372036854775807, NULL, 0, NULL,
         NULL, '2:1700000000040', NULL, NULL, 1);
        INSERT INTO message VALUES (
         3, X'00000000000070008000000000000004', 'general', 'ada', '{"v":1,"type":"text","text":"failed"}', 37,
         1700000000004, 'text', 3, NULL, 4, 0, NULL,
         '{"detail":"because","reason":"refused","at":1700000000050,"code":"forbidden"}', 0,
         9223372036854775807, NULL, 0, NULL, NULL, '4:1700000000050', NULL,
         '{"myReactions":[],"content":{"type":"text","v":1,"text":"failed, edited"},"reactions":{},"cloc'
          || 'k":{"reactions":{}}}', 1);
        INSERT INTO message VALUES (
         4, X'00000000000070008000000000000005', 'general', 'ada', '{"v":1,"type":"text","text":"in doubt"}',
         39, 1700000000005, 'text', 4, 2, 4, 2, 1700000000041,
         '{"detail":"because","reason":"refused","at":1700000000050,"code":"noAnswer"}', 1,
         9223372036854775807, NULL, 0, NULL, NULL, '2:1700000000041,4:1700000000050', NULL, NULL, 1);
        INSERT INTO message VALUES (
         6, X'00000000000070008000000000000001', 'general', 'ada', '{"v":1,"type":"text","text":"queued"}', 37,
         1700000000001, 'text', 6, NULL, 0, 0, NULL, NULL, 0, 9223372036854775807, NULL, 0, NULL, NULL, NULL,
         NULL,
         '{"clock":{"reactions":{}},"myReactions":[],"content":{"text":"queued, edited","v":1,"type":"te'
          || 'xt"},"reactions":{}}', 1);
        INSERT INTO message VALUES (
         7, X'00000000000070008000000000000002', 'general', 'ada',
         '{"v":1,"type":"text","text":"parked reply"}', 43, 1700000000002, 'media', 0, NULL, 0, 0, NULL, NULL,
         0, 9223372036854775807, NULL, 1, X'00000000000070008000000000000001', NULL, NULL, NULL, NULL, 1);
        INSERT INTO message VALUES (
         8, X'00000000000070008000000000000008', 'general', 'grace', '{"v":1,"type":"text","text":"foreign"}',
         38, 1700000000008, NULL, 0, NULL, 3, 0, NULL, NULL, 0, 2, 1700000000029, 1,
         X'00000000000070008000000000000007', NULL, NULL,
         '{"changedAt":1700000000030,"reactions":{"wave":2},"myReactions":["wave"]}', NULL, 1);
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
         1, NULL, 1, 258,
         '{"startedAt":1700000000000,"id":"00000000-0000-7000-8000-000000000064","server":"https:\\/\\/cha'
          || 't.example","user":"ada"}', 0, NULL, NULL, 0, NULL, 1);
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
        INSERT INTO operation VALUES (
         10, 1, X'00000000000070008000000000000009', 2, X'00000000000070008000000000000007', 'general', 'ada',
         '{"v":1,"type":"text","text":"edited"}', 37, 1700000000009, NULL, 'operations', 10, NULL, 0, 0, NULL,
         NULL, 0, NULL);
        INSERT INTO operation VALUES (
         11, 1, X'0000000000007000800000000000000A', 3, X'00000000000070008000000000000007', 'general', 'ada',
         '{"v":1,"type":"text","text":"wave"}', 35, 1700000000010, NULL, 'operations', 11, 0, 2, 1,
         1700000000060, NULL, 0, '2:1700000000060');
        INSERT INTO operation VALUES (
         12, 1, X'0000000000007000800000000000000B', 4, X'00000000000070008000000000000008', 'general', 'ada',
         '{"v":1,"type":"text","text":"wave"}', 35, 1700000000011, NULL, 'operations', 12, NULL, 4, 0, NULL,
         '{"detail":"because","reason":"refused","at":1700000000050,"code":"notHere"}', 0, '4:1700000000050');
        INSERT INTO operation VALUES (
         13, 1, X'0000000000007000800000000000000C', 2, X'00000000000070008000000000000001', 'general', 'ada',
         '{"v":1,"type":"text","text":"queued, edited"}', 45, 1700000000012, NULL, 'operations', 0, NULL, 0, 0,
         NULL, NULL, 0, NULL);
        INSERT INTO operation VALUES (
         14, 1, X'0000000000007000800000000000000D', 3, X'00000000000070008000000000000007', 'general', 'ada',
         '{"v":1,"type":"text","text":"heart"}', 36, 1700000000013, NULL, 'operations', 14, 11, 4, 3,
         1700000000061, '{"detail":"because","reason":"refused","at":1700000000050,"code":"noAnswer"}', 1,
         '2:1700000000061,4:1700000000050');
        INSERT INTO operation VALUES (
         15, 1, X'0000000000007000800000000000000E', 2, X'00000000000070008000000000000004', 'general', 'ada',
         '{"v":1,"type":"text","text":"failed, edited"}', 45, 1700000000014, NULL, 'operations', 0, NULL, 0, 0,
         NULL, NULL, 0, NULL);
        CREATE UNIQUE INDEX account_name ON account(server, user);
        CREATE UNIQUE INDEX message_id ON message(account, id);
        CREATE INDEX message_undelivered ON message(account, ordinal) WHERE sync_state <> 3;
        CREATE INDEX message_pending ON message(account, lane_sequence) WHERE sync_state < 3;
        CREATE INDEX message_under_way ON message(account, sync_state, lane_sequence) WHERE sync_state IN (1, 2);
        CREATE INDEX message_failed ON message(account, ordinal) WHERE sync_state = 4;
        CREATE INDEX message_failed_in_channel ON message(account, channel, ordinal) WHERE sync_state = 4;
        CREATE INDEX delete_action_message ON delete_action(account, message);
        CREATE INDEX delete_action_account ON delete_action(account, sequence);
        CREATE UNIQUE INDEX control_sequence ON control(account, sequence);
        CREATE UNIQUE INDEX lane_name ON lane(account, name);
        CREATE UNIQUE INDEX operation_id ON operation(account, id);
        CREATE INDEX operation_order ON operation(account, ordinal);
        CREATE INDEX operation_in_channel ON operation(account, channel, ordinal);
        CREATE INDEX operation_target ON operation(account, target, ordinal);
        CREATE INDEX operation_pending ON operation(account, lane_sequence) WHERE sync_state < 3;
        CREATE INDEX operation_under_way ON operation(account, sync_state, lane_sequence) WHERE sync_state IN (1, 2);
        CREATE INDEX operation_failed ON operation(account, ordinal) WHERE sync_state = 4;
        CREATE INDEX operation_failed_in_channel ON operation(account, channel, ordinal) WHERE sync_state = 4;
        CREATE INDEX message_place ON message(account, channel, position);
        CREATE INDEX message_dependant ON message(account, related, ordinal)
          WHERE related IS NOT NULL AND sync_state = 0 AND lane_sequence = 0;
        """
}
