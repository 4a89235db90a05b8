import CausewayModels
import CausewayStorage
import GRDB

/// The writes of one call of ``Store``.
struct Call: Sendable {
    enum Answer: Sendable {
        case done
        case message(Message)
        case outbox(OutboxSnapshot)
    }

    /// True if the call may fail after it has written something.
    var isCompound: Bool
    /// The size of the contents that it writes.
    var bytes = 0
    var write: @Sendable (CommitWriter) throws -> Answer
}

/// The calls that share one transaction, in the order of their arrival.
///
/// 1. A call that fails is rolled back alone; the others commit.
/// 2. If the transaction as a whole fails, every call of it fails, and nothing of it is on disk.
/// 3. Callers get their results only after the commit.
struct CallGroup {
    struct Outcome {
        /// One result for each call, in order.
        var answers: [Result<Call.Answer, StoreError>]
        /// The changes of each successful call, in order.
        var commits: [StoreCommit]
        var ledger: Ledger
        /// The reason why the transaction as a whole failed.
        var failure: StoreError?
    }

    var calls: [Call]
    var path: String

    /// - Parameter recent: the writer's cache; moved into the writer and back, never copied.
    func run(
        _ db: Database, _ ledger: Ledger, _ bounds: OutboxBounds, _ recent: inout RecentMessages
    ) -> Outcome {
        let writer = CommitWriter(db, ledger, bounds)
        swap(&writer.recent, &recent)
        defer { swap(&writer.recent, &recent) }
        do {
            return try commit(writer, ledger)
        } catch {
            writer.recent.forgetAll()
            let failure = StoreError(error, path: path)
            // SQLite rolls the transaction back automatically if the disk failed.
            if db.isInsideTransaction { try? db.rollback() }
            return Outcome(
                answers: calls.map { _ in .failure(failure) }, commits: [], ledger: ledger, failure: failure)
        }
    }

    /// - Parameter ledger: the ledger as of the last commit.
    private func commit(_ writer: CommitWriter, _ ledger: Ledger) throws -> Outcome {
        let db = writer.db
        var outcome = Outcome(answers: [], commits: [], ledger: ledger)
        // Cached statements: preparing these two anew costs as much as the insertion between them.
        try writer.execute("BEGIN IMMEDIATE")
        for call in calls {
            writer.changes = []
            writer.isReset = false
            let answer = try write(call, writer)
            outcome.answers.append(answer)
            if case .success = answer {
                writer.ledger.version += 1
                outcome.commits.append(
                    StoreCommit(
                        version: writer.ledger.version, changes: writer.changes, isReset: writer.isReset))
            }
        }
        if outcome.commits.isEmpty {
            try db.rollback()
            return outcome
        }
        try writer.reserveSequences()
        try writer.execute("COMMIT")
        outcome.ledger = writer.ledger
        return outcome
    }

    /// Writes one call; throws only errors that fail the whole transaction.
    private func write(_ call: Call, _ writer: CommitWriter) throws -> Result<Call.Answer, StoreError> {
        let ledger = writer.ledger
        if call.isCompound { try writer.execute("SAVEPOINT call") }
        do {
            let answer = try call.write(writer)
            if call.isCompound { try writer.execute("RELEASE call") }
            return .success(answer)
        } catch {
            guard writer.db.isInsideTransaction else { throw error }
            if call.isCompound {
                try writer.execute("ROLLBACK TO call")
                try writer.execute("RELEASE call")
            }
            writer.ledger = ledger
            writer.recent.forgetAll()
            return .failure(StoreError(error, path: path))
        }
    }
}
