internal import CausewayHubRules
internal import CausewayModels
internal import GRDB

/// Applies deliveries one after the other, and those that wait at the same time in one transaction.
///
/// The sync to the disk costs milliseconds however much was written; so while one group is being synced the next one
/// gathers, taking turns between accounts. A delivery on an idle hub is a group of its own and does not wait. A
/// delivery that fails is rolled back alone; when the transaction itself fails, its whole group fails: with
/// `outcomeUnknown` when the commit failed, otherwise with nothing of it stored.
actor DeliveryWriter {
    private struct Waiting {
        let delivery: ValidatedDelivery
        let account: Account
        let fault: HubFaults.Fault?
        let continuation: CheckedContinuation<DeliveryVerdict, any Error>
    }

    private let store: HubStore
    private var waiting = FairQueue<Int64, Waiting>()
    private var isWriting = false

    init(_ store: HubStore) { self.store = store }

    /// Applies a delivery; returns when its changes are on the disk. Not undone when the caller is cancelled.
    ///
    /// - Throws: `HubHTTPError` 503 `busy` if too many wait; `HubError` of the store.
    func apply(_ delivery: ValidatedDelivery, of account: Account, fault: HubFaults.Fault? = nil) async throws
        -> DeliveryVerdict
    {
        guard waiting.count < HubLimits.deliveriesWaitingMax,
            waiting.count(of: account.number) < HubLimits.waitingPerAccountMax
        else { throw HubHTTPError.busy }
        return try await withCheckedThrowingContinuation { continuation in
            waiting.append(
                Waiting(delivery: delivery, account: account, fault: fault, continuation: continuation),
                of: account.number)
            guard !isWriting else { return }
            isWriting = true
            Task { await writeAll() }
        }
    }

    private func writeAll() async {
        while !waiting.isEmpty { await write(nextGroup()) }
        isWriting = false
    }

    /// Returns the deliveries that share the next transaction, taking turns between the waiting accounts.
    private func nextGroup() -> [Waiting] {
        var group: [Waiting] = []
        var operations = 0
        while let next = waiting.first {
            operations += next.delivery.operations.count
            // A single delivery is always taken: it is bounded by itself.
            guard group.isEmpty || operations <= HubLimits.groupOperationsMax else { break }
            if let next = waiting.popFirst() { group.append(next) }
        }
        return group
    }

    private func write(_ group: [Waiting]) async {
        let jobs = group.map { ($0.delivery, $0.account, $0.fault) }
        let now = store.now()
        do {
            let (verdicts, commit) = try await store.write { [store] db, opening in
                let history = store.history
                let verdicts = try jobs.map { delivery, account, fault -> Result<DeliveryVerdict, any Error> in
                    guard delivery.history.mayDeliver(in: history.present?.history) else {
                        return .success(.historyChanged)
                    }
                    return try Self.apply(delivery, account, now, fault, opening, history, db)
                }
                return (verdicts, history.present?.taken ?? 0)
            }
            store.history.publish(commit)
            for (waiting, verdict) in zip(group, verdicts) { waiting.continuation.resume(with: verdict) }
        } catch {
            for waiting in group { waiting.continuation.resume(throwing: error) }
        }
    }

    private static func apply(
        _ delivery: ValidatedDelivery, _ account: Account, _ now: Timestamp, _ fault: HubFaults.Fault?,
        _ opening: [UInt8], _ history: HubHistory, _ db: Database
    ) throws -> Result<DeliveryVerdict, any Error> {
        var verdict: Result<DeliveryVerdict, any Error> = .failure(HubHTTPError.busy)
        try db.inSavepoint {
            var application = DeliveryTransaction(
                delivery, of: account, now: now, fault: fault, opening: opening, history: history, in: db)
            do {
                verdict = .success(try application.run())
                return .commit
            } catch let error as DatabaseError {
                // The database itself is in trouble (full, broken): no delivery of the group is stored.
                throw error
            } catch {
                verdict = .failure(error)
                return .rollback
            }
        }
        return verdict
    }
}
