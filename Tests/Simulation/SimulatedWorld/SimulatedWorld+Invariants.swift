import CausewayModels
import CausewayOutbox
import CausewaySimulatedHub
import CausewayStorage

extension SimulatedWorld: JudgedWorld {
    var configuration: OutboxConfiguration { plan.configuration }

    func heard(_ finding: String?) -> String? {
        guard let silenced = plan.silenced, let finding else { return finding }
        return Simulation.check(of: finding) == silenced ? nil : finding
    }
}

/// The calls of the judge, and the invariants that need a clock, processes and a connection to the hub.
extension SimulatedWorld {
    var outboxOracle: OutboxOracle<SimulatedWorld> { OutboxOracle(world: self) }

    func brokenAfterStep(of client: Int) -> String? {
        guard !clients[client].isBusy, !clients[client].isSuspended else { return nil }
        return heard(brokenBetweenInputs(of: client)) ?? heard(brokenUploads(of: client)) ?? standsStill(client)
    }

    /// Compares machine, store and hub, if one of them has changed since the last comparison.
    private func brokenBetweenInputs(of client: Int) -> String? {
        let state = clients[client]
        guard let machine = state.machine, state.hasPerformedAll, state.store.isFeedEmpty else { return nil }
        let present = FoundState(
            process: state.process, machine: machine.version, store: state.store.version, hub: hub.history.count,
            hubAge: hubAge)
        if state.found == present { return nil }
        state.found = present
        return outboxOracle.brokenBetweenInputs(of: state)
    }

    func brokenByStoring(_ stored: ModelHub.Stored) -> String? {
        guard let record = expected.records[stored.message] else { return "the hub stored what nobody created" }
        defer { expected.lastStored[stored.key] = stored.sequence }
        return outboxOracle.brokenByStoring(stored, from: clients[record.client])
    }

    func brokenBy(_ mutation: Mutation, _ client: Int) -> String? {
        heard(outboxOracle.brokenBy(mutation, in: clients[client])) ?? expiredEarly(mutation, client)
    }

    /// Checks that nothing expires before its time, whatever happens to the wall clock while the program runs, nor over
    /// restarts when the clock is never set. A run counts from the time at which its machine is notified of a message,
    /// a later run from the time in the store, which keeps whole milliseconds.
    private func expiredEarly(_ mutation: Mutation, _ client: Int) -> String? {
        guard case .fail(let id, let failure, inDoubt: _) = mutation, failure.reason == .expired,
            let queued = expected.records[id]?.queued, let expiry = plan.configuration.expiry
        else { return nil }
        let isOfThisRun = queued.process == clients[client].process
        if !isOfThisRun, clients[client].wasClockSet || expected.records[id]?.isOutOfHand == true { return nil }
        if !isOfThisRun, keepsItsAge(id) { return nil }
        let stored = Duration.milliseconds(wall(of: client).milliseconds - queued.stored.milliseconds)
        let age = isOfThisRun ? now - queued.at : stored
        guard age < expiry - .milliseconds(1) else { return nil }
        return "\(id.value.low) expired after \(age) instead of \(expiry)"
    }

    /// True for an operation whose message was deleted: it gets a sequence, but keeps its age in the store, because
    /// there is nothing left that it could change.
    private func keepsItsAge(_ id: MessageID) -> Bool {
        expected.records[id]?.change?.target.flatMap { expected.records[$0] }?.isDeleted == true
    }

    func brokenBy(_ result: DeliveryResult, of id: MessageID, _ client: Int) -> String? {
        outboxOracle.brokenBy(result, of: id, to: clients[client])
    }

    // MARK: - When the hub deals with a delivery

    /// Checks that once the hub has heard from a newer process or copy of a store, it admits no older one.
    func brokenByEpoch(_ call: DeliveryCall) -> String? {
        let key = ExpectedState.OutboxKey(account: call.account, outbox: call.batch.outbox)
        let highest = expected.highestEpochs[key] ?? 0
        expected.highestEpochs[key] = max(highest, call.delivery.epoch)
        if call.delivery.epoch < highest { return "the hub dealt with epoch \(call.delivery.epoch) after \(highest)" }
        let sender = clients[call.client]
        if sender.isFrozen, let newest = expected.newestBirths[key], newest > sender.birth {
            return "the hub dealt with a process that had been frozen, after it had heard its successor"
        }
        expected.newestBirths[key] = max(expected.newestBirths[key] ?? 0, call.birth)
        return nil
    }

