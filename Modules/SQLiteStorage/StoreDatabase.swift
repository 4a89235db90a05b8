import CausewayBlobs
import CausewaySQLiteChecksums
import CausewayStorage
import CausewaySystem
import GRDB
import Synchronization

/// The open database of a store: its connections, its settings, and the lock of its folder.
final class StoreDatabase: Sendable {
    private struct State {
        /// `nil` while it is closed.
        var pool: DatabasePool?
        var lock: FileLock?
        /// True after a failed sync, until the database has been reopened and verified.
        var needsVerification = false
        var isClosed = false
        /// The durability of the next commits, as SQLite was told.
        var inForce: Durability
        /// True while a power loss may take back commits that their callers did not wait for the disk with.
        var hasUnconfirmed = false
        /// The size at which the log is truncated.
        var logBytesMax: Int
    }

    private let state: Mutex<State>
    private let folder: StoreFolder
    private let durability: Durability
    private let options: SQLiteOptions
    private let logEnd: LogEnd
    /// A description of the commits that the log was found to have lost when the store was opened; see ``LogEnd``.
    let loss: String?
    /// The unfinished write that a crash left behind the last transaction of the log.
    let tornTail: TornTail?

    /// Opens the store in the folder, or creates it if there is none. Blocks the thread.
    init(_ folder: StoreFolder, _ durability: Durability, _ options: SQLiteOptions) throws(StoreError) {
        self.folder = folder
        self.durability = durability
        self.options = options
        try folder.create()
        let lock = try folder.takeLock()
        try StoreErasure.complete(in: folder.path)
        try UnfinishedWork.require(none: folder.path)
        let isNew = try folder.size(of: folder.database) == nil
        if isNew { try folder.requireNoRemains() }
        logEnd = try LogEnd(folder, trace: options.traceLogEnd)
        let hasLog = try folder.size(of: folder.log) ?? 0 > 0
        if isNew {
            // Of a store that is gone as a whole, but for its note.
            loss = logEnd.loss(hasDatabase: false)
            tornTail = nil
            try StoreSchema.create(folder)
            // Only now: if no new store is made, the next opening has to report the loss.
            logEnd.withdraw()
        } else {
            try StoreSchema.identify(folder)
            // Before SQLite reads the log: it ignores what it cannot use, and overwrites it.
            loss = logEnd.loss()
            tornTail = try folder.tornTail()
            try StoreSchema.verify(folder)
            try StoreSchema.addChecksums(folder, upTo: options.checksumsAddedBytesMax) { [logEnd] in logEnd.withdraw() }
        }
        let pool = try Self.open(folder, durability, options, logEnd)
        let isDurable = !hasLog || durability == .normal || Self.writeAnew(pool, logEnd)
        state = Mutex(
            State(
                pool: pool, lock: lock, needsVerification: !isDurable, inForce: durability,
                logBytesMax: options.logBytesMax))
    }

    /// Makes everything durable that the log of an earlier process has.
    ///
    /// A sync that failed there may have dropped frames of the log, which are still read back, and which no later sync
    /// would write: a commit behind them would be lost with them. Cost: copies the log, which is bounded, and which a
    /// store that was closed does not have.
    ///
    /// - Returns: false if that failed; the store is usable, and the next commit tries again.
    private static func writeAnew(_ pool: DatabasePool, _ logEnd: LogEnd) -> Bool {
        logEnd.withdraw()
        do {
            try writeAnew(pool)
            logEnd.resume(isCut: true)
            return true
        } catch {
            logEnd.resume(isCut: false)
            return false
        }
    }

    var path: String { folder.database }

    private static func open(
        _ folder: StoreFolder, _ durability: Durability, _ options: SQLiteOptions, _ logEnd: LogEnd
    ) throws(StoreError) -> DatabasePool {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .timeout(SQLiteLimits.busySecondsMax)
        configuration.maximumReaderCount = SQLiteLimits.readersMax
        configuration.label = "causeway.store"
        if let trace = options.trace {
            configuration.prepareDatabase { db in
                db.trace { event in
                    if case .statement(let statement) = event { trace(statement.sql) }
                }
            }
        }
        return try StoreError.catching(folder.database) {
            let pool = try DatabasePool(
                path: PageChecksums.address(of: folder.database), configuration: configuration)
            try StoreSchema.migrator.migrate(pool)
            try pool.writeWithoutTransaction { db in
                try set(durability, options, on: db)
                try logEnd.follow(db)
            }
            return pool
        }
    }

