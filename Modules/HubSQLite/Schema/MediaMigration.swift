internal import GRDB

/// Migration 11: uploads, blobs, and the messages that they are attached to.
///
/// Earlier versions accepted no messages with attachments.
enum MediaMigration {
    static func run(_ db: Database) throws { try db.execute(sql: tables) }

    private static let tables = """
        CREATE TABLE blob (
            number INTEGER PRIMARY KEY,
            sha256 BLOB NOT NULL UNIQUE,
            size INTEGER NOT NULL,
            type TEXT NOT NULL,
            attachments INTEGER NOT NULL DEFAULT 0,
            unattached_since INTEGER,
            CHECK ((attachments = 0) = (unattached_since IS NOT NULL))
        );
        CREATE INDEX blob_unattached ON blob (unattached_since) WHERE unattached_since IS NOT NULL;
        CREATE TABLE blob_uploader (
            blob INTEGER NOT NULL REFERENCES blob (number),
            account INTEGER NOT NULL REFERENCES account (number),
            PRIMARY KEY (blob, account)
        ) WITHOUT ROWID;
        CREATE TABLE attachment (
            message INTEGER PRIMARY KEY REFERENCES message (number),
            blob INTEGER NOT NULL REFERENCES blob (number),
            channel INTEGER NOT NULL REFERENCES channel (number)
        );
        CREATE INDEX attachment_blob ON attachment (blob, channel);
        CREATE TABLE upload (
            number INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE,
            account INTEGER NOT NULL REFERENCES account (number),
            sha256 BLOB NOT NULL,
            size INTEGER NOT NULL,
            type TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            completed_at INTEGER
        );
        CREATE INDEX upload_pending ON upload (account) WHERE completed_at IS NULL;
        CREATE INDEX upload_created ON upload (created_at, id);
        CREATE TABLE media_usage (
            account INTEGER PRIMARY KEY REFERENCES account (number),
            stored_bytes INTEGER NOT NULL
        );
        """
}
