internal import CausewayHubStorage
internal import GRDB

/// The open database: one connection for writing, some for reading, and a separate one for look-ups that must not wait
/// for pages: of tokens, which every request needs, and of the end of the log, before a commit is reported.
struct HubConnections: Sendable {
    let pool: DatabasePool
    let lookUps: DatabaseQueue

    /// Opens the file, configures it, and migrates an older one.
    init(opening path: String) throws {
        var configuration = GRDB.Configuration()
        configuration.label = "hub"
        configuration.busyMode = .timeout(Double(SQLiteHubLimits.busySecondsMax))
        configuration.maximumReaderCount = SQLiteHubLimits.readersMax
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA trusted_schema = OFF")
            try db.execute(sql: "PRAGMA temp_store = MEMORY")
        }
        pool = try DatabasePool(path: path, configuration: configuration)
        // Set after the pool has opened, because the pool sets NORMAL, which loses commits in a power failure.
        let mode = try pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = FULL")
            try db.execute(sql: "PRAGMA cache_size = -\(SQLiteHubLimits.writerCacheKibibytes)")
            try db.execute(sql: "PRAGMA wal_autocheckpoint = \(SQLiteHubLimits.checkpointPages)")
            try db.execute(sql: "PRAGMA journal_size_limit = \(SQLiteHubLimits.logBytesKept)")
            return try Int.fetchOne(db, sql: "PRAGMA synchronous")
        }
        guard mode == 2 else {
            throw HubStorageError.io(path: path, detail: "SQLite did not accept synchronous = FULL")
        }
        let migrator = HubSchema.migrator
        guard try !pool.read(migrator.hasBeenSuperseded) else { throw HubStorageError.newerSchema(path: path) }
        try migrator.migrate(pool)
        configuration.label = "hub.look-ups"
        configuration.readonly = true
        lookUps = try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Verifies that the content read from the file is also on the disk, and that the file is intact.
    ///
    /// After a failed sync the system may show pages that it never wrote. A checkpoint writes them again, to the
    /// database itself, and syncs it; the log then restarts.
    func verify(path: String) throws {
        try pool.writeWithoutTransaction { db in
            let isBusy = try Bool.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            guard isBusy == false else { throw HubStorageError.busy(path: path) }
            let problem = try String.fetchOne(db, sql: "PRAGMA quick_check(1)")
            guard problem == "ok" else {
                throw HubStorageError.damaged(path: path, detail: problem ?? "the check of its pages returned nothing")
            }
        }
    }

    func close() {
        try? lookUps.close()
        try? pool.close()
    }
}
