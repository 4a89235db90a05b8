internal import CausewayHTTPServer
internal import CausewayHubRules
internal import CausewayHubStorage
internal import CausewayModels
internal import CausewayWire
internal import Synchronization

/// Applies deliveries one after the other, and those that wait at the same time in one transaction.
///
/// The sync to the disk costs milliseconds however much was written; so while one group is being synced the next one
/// gathers, taking turns between accounts. A delivery on an idle hub is a group of its own and does not wait. When the
/// transaction fails, its whole group fails: with `outcomeUnknown` when the commit failed, otherwise with nothing of it
/// stored. Nothing else can fail: a delivery is decided in memory.
///
/// A delivery that the client sent without waiting for the one before it may arrive first. It changes nothing then, and
/// is decided again when its predecessor has been applied, or answered `gap` after `HubLimits.predecessorWait`.
actor DeliveryWriter {
    private struct Job: Sendable {
        let delivery: ValidatedDelivery
        let account: HubAccount
        let fault: HubFaults.Fault?
        let creationWait: Int64?

        var lane: LaneKey {
            LaneKey(outbox: OutboxKey(account: account.number, id: delivery.outbox), lane: delivery.lane)
        }
    }

    private struct Waiting {
        let job: Job
        let continuation: CheckedContinuation<DeliveryVerdict, any Error>
    }

    private let executor = BlockingExecutor(label: "causeway.hub.deliveries")
    /// Valid as long as this actor, which keeps its executor.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private let storage: any HubStorage
    private let kinds: HubKinds
    private let notifier: EventNotifier
    private var waiting = FairQueue<Int64, Waiting>()
    private var isWriting = false
    private var held = HeldDeliveries<(waiting: Waiting, gap: DeliveryVerdict)>()
    private let predecessorWait: Duration
    /// For the next group; used by one group at a time, within its transaction.
    private let decoded = Mutex(DecodedRecords())

    /// - Parameter predecessorWait: see `HubLimits.predecessorWait`.
    init(
        _ storage: any HubStorage, _ kinds: HubKinds, _ notifier: EventNotifier, predecessorWait: Duration
    ) {
        self.storage = storage
        self.kinds = kinds
        self.notifier = notifier
        self.predecessorWait = predecessorWait
    }

    /// Applies a delivery; returns when its changes are on the disk. Not undone when the caller is cancelled.
    ///
    /// - Parameter creationWait: the seconds after which the account may create channels; `nil` if it may.
    /// - Throws: `HubHTTPError` 503 `busy` if too many wait; `HubStorageError`.
    func apply(
        _ delivery: ValidatedDelivery, of account: HubAccount, creationWait: Int64? = nil,
        fault: HubFaults.Fault? = nil
    ) async throws -> DeliveryVerdict {
        guard waiting.count < HubLimits.deliveriesWaitingMax,
            waiting.count(of: account.number) < HubLimits.waitingPerAccountMax
        else { throw HubHTTPError.busy }
        return try await withCheckedThrowingContinuation { continuation in
            let job = Job(delivery: delivery, account: account, fault: fault, creationWait: creationWait)
            waiting.append(Waiting(job: job, continuation: continuation), of: account.number)
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
            operations += next.job.delivery.operations.count
            // A single delivery is always taken: it is bounded by itself.
            guard group.isEmpty || operations <= HubLimits.groupOperationsMax else { break }
            if let next = waiting.popFirst() { group.append(next) }
        }
        return group
    }

    private func write(_ group: [Waiting]) async {
        let jobs = group.map(\.job)
        let keys = DeliveryKeys(jobs.map { ($0.delivery, $0.account) }, kinds)
        let now = SystemClock.now()
        do {
            let (verdicts, topics) = try await storage.transact(loading: keys) { [self] state in
                var transaction = DeliveryTransaction(state, kinds, decoded: takeDecoded(), now: now)
                let verdicts = jobs.map {
                    transaction.apply($0.delivery, of: $0.account, creationWait: $0.creationWait, fault: $0.fault)
                }
                let changes = transaction.result
                let records = transaction.records.takeDecoded(after: changes.records)
                decoded.withLock { $0 = records }
                return DeliveryDecision(changes: changes, value: (verdicts, transaction.topics(of: changes)))
            }
            await notifier.publish(topics, by: Self.origin(of: jobs), in: storage)
            for (waiting, verdict) in zip(group, verdicts) { complete(waiting, verdict) }
        } catch {
            for waiting in group { waiting.continuation.resume(throwing: error) }
        }
    }

    /// Taken and not copied: the transaction adds to it.
    private nonisolated func takeDecoded() -> DecodedRecords {
        decoded.withLock { records in
            defer { records = DecodedRecords() }
            return records
        }
    }

    /// The outbox of all deliveries of a group; `nil` if there are several.
    private static func origin(of jobs: [Job]) -> EventSubscriptions.Origin? {
        guard let first = jobs.first, jobs.allSatisfy({ $0.lane.outbox == first.lane.outbox }) else { return nil }
        return EventSubscriptions.Origin(account: first.account.user, outbox: first.delivery.outbox)
    }

    // MARK: - Deliveries that arrived before their predecessors

    private func complete(_ waiting: Waiting, _ verdict: DeliveryVerdict) {
        let job = waiting.job
        guard case .report(let report, _) = verdict else { return waiting.continuation.resume(returning: verdict) }
        if job.delivery.isPipelined, let first = job.delivery.operations.first, first.previous > report.mark,
            report.results.first?.kind == .gap, let last = job.delivery.operations.last
        {
            let id = held.hold((waiting, verdict), of: job.lane, after: first.previous, last: last.sequence)
            Task { [predecessorWait] in
                try? await Task.sleep(for: predecessorWait)
                endWait(id, of: job.lane)
            }
            return
        }
        waiting.continuation.resume(returning: verdict)
        guard !held.isEmpty else { return }
        if report.isStopped {
            // Those behind it cannot be applied: the client sends all of them again.
            for doomed in held.release(job.lane, at: .max) { doomed.waiting.continuation.resume(returning: doomed.gap) }
            return
        }
        for released in held.release(job.lane, at: report.mark) {
            self.waiting.append(released.waiting, of: job.account.number)
        }
    }

    private func endWait(_ id: Int, of lane: LaneKey) {
        guard let (waiting, gap) = held.withdraw(id, of: lane) else { return }
        waiting.continuation.resume(returning: gap)
    }
}