    /// Applies the settings, after the pool has applied its own, and verifies the critical ones.
    private static func set(_ durability: Durability, _ options: SQLiteOptions, on db: Database) throws {
        let level = level(of: durability)
        try db.execute(sql: "PRAGMA synchronous = \(level)")
        if durability == .full {
            // For systems where a plain sync does not reach the disk's platter; without effect elsewhere.
            try db.execute(sql: "PRAGMA fullfsync = ON")
            try db.execute(sql: "PRAGMA checkpoint_fullfsync = ON")
        }
        try db.execute(sql: "PRAGMA journal_size_limit = \(options.logBytesMax)")
        try db.execute(sql: "PRAGMA cache_size = -\(SQLiteLimits.writerCacheKibibytesMax)")
        if let pagesMax = options.pagesMax { try db.execute(sql: "PRAGMA max_page_count = \(pagesMax)") }
        let inForce = try SQLiteSettings(db)
        guard inForce == SQLiteSettings(journal: "wal", synchronous: level) else {
            throw StoreError.other(detail: "SQLite did not accept the settings: \(inForce)")
        }
    }

    func pool() throws(StoreError) -> DatabasePool {
        let (pool, isClosed) = state.withLock { ($0.pool, $0.isClosed) }
        if let pool { return pool }
        // The disk failed and cannot be used again yet: a temporary state, unlike being closed.
        throw isClosed ? .closed : .syncFailed(detail: "the store will be reopened when its disk works again")
    }

    // MARK: The log

    /// Copies the log into the database and truncates it when it has grown beyond its bound. Called between commits, by
    /// the writer.
    ///
    /// With overlapping readers SQLite never restarts the log by itself. This waits briefly until each reader that uses
    /// the log has ended; readers that begin meanwhile do not use it. If one does not end, commits continue, and the
    /// next try follows when the log has grown a little more.
    ///
    /// A sync that fails meanwhile may drop commits that nobody waited for, and later ones would rest on them.
    func boundLog() {
        if logEnd.takeFailedSync() { return requireVerification() }
        let size = logEnd.logBytes
        let pool = state.withLock { size > $0.logBytesMax ? $0.pool : nil }
        guard let pool else { return }
        logEnd.withdraw()
        var isCut = false
        do { isCut = try Self.cutLog(pool) } catch {
            if case .syncFailed = StoreError(error, path: path) { requireVerification() }
        }
        // A reader did not end in time, or the disk is full: later commits must not wait for it each time.
        logEnd.resume(isCut: isCut)
        let next = isCut ? options.logBytesMax : size + SQLiteLimits.logRetryBytes
        state.withLock { $0.logBytesMax = next }
    }

