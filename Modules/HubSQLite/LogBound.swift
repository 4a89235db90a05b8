internal import CausewaySystem
internal import GRDB
internal import Synchronization

/// The bound of the write-ahead log: with overlapping readers SQLite never restarts it by itself.
///
/// Safe for concurrent calls.
final class LogBound: Sendable {
    private let path: String
    private let bytesMax: Int64
    /// The size at which the log is truncated next.
    private let next: Mutex<Int64>

    init(path: String, bytesMax: Int64) {
        self.path = path
        self.bytesMax = bytesMax
        next = Mutex(bytesMax)
    }

    /// Copies the log into the database and truncates it when it has grown beyond its bound. Called after a commit.
    ///
    /// Waits briefly until each reader that uses the log has ended; readers that begin meanwhile do not use it. If one
    /// does not end, commits continue, and the next try follows when the log has grown a little more. Otherwise costs
    /// one look at the file.
    func apply(to connections: HubConnections) async {
        guard let size = try? FileStatus(of: path).bytesCount, size > next.withLock({ $0 }) else { return }
        // Other commits under way need not try as well.
        next.withLock { $0 = size + SQLiteHubLimits.logRetryBytes }
        let isBusy = try? await connections.pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA busy_timeout = \(SQLiteHubLimits.logBusyMillisecondsMax)")
            defer { try? db.execute(sql: "PRAGMA busy_timeout = \(SQLiteHubLimits.busySecondsMax * 1000)") }
            return try Bool.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        if isBusy == false { next.withLock { $0 = bytesMax } }
    }
}
