import CausewayHubRules
import CausewayModels
import CausewayOutbox
import CausewaySimulatedHub
import CausewayStorage

/// The client of a small world: it processes an event completely, or up to a crash.
extension SmallWorld {
    var clock: ClockReading { ClockReading(now: .zero, wall: Self.wall) }

    /// Starts a process on the store.
    mutating func start(_ policy: RestartPolicy) {
        let failure = Failure(reason: .sessionEnded, code: "restarted", detail: "", at: Self.wall)
        let snapshot = store.start(policy, failure)
        if policy == .fail, snapshot.entries.contains(where: { $0.kind == .send }) {
            violation = violation ?? "something is still to be sent after a start under fail"
        }
        load(snapshot)
        if hasSession { take(.sessionBegan, at: .zero) }
    }

    /// Starts a machine on the store's present state.
    mutating func load(_ snapshot: OutboxSnapshot) {
        for entry in snapshot.entries where entry.kind == .send { note(entry) }
        outbox = Outbox(snapshot, configuration: configuration, seed: 1)
        waiting = store.pending.union(store.failed.filter { store.items[$0]?.isInDoubt == true })
        isProbing = false
    }

    mutating func crash(_ policy: RestartPolicy) {
        for parcel in wire where parcel.isAwaited { expected.noteFailedAttempt(parcel.batch) }
        noteHeldAnswers()
        wire = wire.compactMap { parcel in
            guard parcel.stage == .request else { return nil }
            var orphan = parcel
            orphan.isAwaited = false
            orphan.isOfThisProcess = false
            return orphan
        }
        outbox = nil
        start(policy)
    }

    /// A response that waits for that of an older delivery is lost with the process: its attempt counts as interrupted
    /// as well.
    private mutating func noteHeldAnswers() {
        let noted = Set(wire.filter(\.isAwaited).flatMap { $0.batch.operations.map(\.message) })
        for id in store.pending where !noted.contains(id) && store.items[id]?.syncState == .syncing {
            expected.records[id]?.failedAttempts += 1
        }
    }

    /// Processes an event.
    ///
    /// - Parameter actionsMax: the number of actions after which the process is gone.
    /// - Returns: the number of actions.
    @discardableResult
    mutating func take(_ event: OutboxEvent, at now: MonotonicTime, actionsMax: Int = .max) -> Int {
        var done = 0
        var next: OutboxEvent? = event
        while let event = next {
            guard let actions = outbox?.handle(event, at: ClockReading(now: now, wall: Self.wall)) else { return done }
            for action in actions {
                guard done < actionsMax, violation == nil else { return done }
                perform(action)
                done += 1
            }
            let entries = store.takeFeed()
            for entry in entries where entry.kind == .send { note(entry) }
            next = entries.isEmpty ? nil : .enqueued(entries)
        }
        if violation == nil { violation = outboxOracle.brokenBetweenInputs(of: candidate) }
        return done
    }

    private mutating func note(_ entry: OutboxEntry) {
        expected.noteSequence(entry.sequence, of: entry.message)
    }

    private mutating func perform(_ action: OutboxAction) {
        switch action {
        case .commit(let mutations): commit(mutations)
        case .transmit(let batch, let mutations):
            commit(mutations)
            send(batch)
        case .upload, .cancelUpload: violation = violation ?? "no message has an attachment"
        case .fork, .follow, .reload: violation = violation ?? "there is only one copy of this store"
        case .probe: isProbing = true
        case .complete(let message, let result): complete(message, result)
        case .completeAsStored(let message): completeAsStored(message)
        }
    }

    mutating func commit(_ mutations: [Mutation]) {
        for mutation in mutations where violation == nil { violation = outboxOracle.brokenBy(mutation, in: candidate) }
        for case .park(let id, _) in mutations { expected.records[id]?.isToTheTail = true }
        store.commit(mutations)
    }

    private mutating func send(_ batch: Batch) {
        let operations = batch.operations.map { operation in
            let message = store.items[operation.message]
            let body: DeliveryOperation.Body =
                switch operation.kind {
                case .send:
                    .send(
                        operation.message, channel: WorldNames.channels[0], content: message?.sentContent ?? .text(""),
                        createdAt: Self.wall, parent: message?.related)
                case .fence, .retract: .fence(operation.message)
                case .delete: .delete(operation.message)
                }
            return DeliveryOperation(sequence: operation.sequence, previous: operation.previous, body: body)
        }
        let delivery = Delivery(outbox: batch.outbox, epoch: batch.epoch, lane: batch.lane, operations: operations)
        var stage = Parcel.Stage.request
        if plantedFault == .fencesSkipped, batch.operations.allSatisfy({ $0.kind == .fence || $0.kind == .retract }) {
            stage = .answer(.success(DeliveryReport(mark: 0, outcomes: operations.map { _ in .fenced })))
        }
        wire.append(
            Parcel(batch: batch, delivery: delivery, stage: stage, isAwaited: true, isOfThisProcess: true))
    }

    private mutating func complete(_ message: MessageID, _ result: DeliveryResult) {
        if violation == nil { violation = outboxOracle.brokenBy(result, of: message, to: candidate) }
        waiting.remove(message)
    }

    mutating func completeAsStored(_ id: MessageID) {
        guard waiting.contains(id) else { return }
        guard let stored = store.items[id] else { return complete(id, .deleted) }
        if stored.syncState == .synced, let serverPosition = stored.message?.serverPosition {
            complete(id, .delivered(serverPosition))
        } else if stored.syncState == .error, !stored.isInDoubt, let failure = stored.failure {
            complete(id, .failed(failure))
        }
    }

    // MARK: - The hub

    /// Passes a request that arrives to the hub, with its verdict on new messages.
    mutating func arrive(_ index: Int, verdict: LaneRules.Verdict = .fine) {
        let parcel = wire[index]
        let before = hub.history.count
        var isFirst = true
        let (result, objection) = oracle.apply(parcel.delivery, to: &hub, at: Self.wall) { _, _ in
            defer { isFirst = false }
            return isFirst ? verdict : .fine
        }
        if case .success(let report) = result {
            noteFailedAttempts(parcel.batch, report)
            expected.noteRefusals(in: parcel.batch, report)
        }
        for stored in hub.history[before...] where violation == nil {
            violation = outboxOracle.brokenByStoring(stored, from: candidate)
            expected.lastStored[stored.key] = stored.sequence
        }
        if violation == nil { violation = objection }
        wire[index].stage = .answer(result)
    }

    private mutating func noteFailedAttempts(_ batch: Batch, _ report: DeliveryReport) {
        for (operation, outcome) in zip(batch.operations, report.outcomes) {
            if case .tryLater(_, _, after: nil) = outcome { expected.records[operation.message]?.failedAttempts += 1 }
        }
    }
}
