internal import CausewayHubRules
internal import CausewayHubStorage
internal import CausewayModels
internal import CausewayWire

/// The decisions about a group of deliveries, one after the other, in memory: each sees what the ones before it change.
///
/// Pure: the state was loaded by the storage's transaction, which stores `changes` afterwards.
struct DeliveryTransaction {
    /// The delivery that is being decided about.
    struct Current {
        let delivery: ValidatedDelivery
        let account: Int64
        let user: UserID
        /// The seconds after which the account may create channels; `nil` if it may.
        let creationWait: Int64?
        let fault: HubFaults.Fault?
        /// Its commit; `nil` as long as it has changed nothing.
        var commit: Int64?
        var hasDeleted = false
        var newChannels: [ChannelID] = []
        /// The channel to which the account was found to have the right to send; `nil` after a write.
        var sendable: ChannelID?
        /// The last messages that its channel's record does not count yet.
        var newMessages: AcceptedMessages?
    }

    let kinds: HubKinds
    let now: Timestamp
    /// The stored state with all changes so far.
    var state: DeliveryState
    var changes: DeliveryChanges
    /// The loaded records with all changes so far.
    var records: RecordTransaction
    /// The places of new messages in `changes`.
    var newMessages: [MessageID: Int] = [:]

    /// - Parameter decoded: the records that earlier transactions have decoded or changed.
    init(_ state: DeliveryState, _ kinds: HubKinds, decoded: DecodedRecords = DecodedRecords(), now: Timestamp) {
        self.state = state
        self.kinds = kinds
        self.now = now
        changes = DeliveryChanges(lastCommit: state.lastCommit)
        records = RecordTransaction(state.records, decoded: decoded)
    }

    /// Everything to store.
    var result: DeliveryChanges {
        var result = changes
        result.records = records.changes(kinds)
        return result
    }

    /// The topics of the log that the changes to store have changed.
    func topics(of result: DeliveryChanges) -> Set<LogTopic> {
        var topics = result.records.topics
        topics.formUnion(result.newMessages.lazy.map { .channel($0.channel) })
        topics.formUnion(result.messages.keys.lazy.compactMap { id in state.messages[id].map { .channel($0.channel) } })
        return topics
    }

    /// Decides about a delivery of an account.
    mutating func apply(
        _ delivery: ValidatedDelivery, of account: HubAccount, creationWait: Int64? = nil,
        fault: HubFaults.Fault? = nil
    ) -> DeliveryVerdict {
        guard delivery.history.mayDeliver(in: state.history, state.opening) else { return .historyChanged }
        let outbox = OutboxKey(account: account.number, id: delivery.outbox)
        let key = LaneKey(outbox: outbox, lane: delivery.lane)
        let stored = state.lanes[key]
        if let refusal = admit(delivery, of: outbox, stored) { return refusal }

        var lane = LaneRules(mark: stored?.mark ?? 0)
        var current = Current(
            delivery: delivery, account: account.number, user: account.user, creationWait: creationWait, fault: fault)
        var results: [WireResult] = []
        results.reserveCapacity(delivery.operations.count)
        var last = stored?.operation
        for operation in delivery.operations {
            let before = lane.mark
            let outcome = apply(operation, &lane, &current)
            if lane.mark != before { last = operation.id }
            results.append(result(of: operation, outcome))
        }
        countMessages(&current)
        if lane.mark != stored?.mark ?? 0 {
            set(
                .init(mark: lane.mark, mover: delivery.claim.opening, operation: last, commit: commit(&current)),
                of: key)
        } else if current.hasDeleted, var stored {
            // A change below the mark.
            stored.commit = commit(&current)
            set(stored, of: key)
        }
        return .report(
            WireReport(mark: lane.mark, results: results, opening: delivery.claim.opening),
            newChannels: current.newChannels)
    }

    /// The result to send: an accepted message may have been deleted since, or before it arrived.
    private func result(of operation: ValidatedDelivery.Operation, _ outcome: DeliveryOutcome) -> WireResult {
        var result = WireResult(outcome)
        if result.kind == .accepted, state.messages[operation.id]?.isDeleted == true { result.isDeleted = true }
        return result
    }

