/// A store as written by layout 9, which uploaded no attachments: with media messages in several states, a text, and
/// content that is not what it looks like. Never edited: such stores exist on users' disks.
enum Layout9 {
    static let sql = """
        PRAGMA application_id = 1129535321;
        PRAGMA user_version = 9;
        CREATE TABLE account (
          id INTEGER PRIMARY KEY,
          server TEXT,
          user TEXT,
          outbox_id BLOB,
          opening BLOB,
          ancestors BLOB,
          server_history TEXT
        , event_cursor TEXT) STRICT;
        INSERT INTO account VALUES (1, 'https://chat.example', 'ada', X'00000000000070008000000000000000',
         X'00000000000070008000000000000000', X'',
         '{"server":"hub","id":"history 1","opening":"opening 1","commit":7,"claim":"claim 1"}', 'log-3');
        CREATE TABLE control (
          id INTEGER PRIMARY KEY,
          account INTEGER NOT NULL,
          sequence INTEGER NOT NULL,
          kind INTEGER NOT NULL,
          lane TEXT NOT NULL,
          previous INTEGER,
          message BLOB NOT NULL
        ) STRICT;
        CREATE TABLE delete_action (
          sequence INTEGER PRIMARY KEY,
          message BLOB NOT NULL,
          action TEXT NOT NULL
        , account INTEGER NOT NULL DEFAULT 1) STRICT;
        CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
        INSERT INTO grdb_migrations VALUES ('1');
        INSERT INTO grdb_migrations VALUES ('2');
        INSERT INTO grdb_migrations VALUES ('3');
        INSERT INTO grdb_migrations VALUES ('4');
        INSERT INTO grdb_migrations VALUES ('5');
        INSERT INTO grdb_migrations VALUES ('6');
        INSERT INTO grdb_migrations VALUES ('7');
        INSERT INTO grdb_migrations VALUES ('8');
        INSERT INTO grdb_migrations VALUES ('9');
        CREATE TABLE lane (
          id INTEGER PRIMARY KEY,
          account INTEGER NOT NULL,
          name TEXT NOT NULL,
          last_transmitted INTEGER NOT NULL
        ) STRICT;
        INSERT INTO lane VALUES (1, 1, 'media', 4);
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
        INSERT INTO message VALUES (1, X'00000000000070008000000000000001', 'general', 'ada',
         '{"attachment":{"contentType":"image/png","name":"a.png","sha256":"' ||
         '1111111111111111111111111111111111111111111111111111111111111111","size":1001},"type":"image","v":1}',
         166, 1700000000007, 'media', 1, 0, 3, 1, NULL,
         NULL, 0, 1, 1700000000021, 0, NULL, NULL, '2:1700000000020,3:1700000000022', NULL, NULL, 1);
        INSERT INTO message VALUES (2, X'00000000000070008000000000000002', 'general', 'ada',
         '{"attachment":{"contentType":"image/png","name":"a.png","sha256":"' ||
         '2222222222222222222222222222222222222222222222222222222222222222","size":1002},"type":"image","v":1}',
         166, 1700000000007, 'media', 2, NULL, 0, 0, NULL,
         NULL, 0, 9223372036854775807, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1);
        INSERT INTO message VALUES (3, X'00000000000070008000000000000003', 'general', 'ada',
         '{"attachment":{"contentType":"video/mp4","name":"b.mp4","sha256":"' ||
         '3333333333333333333333333333333333333333333333333333333333333333","size":1003},"type":"video","v":1}',
         166, 1700000000007, 'media', 3, NULL, 1, 1, NULL,
         NULL, 0, 9223372036854775807, NULL, 0, NULL, NULL, '1:1700000000020', NULL, NULL, 1);
        INSERT INTO message VALUES (4, X'00000000000070008000000000000004', 'general', 'ada',
         '{"attachment":{"contentType":"audio/ogg","name":"c.ogg","sha256":"' ||
         '4444444444444444444444444444444444444444444444444444444444444444","size":1004},"type":"audio","v":1}',
         166, 1700000000007, 'media', 4, 1, 2, 1, NULL,
         NULL, 0, 9223372036854775807, NULL, 0, NULL, NULL, '2:1700000000020', NULL, NULL, 1);
        INSERT INTO message VALUES (5, X'00000000000070008000000000000005', 'general', 'ada',
         '{"attachment":{"contentType":"application/pdf","name":"d.pdf","sha256":"' ||
         '5555555555555555555555555555555555555555555555555555555555555555","size":1005},"type":"file","v":1}',
         171, 1700000000007, 'media', 5, NULL, 4, 0, NULL,
         '{"at":1700000000005,"code":"forbidden","detail":"no","reason":"refused"}', 0, 9223372036854775807, NULL,
         0, NULL, NULL, '4:1700000000020', NULL, NULL, 1);
        INSERT INTO message VALUES (6, X'00000000000070008000000000000006', 'general', 'ada',
         '{"v":1,"type":"text","text":"\\"attachment\\" in words"}',
         54, 1700000000007, 'text', 6, NULL, 0, 0, NULL,
         NULL, 0, 9223372036854775807, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1);
        INSERT INTO message VALUES (7, X'00000000000070008000000000000007', 'general', 'ada',
         '{"v":2,"type":"image","attachment":"of a later version"}',
         56, 1700000000007, 'media', 7, NULL, 0, 0, NULL,
         NULL, 0, 9223372036854775807, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1);
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
        CREATE TABLE record (
          id INTEGER PRIMARY KEY,
          account INTEGER NOT NULL,
          kind TEXT NOT NULL,
          record TEXT NOT NULL,
          version INTEGER NOT NULL,
          value TEXT NOT NULL,
          entries TEXT NOT NULL
        ) STRICT;
        INSERT INTO record VALUES (1, 1, 'channel', 'general', 5, '{"name":"general"}', '[]');
        CREATE TABLE record_entry (
          account INTEGER NOT NULL,
          kind TEXT NOT NULL,
          name TEXT NOT NULL,
          scope TEXT NOT NULL,
          key BLOB NOT NULL,
          record TEXT NOT NULL,
          PRIMARY KEY (account, kind, name, scope, key, record)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE store (
          id INTEGER PRIMARY KEY CHECK (id = 1),
          outbox_id BLOB,
          epoch INTEGER NOT NULL,
          next_sequence INTEGER NOT NULL,
          session TEXT,
          verifications INTEGER NOT NULL
        , opening BLOB, ancestors BLOB, shared_below INTEGER NOT NULL DEFAULT 0, server_history TEXT,
         account INTEGER NOT NULL DEFAULT 1) STRICT;
        INSERT INTO store VALUES (1, NULL, 1, 258, '{"startedAt":1700000000000,
         "id":"00000000-0000-7000-8000-000000000064","server":"https://chat.example","user":"ada"}', 0,
         NULL, NULL, 0, NULL, 1);
        CREATE UNIQUE INDEX account_name ON account(server, user);
        CREATE UNIQUE INDEX message_id ON message(account, id);
        CREATE INDEX message_undelivered ON message(account, ordinal) WHERE sync_state <> 3;
        CREATE INDEX message_pending ON message(account, lane_sequence) WHERE sync_state < 3;
        CREATE INDEX message_under_way ON message(account, sync_state,
         lane_sequence) WHERE sync_state IN (1, 2);
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
        CREATE INDEX operation_under_way ON operation(account, sync_state,
         lane_sequence) WHERE sync_state IN (1, 2);
        CREATE INDEX operation_failed ON operation(account, ordinal) WHERE sync_state = 4;
        CREATE INDEX operation_failed_in_channel ON operation(account, channel,
         ordinal) WHERE sync_state = 4;
        CREATE INDEX message_place ON message(account, channel, position);
        CREATE INDEX message_dependant ON message(account, related, ordinal)
          WHERE related IS NOT NULL AND sync_state = 0 AND lane_sequence = 0;
        CREATE UNIQUE INDEX record_id ON record(account, kind, record);
        """
}