    /// Checks that a lane's mark is kept for ever, bars every late copy, and never decreases.
    func brokenByMark(_ call: DeliveryCall, _ report: DeliveryReport) -> String? {
        let key = ExpectedState.OutboxKey(account: call.account, outbox: call.batch.outbox)
        let highest = expected.highestMarks[key]?[call.batch.lane] ?? 0
        expected.highestMarks[key, default: [:]][call.batch.lane] = max(highest, report.mark)
        return report.mark < highest ? "the hub's mark of \(call.batch.lane) went back to \(report.mark)" : nil
    }

    // MARK: - When a process starts

    /// Checks that under `fail` nothing that waited may be sent.
    func brokenByStart(_ policy: RestartPolicy, _ snapshot: OutboxSnapshot) -> String? {
        guard policy == .fail, let left = snapshot.entries.first(where: { $0.kind == .send }) else { return nil }
        return "\(left.message.value.low) is still to be sent after a start under \(policy)"
    }

    // MARK: - When a client sends

    /// Checks that nothing is sent without a session, during a pause, or before the time that the hub asked to wait
    /// for; and no message under another account.
    func brokenBySending(_ batch: Batch, _ client: Int) -> String? {
        let state = clients[client]
        guard let account = state.account else { return "client \(client) sends after its logout" }
        if state.isPaused { return "client \(client) sends while it is paused" }
        if now < state.quietUntil { return "client \(client) sends although the hub asked it to wait" }
        if let early = heard(brokenBySettling(client)) { return early }
        if let large = heard(tooLargeAfterSilence(batch, client)) { return large }
        let pausing = state.store.pauses.first { $0.lane == batch.lane }?.message
        for operation in batch.operations where operation.kind == .send {
            if let pausing {
                return "\(operation.message.value.low) leaves while \(pausing.value.low) pauses its lane"
            }
            if let record = expected.records[operation.message], record.sender != account {
                return "\(operation.message.value.low) is sent under another's name"
            }
        }
        return heard(leavesTooOften(batch, client)) ?? heard(heldUpByOperations(batch)) ?? tooMuchAtOnce(batch, state)
    }

    /// Checks that operations never delay messages: they share a lane only under `strict`.
    private func heldUpByOperations(_ batch: Batch) -> String? {
        guard plan.ordering != .strict else { return nil }
        let kinds = Set(batch.operations.filter { $0.kind == .send }.map { isOperation($0.message) })
        return kinds.count > 1 ? "messages and operations are in one delivery of lane \(batch.lane)" : nil
    }

    private func isOperation(_ id: MessageID) -> Bool { expected.records[id]?.isOperation == true }

    /// Checks that the work in flight is bounded: operations and bytes of one delivery, deliveries of all lanes.
    private func tooMuchAtOnce(_ batch: Batch, _ client: ModelClient) -> String? {
        let limits = plan.configuration
        if client.openCalls.count >= limits.deliveriesInFlightTotalMax {
            // Some batches that the machine has cancelled may still be in flight.
            let awaited = Set(client.machine?.outbox.batchesUnderWay ?? [])
            let underWay = client.openCalls.values.filter { awaited.contains($0.batch.id) }.count
            if underWay >= limits.deliveriesInFlightTotalMax { return "\(underWay + 1) deliveries at once" }
        }
        if batch.operations.count > limits.batchOperationsMax { return "\(batch.operations.count) operations at once" }
        let sends = batch.operations.filter { $0.kind == .send }
        let bytes = sends.reduce(0) { $0 + (client.store.items[$1.message]?.sentContent.modelBytes ?? 0) }
        return sends.count > 1 && bytes > limits.batchBytesMax ? "\(bytes) bytes in one delivery" : nil
    }

    // MARK: - When the machine has decided

