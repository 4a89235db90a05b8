package import CausewayHubStorage
internal import CausewayModels
internal import CausewaySystem
internal import Dispatch
package import GRDB
package import Logging
internal import Synchronization

/// The hub's storage in one file: SQLite in WAL mode with `synchronous = FULL`, so that every confirmed transaction
/// survives a failure of power.
///
/// Safe for concurrent calls. Writes are serialized; reads run beside them and see whole transactions. Other processes
/// may open the same file (the account commands do). After a failed write or sync the file is reopened and verified in
/// the background, see ``StorageCondition``.
package final class SQLiteHubStorage: HubStorage {
    /// The present opening. The lock is held only for a read or an assignment.
    struct Serving: Sendable {
        var opening: HubOpening
        /// The number of the last commit that was started.
        var taken: Int64
        /// The last commit that had been started when the last stored one was known.
        var settled: Int64 = 0

        mutating func take(_ commit: Int64) { taken = max(taken, commit) }

        /// - Parameters:
        ///   - commit: the last stored one.
        ///   - started: the last one that had been started by then.
        mutating func confirm(_ commit: Int64, settling started: Int64) {
            opening.lastCommit = max(opening.lastCommit, commit)
            settled = max(settled, started)
        }
    }

    let path: String
    let condition: StorageCondition
    let serving = Mutex<Serving?>(nil)
    let logger: Logger?
    let faults: StorageFaults?
    let damaged = DamagedRows()
    private let logBound: LogBound
    private let calls = Atomic(0)
    private let recovers: Bool

    /// Opens the database, and migrates an older one.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - creating: creates a new one, readable by its owner only.
    ///   - faults: for tests only.
    ///   - logger: receives failures of the storage and their end; without it, a failed storage is not reopened.
    ///   - logBytesMax: the size of the write-ahead log at which it is truncated, beside readers or not.
    /// - Throws: `exists` if a new one should be created and one exists, `newerSchema`, `damaged`, `io`, `full`,
    ///   `busy`.
    package convenience init(
        path: String, creating: Bool = false, faults: StorageFaults? = nil, logger: Logger? = nil,
        logBytesMax: Int64 = SQLiteHubLimits.logBytesMax
    ) throws(HubStorageError) {
        if creating { try DatabaseFile.create(path) }
        let connections: HubConnections
        do {
            connections = try HubConnections(opening: path)
        } catch {
            throw Self.classified(error, path: path)
        }
        self.init(
            connections, path: path, faults: faults, logger: logger,
            logBound: LogBound(path: path + "-wal", bytesMax: logBytesMax))
    }

    /// Opens or creates the database at a path, without faults.
    ///
    /// - Throws: as the initializer.
    package static func open(
        path: String, isNew: Bool, logger: Logger?
    ) async throws(HubStorageError) -> any HubStorage {
        try SQLiteHubStorage(path: path, creating: isNew, logger: logger)
    }

    // An initializer that throws after the counter has been initialized makes the optimizer of Swift 6.3 abort.
    private init(
        _ connections: HubConnections, path: String, faults: StorageFaults?, logger: Logger?, logBound: LogBound
    ) {
        self.logBound = logBound
        condition = StorageCondition(connections)
        self.path = path
        self.logger = logger
        recovers = logger != nil
        self.faults = faults
    }

    /// SQLite's `synchronous` setting in force on the writer; 2 is FULL.
    package func synchronousMode() async throws(HubStorageError) -> Int {
        try await write { db in try Int.fetchOne(db, sql: "PRAGMA synchronous") ?? -1 }
    }

    package func close() { condition.close()?.close() }

    package var isHealthy: Bool { condition.connections != nil }

    /// The number of messages and records that responses have left out, or could not contain, because their rows are
    /// damaged.
    package var damagedRowCount: Int { damaged.count }

    package var activity: Int { calls.load(ordering: .relaxed) }

    /// Reads in one transaction, concurrently with writes.
    ///
    /// - Throws: `recovering` while the storage is being reopened.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(HubStorageError) -> Value {
        try await use { try await $0.pool.read(body) }
    }

    /// Reads without being counted as activity.
    func readIdly<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(HubStorageError) -> Value {
        try await use(isActivity: false) { try await $0.pool.read(body) }
    }

    /// Reads without waiting for readers of pages, and without being counted as activity; `body` must be one look-up.
    ///
    /// On the thread of the caller: a look-up reads a few pages, which costs less than two changes of thread. Without a
    /// transaction of its own, which one statement does not need.
    func lookUp<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(HubStorageError) -> Value {
        try await use(isActivity: false) { try Self.read(body, $0.lookUps) }
    }

    /// Runs one transaction, which is on the disk on return.
    ///
    /// - Parameter isInPlace: runs it on the thread of the caller, which waits for the disk.
    /// - Throws: `outcomeUnknown` if the commit failed: the transaction may or may not be on the disk. After every
    ///   other error it is not: `recovering`, `full`, `busy`, `cancelled`, `io`, or the error of `body`.
    func write<Value: Sendable>(
        isInPlace: Bool = false, _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(HubStorageError) -> Value {
        let hasReachedCommit = Mutex(false)
        let transaction = { @Sendable [faults] (db: Database) throws -> Value in
            try faults?.inject(.write)
            let value = try body(db)
            hasReachedCommit.withLock { $0 = true }
            try faults?.inject(.commit)
            return value
        }
        do {
            return try await use { connections in
                let value =
                    isInPlace
                    ? try Self.write(transaction, connections.pool) : try await connections.pool.write(transaction)
                try faults?.inject(.sync)
                await logBound.apply(to: connections)
                return value
            }
        } catch .recovering where hasReachedCommit.withLock({ $0 }) {
            throw .outcomeUnknown(path: path, detail: "the commit failed")
        } catch .io(_, let detail) where hasReachedCommit.withLock({ $0 }) {
            throw .outcomeUnknown(path: path, detail: detail)
        }
    }

    // Synchronous functions, because in others these names are GRDB's asynchronous ones.

    private static func read<Value>(_ body: (Database) throws -> Value, _ queue: DatabaseQueue) throws -> Value {
        try queue.unsafeRead(body)
    }

    /// With cached statements for the transaction itself, which GRDB prepares anew each time.
    private static func write<Value>(_ body: (Database) throws -> Value, _ pool: DatabasePool) throws -> Value {
        try pool.writeWithoutTransaction { db in
            try db.cachedStatement(sql: "BEGIN IMMEDIATE").execute()
            do {
                let value = try body(db)
                try db.cachedStatement(sql: "COMMIT").execute()
                return value
            } catch {
                // SQLite has rolled it back already if the disk failed.
                if db.isInsideTransaction { try? db.rollback() }
                throw error
            }
        }
    }

    private func use<Value>(
        isActivity: Bool = true, _ body: (HubConnections) async throws -> Value
    ) async throws(HubStorageError) -> Value {
        guard let connections = condition.connections else { throw .recovering(path: path) }
        if isActivity { calls.wrappingAdd(1, ordering: .relaxed) }
        do {
            return try await body(connections)
        } catch {
            let problem = Self.classified(error, path: path)
            // A one-shot command reports the error and ends.
            guard recovers, !(error is HubStorageError) else { throw problem }
            let hasFailed = Self.isFailure(error)
            if hasFailed { recover(from: problem, of: connections) }
            // Also when another call's failure closed the connections under this one.
            throw hasFailed || !isHealthy ? .recovering(path: path) : problem
        }
    }

    static func classified(_ error: any Error, path: String) -> HubStorageError {
        if let error = error as? HubStorageError { return error }
        if error is CancellationError { return .cancelled(path: path) }
        guard let error = error as? DatabaseError else { return .io(path: path, detail: "\(error)") }
        let detail = error.message ?? "SQLite result \(error.resultCode.rawValue)"
        return switch error.resultCode {
        case .SQLITE_FULL: .full(path: path)
        case .SQLITE_BUSY, .SQLITE_LOCKED: .busy(path: path)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: .damaged(path: path, detail: detail)
        default: .io(path: path, detail: detail)
        }
    }

    package func rest() async -> Bool {
        let isBlocked = try? await condition.connections?.pool.writeWithoutTransaction { db in
            let isBlocked = try Bool.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            try db.execute(sql: "PRAGMA shrink_memory")
            return isBlocked
        }
        await releaseMemory()
        return isBlocked == false
    }

    /// Waits until no read is under way, on a thread of its own: a read holds its connection until a thread of the
    /// runtime continues it, of which a machine with one processor has only one.
    private func releaseMemory() async {
        guard let pool = condition.connections?.pool else { return }
        await withCheckedContinuation { continuation in
            Self.blockingQueue.async {
                pool.releaseMemory()
                continuation.resume()
            }
        }
    }
}