    /// - Returns: `nil` when the delivery is admitted.
    private mutating func admit(
        _ delivery: ValidatedDelivery, of outbox: OutboxKey, _ lane: DeliveryState.Lane?
    ) -> DeliveryVerdict? {
        let stored = state.outboxes[outbox]
        let opening = delivery.claim.opening.map { OpeningKey(outbox: outbox, opening: $0) }
        var lineage = LineageRules(highest: stored?.epoch ?? 0, opening: stored?.opening)
        let verdict = lineage.admit(
            delivery.claim, isBarred: opening.map(state.barred.contains) ?? false,
            lane: .init(mark: lane?.mark ?? 0, mover: lane?.mover, operation: lane?.operation),
            links: delivery.operations.lazy.map { .init(previous: $0.previous, sequence: $0.sequence, id: $0.id) })
        switch verdict {
        case .admitted:
            let admitted = DeliveryState.Outbox(epoch: lineage.highest, opening: lineage.opening)
            guard admitted != stored else { return nil }
            state.outboxes[outbox] = admitted
            changes.outboxes[outbox] = admitted
            return nil
        case .superseded: return .superseded(highest: lineage.highest)
        case .forkedInside:
            if let opening {
                state.barred.insert(opening)
                changes.barred.insert(opening)
            }
            return .forked
        case .forked: return .forked
        }
    }

    private mutating func set(_ lane: DeliveryState.Lane, of key: LaneKey) {
        state.lanes[key] = lane
        changes.lanes[key] = lane
    }

    /// The commit of everything that a delivery changes.
    mutating func commit(_ current: inout Current) -> Int64 {
        if let commit = current.commit { return commit }
        changes.lastCommit += 1
        current.commit = changes.lastCommit
        return changes.lastCommit
    }

    private mutating func apply(
        _ operation: ValidatedDelivery.Operation, _ lane: inout LaneRules, _ current: inout Current
    ) -> DeliveryOutcome {
        let kind: LaneRules.Kind
        switch operation.body {
        case .send, .edit, .react, .write, .unacceptable: kind = .send
        case .fence: kind = .fence
        case .delete: kind = .delete
        }
        let stored = lane.isStopped ? nil : look(up: operation)
        let known: LaneRules.Known =
            if let stored, stored.sender == current.account { .accepted(stored.serverPosition) } else { .no }
        let decision = lane.decide(
            kind, sequence: operation.sequence, previous: operation.previous, known: known
        ) {
            verdict(on: operation, isTaken: stored != nil, &current)
        }
        switch decision {
        case .respond(let outcome): return outcome
        case .apply: return apply(operation, &current)
        case .delete:
            current.hasDeleted = true
            return delete(operation.id, &current)
        }
    }

    // MARK: - Known ids

    /// A message, an operation on one, or a write, that was accepted under an id.
    private struct Accepted {
        let sender: Int64
        let serverPosition: ServerPosition
    }

    private func look(up operation: ValidatedDelivery.Operation) -> Accepted? {
        switch operation.body {
        case .send, .delete: message(operation.id)
        case .edit, .react: accepted(state.operations[operation.id])
        case .write: accepted(state.writes[operation.id])
        // Only these may refer to any.
        case .fence, .unacceptable:
            message(operation.id) ?? accepted(state.operations[operation.id] ?? state.writes[operation.id])
        }
    }

    private func message(_ id: MessageID) -> Accepted? {
        state.messages[id].map {
            Accepted(
                sender: $0.sender, serverPosition: ServerPosition(position: $0.position, acceptedAt: $0.acceptedAt))
        }
    }

    private func accepted(_ operation: DeliveryState.Operation?) -> Accepted? {
        operation.map {
            Accepted(
                sender: $0.sender, serverPosition: ServerPosition(position: $0.position, acceptedAt: $0.acceptedAt))
        }
    }
}
