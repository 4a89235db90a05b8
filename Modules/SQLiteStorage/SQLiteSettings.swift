import CausewayStorage
import GRDB

/// The effective settings of a connection, as opposed to the requested ones.
package struct SQLiteSettings: Sendable, Equatable {
    /// The journal mode; `wal` for stores.
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
