internal import CausewayHTTPServer
internal import CausewayModels
package import GRDB
package import Logging
internal import Synchronization

/// The hub's database: accounts, channels, messages, marks. SQLite in WAL mode with `synchronous = FULL`: every
/// acknowledged write survives a power failure.
///
/// Invariants after every commit, whichever process died at any time:
///
/// 1. A message id is stored once, under the account that first used it, for ever; a deleted one without its content.
/// 2. The positions of a channel ascend up to `channel.last_position`, in the order of acceptance, each assigned once:
///   1, 2, 3 … in the first history, and from the floor of the history in a later one.
/// 3. A lane's mark moves in the same transaction as the operations applied to it: nothing at or below the mark is
///   applied any more, and everything answered with `accepted` is stored.
/// 4. An outbox's epoch never decreases.
/// 5. The file contains no secret that grants access: of a token there is only the SHA-256. The key of the hub's own
///   seals can prove no more than that data was lost.
///
/// Safe for concurrent calls. Writes are serialized; reads run beside them and see whole transactions. Other processes
/// may open the same file (the account commands do).
package final class HubStore: Sendable {
    let condition: StorageCondition
    let path: String
    let history = HubHistory()
    /// The wall clock; positions and order never depend on it.
    let now: @Sendable () -> Timestamp
    /// Counts every read and write, so that idle periods can be detected.
    private let done = Atomic(0)
    let logger: Logger?
    private let recovers: Bool
    let faults: HubFaults?

    /// Opens the database of a folder, and migrates an older one.
    ///
    /// - Parameters:
    ///   - creating: creates a new one, readable by its owner only.
    ///   - faults: for tests only.
    ///   - logger: receives failures of the storage and their end; without it, a failed storage is not reopened.
    /// - Throws: `notSetUp`, `alreadySetUp` if a new one should be created and one exists, `newerSchema`,
    ///   `damaged`, `io`, `full`, `busy`.
    package convenience init(
        _ folder: DataFolder, creating: Bool = false, faults: HubFaults? = nil, logger: Logger? = nil
    ) throws(HubError) {
        try folder.checkOwner()
        guard creating || folder.isSetUp else { throw .notSetUp(folder: folder.path) }
        if creating { try DataFolder.writeSecret("", to: folder.database) }
        let connections: HubConnections
        do {
            connections = try HubConnections(opening: folder.database)
        } catch let error as HubError {
            throw error
        } catch {
            throw Self.classified(error, path: folder.database)
        }
        self.init(connections, path: folder.database, faults: faults, logger: logger)
    }

    // An initializer that throws after the counter has been initialized makes the optimizer of Swift 6.3 abort.
    private init(_ connections: HubConnections, path: String, faults: HubFaults?, logger: Logger?) {
        condition = StorageCondition(connections)
        self.path = path
        now = SystemClock.now
        self.logger = logger
        recovers = logger != nil
        self.faults = faults
    }

    /// SQLite's `synchronous` setting in force on the writer; 2 is FULL.
    package func synchronousMode() async throws(HubError) -> Int {
        try await write { db in try Int.fetchOne(db, sql: "PRAGMA synchronous") ?? -1 }
    }

    /// Closes the file; later calls throw.
    package func close() { condition.close()?.close() }

    /// Whether requests can be served; false from a failure of the storage until it has been reopened and verified.
    package var isHealthy: Bool { condition.connections != nil }

    /// Reads in one transaction, concurrently with writes.
    ///
    /// - Throws: `recovering` while the storage is being reopened.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(HubError) -> Value {
        try await use { try await $0.pool.read(body) }
    }

    /// Reads on the connection for tokens; `body` must be short.
    func readToken<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(HubError) -> Value {
        try await use { try await $0.tokens.read(body) }
    }

    /// Runs one transaction, which is on the disk on return.
    ///
    /// - Throws: `outcomeUnknown` if the commit failed: the transaction may or may not be on the disk. After every
    ///   other error it is not: `recovering`, `full`, `busy`, `io`, or the error of `body`.
    func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws(HubError) -> Value
    {
        try await write { db, _ in try body(db) }
    }

    /// Runs one transaction as an opening of the database, see ``ChangesCursor``.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database, _ opening: [UInt8]) throws -> Value
    ) async throws(HubError) -> Value {
        let hasReachedCommit = Mutex(false)
        do {
            return try await use { connections in
                let value = try await connections.pool.write { db in
                    try faults?.injectStorage(.write)
                    let value = try body(db, connections.opening)
                    hasReachedCommit.withLock { $0 = true }
                    try faults?.injectStorage(.commit)
                    return value
                }
                try faults?.injectStorage(.sync)
                return value
            }
        } catch .recovering where hasReachedCommit.withLock({ $0 }) {
            throw .outcomeUnknown(path: path, detail: "the commit failed")
        } catch .io(_, let detail) where hasReachedCommit.withLock({ $0 }) {
            throw .outcomeUnknown(path: path, detail: detail)
        }
    }

    var activity: Int { done.load(ordering: .relaxed) }

    private func use<Value>(_ body: (HubConnections) async throws -> Value) async throws(HubError) -> Value {
        guard let connections = condition.connections else { throw .recovering(path: path) }
        done.wrappingAdd(1, ordering: .relaxed)
        do {
            return try await body(connections)
        } catch {
            let problem = Self.classified(error, path: path)
            // A one-shot command reports the error and ends.
            guard recovers, !(error is HubError) else { throw problem }
            let hasFailed = Self.isFailure(error)
            if hasFailed { recover(from: problem, of: connections) }
            // Also when another call's failure closed the connections under this one.
            throw hasFailed || !isHealthy ? .recovering(path: path) : problem
        }
    }

    static func classified(_ error: any Error, path: String) -> HubError {
        if let error = error as? HubError { return error }
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
