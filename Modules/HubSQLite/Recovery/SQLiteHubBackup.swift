package import CausewayHubStorage
internal import CausewaySystem
internal import GRDB

/// Copies a hub's database while the hub may serve from it.
package enum SQLiteHubBackup {
    /// Writes a copy, as of one moment, to a path where there is no file; the copy is verified and durable.
    ///
    /// - Throws: `exists`, `damaged`, `io`, `full`, `busy`.
    package static func run(from database: String, to target: String) throws(HubStorageError) -> CopiedStorage {
        try DatabaseFile.create(target)
        let copied: CopiedStorage
        do {
            var configuration = Configuration()
            configuration.readonly = true
            configuration.busyMode = .timeout(Double(SQLiteHubLimits.busySecondsMax))
            let source = try DatabaseQueue(path: database, configuration: configuration)
            defer { try? source.close() }
            let copy = try DatabaseQueue(path: target)
            defer { try? copy.close() }
            try source.backup(to: copy)
            let problem = try copy.read { db in try String.fetchOne(db, sql: "PRAGMA quick_check(1)") }
            guard problem == "ok" else {
                throw HubStorageError.damaged(
                    path: database, detail: problem ?? "the check of its pages returned nothing")
            }
            copied = try copy.read { db in try count(db) }
        } catch {
            for suffix in ["", "-wal", "-shm", "-journal"] { DatabaseFile.remove(target + suffix) }
            throw SQLiteHubStorage.classified(error, path: target)
        }
        try DatabaseFile.sync(target)
        try DatabaseFile.sync(FileSystem.parent(of: target))
        return copied
    }

    static func count(_ db: Database) throws -> CopiedStorage {
        CopiedStorage(
            messages: try Int.fetchOne(db, sql: "SELECT count(*) FROM message WHERE deleted_at IS NULL") ?? 0,
            accounts: try Int.fetchOne(db, sql: "SELECT count(*) FROM account WHERE removed_at IS NULL") ?? 0)
    }
}
