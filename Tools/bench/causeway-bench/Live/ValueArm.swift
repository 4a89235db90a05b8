import CausewayModels
import GRDB

/// GRDB's `ValueObservation` of the same window in the same file, with a `CollectionDifference` of the fetched rows.
@MainActor final class ValueArm {
    private let pool: DatabasePool
    private let clock = CommitClock()
    private var observation: AnyDatabaseCancellable?
    private var rows: [WindowRow]?
    private var difference: CollectionDifference<WindowRow>?
    private var failure: (any Error)?
    private var arrival = ContinuousClock.now
    private var waiter: CheckedContinuation<Void, Never>?

    init(_ filled: FilledStore, rows: Int) async throws {
        pool = try DatabasePool(path: filled.database)
        pool.add(transactionObserver: clock)
        let request = WindowRow.newest(in: filled.channels[0], limit: rows)
        observation = ValueObservation.tracking { db in try request.fetchAll(db) }
            .start(in: pool, onError: { [weak self] in self?.fail($0) }, onChange: { [weak self] in self?.receive($0) })
        while self.rows == nil { try await called() }
    }

    private func receive(_ new: [WindowRow]) {
        difference = rows.map { new.difference(from: $0) }
        arrival = .now
        rows = new
        waiter.take()?.resume()
    }

    private func fail(_ error: any Error) {
        failure = error
        waiter.take()?.resume()
    }

    private func called() async throws {
        await withCheckedContinuation { waiter = $0 }
        if let failure { throw failure }
    }

    /// Notifies GRDB that the file has changed, as required for writes of another connection, and waits for the
    /// indices. The fetched rows are those that the store committed.
    ///
    /// - Returns: seconds from the commit to the indices.
    func deliver() async throws -> (seconds: Double, difference: CollectionDifference<WindowRow>) {
        difference = nil
        try await pool.write { db in try db.notifyChanges(in: .fullDatabase) }
        while true {
            if let difference { return ((arrival - clock.instant).seconds, difference) }
            try await called()
        }
    }

    func close() throws {
        observation?.cancel()
        try pool.close()
    }
}
