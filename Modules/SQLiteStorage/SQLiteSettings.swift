import CausewayStorage
import GRDB

/// What a connection really does, whatever it was asked for.
package struct SQLiteSettings: Sendable, Equatable {
    /// How changes get into the file; `wal` for ours.
    package var journal: String
    /// 2 waits for the disk at every commit, 1 only when the log is copied into the database.
    package var synchronous: Int

    package init(journal: String, synchronous: Int) {
        self.journal = journal
        self.synchronous = synchronous
    }

    init(_ db: Database) throws {
        journal = try String.fetchOne(db, sql: "PRAGMA journal_mode") ?? ""
        synchronous = try Int.fetchOne(db, sql: "PRAGMA synchronous") ?? -1
    }
}
