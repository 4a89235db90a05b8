package import CausewayHubStorage
internal import CausewaySystem
internal import GRDB

/// Replaces a hub's database by a backup.
///
/// The restored data start another history, so that clients deliver again what the backup lacks, and no position
/// assigned since the backup is used twice. No hub may serve from the database meanwhile.
package struct SQLiteHubRestore: Sendable {
    private let database: String
    private let source: String

    private var fresh: String { database + ".restoring" }
    private var old: String { database + ".replaced" }

    /// Verifies the backup and then puts it in place atomically; nothing is changed before.
    ///
    /// - Parameters:
    ///   - source: the path of a backup of a database, with its write-ahead log beside it if there was one.
    ///   - database: the path of the hub's database.
    /// - Throws: `damaged`, `newerSchema`, `io`, `full`.
    package static func run(from source: String, to database: String) throws(HubStorageError) -> RestoredStorage {
        try SQLiteHubRestore(database: database, source: source).run()
    }

    private func run() throws(HubStorageError) -> RestoredStorage {
        removeFresh()
        do {
            try copy()
            let present = readPresent()
            let counts = try prepare(above: present ?? 0)
            let replaced = try replace(isReadable: present != nil)
            return RestoredStorage(
                messages: counts.messages, accounts: counts.accounts, replaced: replaced,
                knowsReplaced: replaced == nil || present != nil)
        } catch {
            removeFresh()
            throw SQLiteHubStorage.classified(error, path: source)
        }
    }

    /// Copies the backup as SQLite reads it, including the write-ahead log beside it.
    private func copy() throws {
        try DatabaseFile.create(fresh)
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(Double(SQLiteHubLimits.busySecondsMax))
        let backup = try DatabaseQueue(path: source, configuration: configuration)
        defer { try? backup.close() }
        let isHub = try backup.read { db in try db.tableExists("account") && db.tableExists("lane") }
        guard isHub else { throw HubStorageError.damaged(path: source, detail: "not a hub's database") }
        let copy = try DatabaseQueue(path: fresh)
        defer { try? copy.close() }
        try backup.backup(to: copy)
        let problem = try copy.read { db in try String.fetchOne(db, sql: "PRAGMA integrity_check(1)") }
        guard problem == "ok" else {
            throw HubStorageError.damaged(path: source, detail: problem ?? "the check of its pages returned nothing")
        }
    }

    /// Returns the highest position that the present database can have assigned; `nil` when there is none, or it cannot
    /// be read. Its write-ahead log is empty afterwards.
    private func readPresent() -> Int64? {
        guard isPresentReadable, let connections = try? HubConnections(opening: database) else { return nil }
        defer { connections.close() }
        return try? connections.pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            let highest = try Int64.fetchOne(db, sql: "SELECT max(last_position) FROM channel") ?? 0
            return max(highest, try SQLiteHubStorage.floor(db))
        }
    }

    /// Determined without writing: a connection that may write deletes the log of a database that it cannot read.
    private var isPresentReadable: Bool {
        guard FileSystem.exists(database) else { return false }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(Double(SQLiteHubLimits.busySecondsMax))
        let present = try? DatabaseQueue(path: database, configuration: configuration)
        defer { try? present?.close() }
        return (try? present?.read { db in try db.tableExists("account") }) == true
    }

    private func prepare(above floor: Int64) throws -> CopiedStorage {
        let connections = try HubConnections(opening: fresh)
        defer { connections.close() }
        let counts = try connections.pool.write { db in
            _ = try SQLiteHubStorage.beginHistory(
                SQLiteHubStorage.randomID(), above: floor, at: SQLiteHubStorage.now(), db)
            return try SQLiteHubBackup.count(db)
        }
        try connections.verify(path: fresh)
        return counts
    }

    private func replace(isReadable: Bool) throws(HubStorageError) -> String? {
        try DatabaseFile.sync(fresh)
        for suffix in ["-wal", "-shm"] { DatabaseFile.remove(fresh + suffix) }
        var replaced: String?
        if FileSystem.exists(database) {
            for suffix in ["", "-wal", "-shm"] { DatabaseFile.remove(old + suffix) }
            try DatabaseFile.link(database, to: old)
            // An unreadable database keeps its log; no log may be left beside another database.
            if !isReadable, FileSystem.exists(database + "-wal") {
                try DatabaseFile.rename(database + "-wal", to: old + "-wal")
            }
            replaced = old
        }
        for suffix in ["-wal", "-shm"] { DatabaseFile.remove(database + suffix) }
        try DatabaseFile.rename(fresh, to: database)
        try DatabaseFile.sync(FileSystem.parent(of: database))
        return replaced
    }

    private func removeFresh() {
        for suffix in ["", "-wal", "-shm", "-journal"] { DatabaseFile.remove(fresh + suffix) }
    }
}
