import CausewayModels
import CausewayStorage
import GRDB

/// The writes of one call of ``Store``.
struct WriteRequest: Sendable {
    enum Value: Sendable {
        case done
        case message(Message)
        case outbox(OutboxSnapshot)
    }

    /// True if the call may fail after it has written something.
    var isCompound: Bool
    /// The size of the contents that it writes.
    var bytes = 0
    var write: @Sendable (CommitWriter) throws -> Value
}

/// The calls that share one transaction, in the order of their arrival.
///
/// 1. A call that fails is rolled back alone; the others commit.
/// 2. If the transaction as a whole fails, every call of it fails, and nothing of it is on disk.
/// 3. Callers get their results only after the commit.
struct CommitGroup {
    struct Outcome {
        /// One result for each call, in order.
        var results: [Result<WriteRequest.Value, StoreError>]
        /// The changes of each successful call, in order.
        var commits: [StoreCommit]
        var counters: CommitCounters
        /// The reason why the transaction as a whole failed.
        var failure: StoreError?
    }

    var requests: [WriteRequest]
    var path: String

    /// - Parameter recent: the writer's cache; moved into the writer and back, never copied.
    func run(
        _ db: Database, _ counters: CommitCounters, _ bounds: OutboxBounds, _ rowCache: inout RowCache
    ) -> Outcome {
        let writer = CommitWriter(db, counters, bounds)
        swap(&writer.rowCache, &rowCache)
        defer { swap(&writer.rowCache, &rowCache) }
        do {
            return try commit(writer, counters)
        } catch {
            writer.rowCache.forgetAll()
            let failure = StoreError(error, path: path)
            // SQLite rolls the transaction back automatically if the disk failed.
            if db.isInsideTransaction { try? db.rollback() }
            return Outcome(
                results: requests.map { _ in .failure(failure) }, commits: [], counters: counters, failure: failure)
        }
    }

    /// - Parameter counters: the counters as of the last commit.
    private func commit(_ writer: CommitWriter, _ counters: CommitCounters) throws -> Outcome {
        let db = writer.db
        var outcome = Outcome(results: [], commits: [], counters: counters)
        // Cached statements: preparing these two anew costs as much as the insertion between them.
        try writer.execute("BEGIN IMMEDIATE")
        for request in requests {
            writer.changes = CommitChanges()
            let result = try write(request, writer)
            outcome.results.append(result)
            if case .success = result {
                writer.counters.version += 1
                outcome.commits.append(writer.changes.commit(version: writer.counters.version))
            }
        }
        if outcome.commits.isEmpty {
            try db.rollback()
            return outcome
        }
        try writer.reserveSequences()
        try writer.execute("COMMIT")
        outcome.counters = writer.counters
        return outcome
    }

    /// Writes one call; throws only errors that fail the whole transaction.
    private func write(_ request: WriteRequest, _ writer: CommitWriter) throws -> Result<
        WriteRequest.Value, StoreError
    > {
        let counters = writer.counters
        if request.isCompound { try writer.execute("SAVEPOINT call") }
        do {
            let result = try request.write(writer)
            if request.isCompound { try writer.execute("RELEASE call") }
            return .success(result)
        } catch {
            guard writer.db.isInsideTransaction else { throw error }
            if request.isCompound {
                try writer.execute("ROLLBACK TO call")
                try writer.execute("RELEASE call")
            }
            writer.counters = counters
            writer.rowCache.forgetAll()
            return .failure(StoreError(error, path: path))
        }
    }
}
