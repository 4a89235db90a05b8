import GRDB
import GRDBSQLite

extension LogEnd {
    /// Records each commit of the connection, before the commit returns.
    ///
    /// SQLite has a single hook after commits, and uses it for automatic checkpoints; this hook takes their place and
    /// makes the same ones. The connection must not commit after this object is released.
    func follow(_ db: Database) throws {
        begin(pageBytes: try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0)
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        _ = unsafe sqlite3_wal_hook(
            db.sqliteConnection,
            { context, connection, name, frames in
                guard let context = unsafe context else { return SQLITE_OK }
                unsafe Unmanaged<LogEnd>.fromOpaque(context).takeUnretainedValue().noteCommit(frames: Int(frames))
                if frames >= SQLiteLimits.checkpointFrames {
                    // Frames that readers still need are copied by a later checkpoint.
                    _ = unsafe sqlite3_wal_checkpoint_v2(connection, name, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
                }
                return SQLITE_OK
            }, context)
    }
}