    /// Copies the log into the database and truncates it, if each reader that uses it ends soon.
    private static func cutLog(_ pool: DatabasePool) throws -> Bool {
        try pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA busy_timeout = \(SQLiteLimits.logBusyMillisecondsMax)")
            defer { try? db.execute(sql: "PRAGMA busy_timeout = \(Int(SQLiteLimits.busySecondsMax * 1000))") }
            return try truncateLog(db)
        }
    }

    /// Copies the log into the database and truncates it.
    ///
    /// - Returns: false if a reader uses it for longer than the connection waits.
    private static func truncateLog(_ db: Database) throws -> Bool {
        try Int.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)") == 0
    }

    /// Runs `body` on the writer's connection, then copies the log into the database and truncates it. Commits wait
    /// meanwhile.
    func withLogCut(_ body: (Database) throws -> Void) throws(StoreError) {
        let pool = try pool()
        do throws(StoreError) {
            try StoreError.catching(path) {
                try pool.writeWithoutTransaction { db in
                    defer { logEnd.resume(isCut: false) }
                    try body(db)
                    // Only now: the commits of the body are noted, too.
                    logEnd.withdraw()
                    if try Self.truncateLog(db) { logEnd.resume(isCut: true) }
                }
            }
        } catch {
            if case .syncFailed = error { requireVerification() }
            throw error
        }
    }

    /// Runs `body` on the writer's connection. One caller at a time; blocks the thread.
    ///
    /// - Parameter wanted: whether its commit waits for the disk, in a store that does.
    func write<Value>(
        _ wanted: Durability = .full, _ body: (Database) throws -> Value
    ) throws(StoreError) -> Value {
        let pool = try pool()
        return try StoreError.catching(path) {
            try pool.writeWithoutTransaction { db in
                try setDurability(wanted, on: db)
                return try body(db)
            }
        }
    }

    /// Tells SQLite about the durability of the next commit, if it is not that of the last one.
    private func setDurability(_ wanted: Durability, on db: Database) throws {
        guard durability == .full, state.withLock({ $0.inForce }) != wanted else { return }
        try db.execute(sql: "PRAGMA synchronous = \(Self.level(of: wanted))")
        logEnd.setNoting(wanted == .full)
        state.withLock { $0.inForce = wanted }
    }

    private static func level(of durability: Durability) -> Int { durability == .full ? 2 : 1 }

    /// True if a commit that waits for the disk must write something, even if it changes nothing: it may rest on
    /// commits that the disk has not confirmed, and SQLite syncs the log only when it has written to it.
    var hasUnconfirmed: Bool { state.withLock { $0.hasUnconfirmed } }

    func noteCommit(_ made: Durability) {
        guard durability == .full else { return }
        state.withLock { $0.hasUnconfirmed = made == .normal }
    }

    /// Runs `body` on a reader's connection: it waits for no writer, and sees every acknowledged commit. Not
    /// cancellable, because queries are short.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        let pool = try pool()
        let path = path
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            pool.asyncRead { db in
                do {
                    continuation.resume(returning: .success(try body(try db.get())))
                } catch {
                    continuation.resume(returning: .failure(StoreError(error, path: path)))
                }
            }
        }
        return try result.get()
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    // MARK: After a failed sync

    var needsVerification: Bool { state.withLock { $0.needsVerification } }

    func requireVerification() { state.withLock { $0.needsVerification = true } }

    /// Closes the connections, opens new ones, and verifies the file and that the disk accepts writes.
    ///
    /// The first write overwrites, in the log, the remains of the failed commit, so that it cannot reappear.
    func reopen() throws(StoreError) {
        if state.withLock({ $0.isClosed }) { throw .closed }
        if let pool = state.withLock({ $0.pool }) {
            try? Self.probe(pool)
            state.withLock { $0.pool = nil }
            logEnd.withdraw()
            try? pool.close()
        }
        try StoreSchema.identify(folder)
        // The new connection commits with the durability of the store.
        logEnd.setNoting(true)
        let pool = try Self.open(folder, durability, options, logEnd)
        let damage: StoreError? = try StoreError.catching(path) {
            try Self.writeAnew(pool)
            try Self.probe(pool)
            return try pool.read { db in try StoreSchema.damage(db, folder) }
        }
        if let damage { throw damage }
        state.withLock { state in
            state.pool = pool
            state.inForce = durability
            state.hasUnconfirmed = false
            state.needsVerification = false
        }
    }

    /// Copies the log into the database and cuts it: the failed sync may have dropped frames of it, which a later sync
    /// would report as written.
    private static func writeAnew(_ pool: DatabasePool) throws {
        let isCut = try pool.writeWithoutTransaction { db in try truncateLog(db) }
        guard isCut else { throw StoreError.syncFailed(detail: "the log is in use; the store tries again") }
    }

    private static func probe(_ pool: DatabasePool) throws {
        try pool.writeWithoutTransaction { db in
            try db.inTransaction(.immediate) {
                try db.execute(sql: StoreSchema.touch)
                return .commit
            }
        }
    }

    /// Copies the log into the database, closes the connections and releases the lock. May be called twice.
    func close() {
        let (pool, lock) = state.withLock { state in
            state.isClosed = true
            defer {
                state.pool = nil
                state.lock = nil
            }
            return (state.pool, state.lock)
        }
        if let pool { close(pool) }
        withExtendedLifetime(lock) {}
    }

    /// The pool closes its writer first, and SQLite leaves the log to the connection that is closed last: a reader,
    /// which cannot copy it. A log that was left with its note withdrawn could get lost unnoticed.
    private func close(_ pool: DatabasePool) {
        logEnd.withdraw()
        // After a failed sync the log may end with a commit that was reported as failed.
        if !needsVerification { _ = try? Self.cutLog(pool) }
        // Active readers keep their connections until they have ended.
        try? pool.close()
        if let bytes = try? folder.size(of: folder.log), bytes > 0 { logEnd.resume(isCut: false) }
    }
}
