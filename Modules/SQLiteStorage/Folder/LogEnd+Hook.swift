import CausewayStorage
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
                let end = unsafe Unmanaged<LogEnd>.fromOpaque(context).takeUnretainedValue()
                end.noteCommit(frames: Int(frames))
                guard frames >= SQLiteLimits.checkpointFrames else { return SQLITE_OK }
                // Frames that readers still need are copied by a later checkpoint.
                let result = unsafe sqlite3_wal_checkpoint_v2(connection, name, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
                if result == SQLITE_OK { return SQLITE_OK }
                let error = DatabaseError(resultCode: ResultCode(rawValue: result))
                if case .syncFailed = StoreError(error, path: "") { end.noteFailedSync() }
                return SQLITE_OK
            }, context)
    }
}
