internal import CausewayHTTPServer
internal import CausewayModels
internal import GRDB
internal import Synchronization

/// What the hub keeps: accounts, channels, messages, marks. SQLite in WAL mode with `synchronous = FULL`: what was
/// answered survives a power cut.
///
/// What holds after every commit, whatever process died when:
///
/// 1. A message id is there once, under the account that first used it, for ever; a deleted one without its content.
/// 2. The positions of a channel are 1, 2, 3 … up to `channel.last_position`, in the order of acceptance, each given
///    once.
/// 3. A lane's mark and what was applied to it moved in the same transaction: nothing at or below the mark is applied
///    any more, and everything that was answered `accepted` is there.
/// 4. An outbox's epoch never goes back.
/// 5. No secret is in the file: of a token there is only the SHA-256.
///
/// Any number of tasks may call it. Writes come one after the other; reads run beside them and see whole transactions.
/// Other processes may open the same file (the account commands do).
package final class HubStore: Sendable {
    let pool: DatabasePool
    let path: String
    /// The wall clock; positions and order never depend on it.
    let now: @Sendable () -> Timestamp
    /// Set when the system could not write or sync. From then on nothing is accepted until the hub was started anew.
    private let isBroken = Mutex(false)

    /// Opens the database of a folder, and brings an older one up to date.
    ///
    /// - Parameter creating: makes a new one, readable by its owner only.
    /// - Throws: `notSetUp`, `alreadySetUp` when a new one is to be made and there is one, `fromTheFuture`,
    ///   `damaged`, `io`, `full`, `busy`.
    package init(_ folder: DataFolder, creating: Bool = false) throws(HubError) {
        path = folder.database
        now = SystemClock.now
        try folder.checkOwner()
        guard creating || folder.isSetUp else { throw .notSetUp(folder: folder.path) }
        if creating { try DataFolder.writeSecret("", to: folder.database) }
        do {
            pool = try Self.open(folder.database)
        } catch let error as HubError {
            throw error
        } catch {
            throw Self.classified(error, path: folder.database)
        }
    }

    private static func open(_ path: String) throws -> DatabasePool {
        var configuration = GRDB.Configuration()
        configuration.label = "hub"
        configuration.busyMode = .timeout(Double(HubLimits.databaseBusySecondsMax))
        configuration.maximumReaderCount = HubLimits.readersMax
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA trusted_schema = OFF")
            try db.execute(sql: "PRAGMA temp_store = MEMORY")
        }
        let pool = try DatabasePool(path: path, configuration: configuration)
        // Set after the pool is open, as the pool sets NORMAL itself, with which a power cut loses commits.
        let mode = try pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = FULL")
            try db.execute(sql: "PRAGMA cache_size = -\(HubLimits.writerCacheKibibytes)")
            try db.execute(sql: "PRAGMA wal_autocheckpoint = \(HubLimits.checkpointPages)")
            return try Int.fetchOne(db, sql: "PRAGMA synchronous")
        }
        guard mode == 2 else {
            throw HubError.io(path: path, detail: "SQLite did not take synchronous = FULL")
        }
        let migrator = HubSchema.migrator
        guard try !pool.read(migrator.hasBeenSuperseded) else { throw HubError.fromTheFuture(path: path) }
        try migrator.migrate(pool)
        return pool
    }

    /// SQLite's `synchronous` as it is in force on the writer; 2 is FULL.
    package func synchronousMode() async throws(HubError) -> Int {
        try await write { db in try Int.fetchOne(db, sql: "PRAGMA synchronous") ?? -1 }
    }

    /// Closes the file; a call after that throws.
    package func close() { try? pool.close() }

    func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws(HubError) -> Value {
        do {
            return try await pool.read(body)
        } catch {
            throw classified(error)
        }
    }

    /// Runs one transaction, which is on the disk when this returns, or not at all when it throws.
    func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws(HubError) -> Value
    {
        if isBroken.withLock({ $0 }) {
            throw .io(path: path, detail: "an earlier write failed; the hub must be started anew")
        }
        do {
            return try await pool.write(body)
        } catch {
            // After a failed write or sync nobody knows what is on the disk; only a new start finds out.
            if (error as? DatabaseError)?.resultCode == .SQLITE_IOERR { isBroken.withLock { $0 = true } }
            throw classified(error)
        }
    }

    private func classified(_ error: any Error) -> HubError {
        (error as? HubError) ?? Self.classified(error, path: path)
    }

    private static func classified(_ error: any Error, path: String) -> HubError {
        if error is CancellationError { return .busy(path: path) }
        guard let error = error as? DatabaseError else { return .io(path: path, detail: "\(error)") }
        let detail = error.message ?? "SQLite result \(error.resultCode.rawValue)"
        return switch error.resultCode {
        case .SQLITE_FULL: .full(path: path)
        case .SQLITE_BUSY, .SQLITE_LOCKED: .busy(path: path)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: .damaged(path: path, detail: detail)
        default: .io(path: path, detail: detail)
        }
    }
}
