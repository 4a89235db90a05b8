internal import CausewayHTTPServer
internal import CausewaySystem
internal import GRDB

/// Replaces a hub's database by a backup.
///
/// The restored data start another history, so that clients deliver again what the backup lacks, and no position
/// assigned since the backup is used twice. Certificates, keys and settings of the folder are unchanged.
package struct HubRestore: Sendable {
    /// The result of a restore.
    package struct Report: Sendable {
        package let source: String
        package let database: String
        package let messages: Int
        package let accounts: Int
        /// The path of the replaced database, which is kept; `nil` when there was none.
        package let replaced: String?
        /// False when the replaced database could not be read: the positions it had assigned were estimated.
        package let knowsReplaced: Bool
    }

    private let folder: DataFolder
    private let source: String

    /// - Parameter path: a backup of a data folder, or of its `hub.sqlite`.
    package init(folder: DataFolder, from path: String) {
        self.folder = folder
        let inside = DataFolder(path).database
        source = FileSystem.exists(inside) ? inside : path
    }

    private var fresh: String { folder.database + ".restoring" }
    private var old: String { folder.database + ".replaced" }

    /// Verifies the backup and then puts it in place atomically; nothing is changed before.
    ///
    /// - Throws: `inUse` while a hub serves from the folder, `damaged`, `newerSchema`, `io`, `full`.
    package func run() throws(HubError) -> Report {
        try folder.checkOwner()
        guard FileSystem.exists(source) else { throw .io(path: source, detail: "no backup found") }
        try DataFolder.makeFolder(folder.path)
        let lock = try DataFolderLock(folder)
        defer { withExtendedLifetime(lock) {} }
        guard !FileSystem.isSameFile(source, folder.database) else {
            throw .configuration("\(source) is the hub's current database; name a backup of it")
        }
        removeFresh()
        do {
            try copy()
            let present = readPresent()
            let counts = try prepare(above: present ?? 0)
            let replaced = try replace(isReadable: present != nil)
            return Report(
                source: source, database: folder.database, messages: counts.messages, accounts: counts.accounts,
                replaced: replaced, knowsReplaced: replaced == nil || present != nil)
        } catch {
            removeFresh()
            throw HubStore.classified(error, path: source)
        }
    }

    /// Copies the backup as SQLite reads it, including the write-ahead log beside it.
    private func copy() throws {
        try DataFolder.writeSecret("", to: fresh)
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(Double(HubLimits.databaseBusySecondsMax))
        let backup = try DatabaseQueue(path: source, configuration: configuration)
        defer { try? backup.close() }
        let isHub = try backup.read { db in try db.tableExists("account") && db.tableExists("lane") }
        guard isHub else { throw HubError.damaged(path: source, detail: "not a hub's database") }
        let copy = try DatabaseQueue(path: fresh)
        defer { try? copy.close() }
        try backup.backup(to: copy)
        let problem = try copy.read { db in try String.fetchOne(db, sql: "PRAGMA integrity_check(1)") }
        guard problem == "ok" else {
            throw HubError.damaged(path: source, detail: problem ?? "the check of its pages returned nothing")
        }
    }

    /// Returns the highest position that the present database can have assigned; `nil` when there is none, or it cannot
    /// be read. Its write-ahead log is empty afterwards.
    private func readPresent() -> Int64? {
        guard isPresentReadable, let connections = try? HubConnections(opening: folder.database) else { return nil }
        defer { connections.close() }
        return try? connections.pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            let highest = try Int64.fetchOne(db, sql: "SELECT max(last_position) FROM channel") ?? 0
            return max(highest, try HubStore.floor(db))
        }
    }

    /// Determined without writing: a connection that may write deletes the log of a database that it cannot read.
    private var isPresentReadable: Bool {
        guard folder.isSetUp else { return false }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(Double(HubLimits.databaseBusySecondsMax))
        let present = try? DatabaseQueue(path: folder.database, configuration: configuration)
        defer { try? present?.close() }
        return (try? present?.read { db in try db.tableExists("account") }) == true
    }

    private func prepare(above floor: Int64) throws -> (messages: Int, accounts: Int) {
        let connections = try HubConnections(opening: fresh)
        defer { connections.close() }
        let now = SystemClock.now()
        let counts = try connections.pool.write { db in
            _ = try HubStore.beginHistory(above: floor, at: now, db)
            return (
                messages: try Int.fetchOne(db, sql: "SELECT count(*) FROM message WHERE deleted_at IS NULL") ?? 0,
                accounts: try Int.fetchOne(db, sql: "SELECT count(*) FROM account WHERE removed_at IS NULL") ?? 0
            )
        }
        try connections.verify(path: fresh)
        return counts
    }

    private func replace(isReadable: Bool) throws(HubError) -> String? {
        try DataFolder.sync(fresh)
        for suffix in ["-wal", "-shm"] { DataFolder.remove(fresh + suffix) }
        var replaced: String?
        if FileSystem.exists(folder.database) {
            for suffix in ["", "-wal", "-shm"] { DataFolder.remove(old + suffix) }
            try DataFolder.link(folder.database, to: old)
            // An unreadable database keeps its log; no log may be left beside another database.
            if !isReadable, FileSystem.exists(folder.database + "-wal") {
                try DataFolder.rename(folder.database + "-wal", to: old + "-wal")
            }
            replaced = old
        }
        for suffix in ["-wal", "-shm"] { DataFolder.remove(folder.database + suffix) }
        try DataFolder.rename(fresh, to: folder.database)
        try DataFolder.sync(folder.path)
        return replaced
    }

    private func removeFresh() {
        for suffix in ["", "-wal", "-shm", "-journal"] { DataFolder.remove(fresh + suffix) }
    }
}
