import CausewayModels
import CausewaySimulatedHub
import CausewayStorage

/// The order in which the hub stores the messages of a lane.
extension World {
    /// Checks that the hub has the sequences of each lane in ascending order, and so in the order of creation.
    func brokenOrder(_ key: ModelHub.LaneKey, _ sequence: Int64, _ id: MessageID) -> String? {
        if let last = expected.lastStored[key], last >= sequence {
            return "the hub stores #\(sequence) behind #\(last)"
        }
        expected.lastStored[key] = sequence
        guard let record = expected.records[id], record.resends == 0, !record.isExcused else { return nil }
        let overtakenBy = expected.overtaken[id] ?? .min
        if let last = expected.lastOrdinal[key], last > record.item.ordinal, last > overtakenBy {
            return "message \(record.number) stands on the hub behind what was created after it"
        }
        expected.lastOrdinal[key] = record.item.ordinal
        // Copies of a store share no outbox: a message that one of them created later may come first.
        if isShared(record) { return nil }
        let lane = ExpectedState.Lane(device: record.device, account: key.account, lane: key.lane)
        if let last = expected.lastOrdinalOfDevice[lane], last > record.item.ordinal, last > overtakenBy,
            last > passedOver(record, beforeStoredUnder: key.outbox)
        {
            return
                "message \(record.number) stands on the hub behind what was created after it, of another outbox"
        }
        expected.lastOrdinalOfDevice[lane] = record.item.ordinal
        return nil
    }

    // MARK: - Messages that later ones overtake

    /// Notes which messages of a delivery the hub refuses: it passes their numbers and accepts later ones.
    func noteRefusals(in report: DeliveryReport, of delivery: Delivery) {
        for (operation, outcome) in zip(delivery.operations, report.outcomes)
        where operation.isSend && outcome.isRefusal {
            expected.refusedUnder[operation.message] = delivery.outbox
        }
    }

    /// Notes messages that have failed, or that the hub has refused, when it accepts a later message of their lane.
    /// They can only follow it there; another history of the hub may contain them all the same, and the client believes
    /// that one. A client that never received the refusal offers them again in another history.
    func noteOvertaken(by id: MessageID, _ call: DeliveryCall) {
        guard let later = expected.records[id] else { return }
        guard plan.hasLosses else { return notePassedOver(by: later, under: call.delivery.outbox) }
        for message in processes[call.process].mirror.items.values
        where message.lane == later.item.lane && message.ordinal < later.item.ordinal
            && (message.syncState == .error || expected.records[message.id]?.refusal == .message)
        {
            expected.overtaken[message.id] = max(expected.overtaken[message.id] ?? .min, later.item.ordinal)
        }
    }

    /// Notes the messages that the hub has refused under an outbox id when it accepts a later message of their lane
    /// under the same id.
    private func notePassedOver(by later: ExpectedState.Record, under outbox: OutboxID) {
        for (id, refusedUnder) in expected.refusedUnder where refusedUnder == outbox {
            guard let record = expected.records[id], record.device == later.device,
                record.item.lane == later.item.lane, record.item.ordinal < later.item.ordinal
            else { continue }
            expected.passedOver[id] = max(expected.passedOver[id] ?? .min, later.item.ordinal)
        }
    }

    /// The highest ordinal of the messages behind which the hub may store an earlier one under this outbox id; `.min`
    /// if there is none.
    ///
    /// A client that continues under another outbox id before it learns of a refusal offers the message again, and the
    /// hub may accept it now: behind what it accepted under the former id after the refusal, and behind nothing else.
    private func passedOver(_ record: ExpectedState.Record, beforeStoredUnder outbox: OutboxID) -> Int64 {
        let id = record.item.id
        guard record.failedForGoodAt == nil, expected.refusedUnder[id] != outbox else { return .min }
        return expected.passedOver[id] ?? .min
    }
}

extension DeliveryOutcome {
    /// True if the hub has passed the number of a message and has not stored it.
    fileprivate var isRefusal: Bool {
        switch self {
        case .refused, .unrelated: true
        case .accepted, .fenced, .deleted, .late, .gap, .tryLater, .notAttempted: false
        }
    }
}