    /// Checks that work and memory per step are bounded: the actions caused by one event are proportional to the size
    /// of the event and to the work that may be in flight, never to the length of the queue.
    func brokenBound(_ event: OutboxEvent, _ actions: [OutboxAction], _ client: Int) -> String? {
        if actions.count < 4 { return nil }
        let lanes = 2 * plan.channelCount + 2
        let perLane = plan.configuration.deliveriesInFlightMax + 2
        let underWay = clients[client].openCalls.values.reduce(0) { $0 + $1.batch.operations.count }
        // Messages whose attempts a previous run of the process exhausted are failed at once, only after a restart.
        let spent = clients[client].store.entries.filter { $0.attempts > plan.configuration.retry.retriesMax }.count
        // Expired messages are failed at once, and their waiters notified.
        let expired = actions.filter(\.tellsOfExpiry).count
        // Each of them may also begin, end or report an upload.
        let uploads = 4 * (plan.configuration.uploadsMax + event.size)
        let bound = expired + uploads + 2 * (event.size + underWay + spent) + lanes * perLane + 4
        if actions.count > bound { return "\(actions.count) actions follow from one event (\(bound) are enough)" }
        let sent = Dictionary(grouping: actions.compactMap(\.lane), by: { $0 }).values.map(\.count).max() ?? 0
        // After its own response a lane may be asked once more in the same step.
        if sent > 2 * plan.configuration.deliveriesInFlightMax { return "\(sent) deliveries of a lane at once" }
        return nil
    }

    // MARK: - Liveness

    /// Checks that everything ends within a bound once the faults are over. A superseded client waits for a user.
    func watchTheEnd() {
        guard idleSince == nil, violation == nil else { return }
        if clients.allSatisfy({ $0.isRunning && ($0.isIdle || $0.isLeftAlone) }) {
            let before = looks
            if !lookAround() {
                if !bringAccountsBack() { idleSince = now }
            } else if looks != before {
                watchTheEnd()  // what was read needs no further event
            }
        } else if now - max(plan.faultsEnd, lastReturn) > Plan.settleBound {
            violation = "not at its end \(Plan.settleBound) after the faults were over: \(stalled() ?? "-")"
        }
    }

    // MARK: - At the end

    func brokenAtTheEnd() -> String? {
        if let stalled = heard(stalled()) { return stalled }
        let outboxOracle = outboxOracle
        for id in expected.records.keys.sorted(by: { $0.value.low < $1.value.low }) {
            guard let record = expected.records[id], !clients[record.client].isLeftAlone else { continue }
            if let broken = heard(outboxOracle.brokenAtTheEnd(id, record, in: clients[record.client])) {
                return broken
            }
        }
        for (index, client) in clients.enumerated() where client.original == nil && !client.isSuperseded {
            let waiting = client.waiting.filter { client.store.items[$0]?.isParked != true }
            guard !waiting.isEmpty else { continue }
            let untold = "client \(index): nobody told about \(waiting.map(\.value.low).sorted())"
            if let untold = heard(untold) { return untold }
        }
        return heard(outboxOracle.outOfCreationOrder()) ?? outboxOracle.outOfOrderOverHistories()
    }

    /// Checks that nothing waits when no event is planned any more.
    private func stalled() -> String? {
        for (index, client) in clients.enumerated() where !client.isIdle && !client.isLeftAlone {
            let waits = client.store.inOrder.first(where: \.isPending).flatMap {
                client.machine?.outbox.waitReason(for: $0.id, at: clock(of: index))
            }
            let links = client.store.entries
            let first = links.prefix(4).map(\.told)
            return "client \(index) stalled with \(links.count) links, \(first): \(waits.map { "\($0)" } ?? "-")"
        }
        return nil
    }
}

extension OutboxAction {
    /// The lane of a transmission.
    fileprivate var lane: LaneID? {
        if case .transmit(let batch, _) = self { batch.lane } else { nil }
    }
}

extension OutboxAction {
    fileprivate var tellsOfExpiry: Bool {
        if case .complete(_, .failed(let failure)) = self { failure.reason == .expired } else { false }
    }
}

extension OutboxEvent {
    /// The number of links that the event names.
    fileprivate var size: Int {
        switch self {
        case .enqueued(let entries): entries.count
        case .responded(let batch, _), .failed(let batch, _), .unsendable(let batch, _, _), .foreign(let batch, _),
            .interrupted(let batch):
            batch.operations.count
        case .deleted(let messages): messages.count
        default: 1
        }
    }
}
