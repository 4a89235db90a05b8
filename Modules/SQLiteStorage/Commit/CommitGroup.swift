import CausewayModels
import CausewayStorage
import GRDB

/// The writes of one call of ``Store``.
struct WriteRequest: Sendable {
    enum Value: Sendable {
        case done
        case item(StoredItem)
        indirect case outbox(OutboxSnapshot)
    }

    /// True if the call may fail after it has written something.
    var isCompound: Bool
    /// The size of the contents that it writes.
    var bytes = 0
    /// Whether its caller waits for the disk, in a store that does.
    var durability = Durability.full
    var write: @Sendable (inout MutationApplier<SQLiteRows>) throws -> Value
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
    /// True if the transaction may rest on commits that the disk has not confirmed.
    var followsUnconfirmed: Bool
    var path: String

    /// One sync serves all calls of a transaction; without one, none of them waits for the disk.
    var durability: Durability { requests.allSatisfy { $0.durability == .normal } ? .normal : .full }

    /// - Parameter rowCache: the cache of the rows; moved into them and back, never copied.
    func run(_ db: Database, _ counters: CommitCounters, _ rowCache: inout RowCache) -> Outcome {
        var applier = MutationApplier(rows: SQLiteRows(db, counters))
        swap(&applier.rows.rowCache, &rowCache)
        defer { swap(&applier.rows.rowCache, &rowCache) }
        do {
            return try commit(&applier, counters)
        } catch {
            applier.rows.rowCache.forgetAll()
            let failure = StoreError(error, path: path)
            // SQLite rolls the transaction back automatically if the disk failed.
            if db.isInsideTransaction { try? db.rollback() }
            return Outcome(
                results: requests.map { _ in .failure(failure) }, commits: [], counters: counters, failure: failure)
        }
    }

    /// - Parameter counters: the counters as of the last commit.
    private func commit(
        _ applier: inout MutationApplier<SQLiteRows>, _ counters: CommitCounters
    ) throws -> Outcome {
        var outcome = Outcome(results: [], commits: [], counters: counters)
        // Cached statements: preparing these two anew costs as much as the insertion between them.
        try applier.rows.execute("BEGIN IMMEDIATE")
        for request in requests {
            applier.changes = CommitChanges()
            let result = try write(request, &applier)
            outcome.results.append(result)
            if case .success = result {
                applier.rows.counters.version += 1
                outcome.commits.append(applier.changes.commit(version: applier.rows.counters.version))
            }
        }
        if outcome.commits.isEmpty {
            try applier.rows.db.rollback()
            return outcome
        }
        try applier.rows.reserveSequences()
        // SQLite syncs the log only when it has written to it.
        if followsUnconfirmed, durability == .full { try applier.rows.execute(StoreSchema.touch) }
        try applier.rows.execute("COMMIT")
        outcome.counters = applier.rows.counters
        return outcome
    }

    /// Writes one call; throws only errors that fail the whole transaction.
    private func write(
        _ request: WriteRequest, _ applier: inout MutationApplier<SQLiteRows>
    ) throws -> Result<WriteRequest.Value, StoreError> {
        let counters = applier.rows.counters
        if request.isCompound { try applier.rows.execute("SAVEPOINT call") }
        do {
            let result = try request.write(&applier)
            if request.isCompound { try applier.rows.execute("RELEASE call") }
            return .success(result)
        } catch {
            guard applier.rows.db.isInsideTransaction else { throw error }
            if request.isCompound {
                try applier.rows.execute("ROLLBACK TO call")
                try applier.rows.execute("RELEASE call")
            }
            applier.rows.counters = counters
            applier.rows.rowCache.forgetAll()
            return .failure(StoreError(error, path: path))
        }
    }
}
