import CausewayModels
import CausewayOutbox
import CausewaySimulationKernel

/// The frequency of attempts: the witness counts the failures independently, and compares them with the retry policy.
/// Nothing is sent more often than the policy allows, nothing sooner, and nothing in a loop.
extension SimulatedWorld {
    // MARK: - Failures

    /// Records the cost of a batch's result for the message that pays for it, before the machine is notified.
    func noteCost(of event: OutboxEvent, _ client: Int) {
        guard let machine = clients[client].machine else { return }
        switch event {
        case .failed(let batch, let error):
            guard machine.outbox.batchesUnderWay.contains(batch.id), let payer = batch.countedMessage else { return }
            switch error {
            case .transient, .inDoubt, .serverFailed: noteFailure(of: payer)
            case .unreachable, .notSent, .rateLimited, .actionRequired, .storeForked, .historyChanged, .refused: break
            }
        case .responded(let batch, let report):
            guard machine.outbox.batchesUnderWay.contains(batch.id), let payer = batch.countedMessage else { return }
            // A report waits for those of the lane's older deliveries, and is dropped when one of them fails.
            if isBehindAnother(batch, client) { return }
            guard batch.operations.count == report.outcomes.count, !report.isNonsense else {
                return noteFailure(of: payer)
            }
            var mayEndHere = false
            for (operation, outcome) in zip(batch.operations, report.outcomes) where operation.kind == .send {
                if case .late = outcome { mayEndHere = true }
                if !mayEndHere, case .tryLater(_, _, let after?) = outcome {
                    clients[client].quietUntil = max(clients[client].quietUntil, quiet(after: after))
                }
                guard case .tryLater(_, _, after: nil) = outcome else { continue }
                noteFailure(of: operation.message)
                if operation.message != payer { clients[client].uncommittedFailures.append(operation.message) }
            }
        default: break
        }
    }

    /// An older delivery of the lane has no answer yet: one of control entries alone, since the payer is the first
    /// message of its lane.
    private func isBehindAnother(_ batch: Batch, _ client: Int) -> Bool {
        let underWay = clients[client].machine?.outbox.batchesUnderWay ?? []
        let unanswered = clients[client].openCalls.values.map(\.batch) + clients[client].unsettled
        return unanswered.contains { $0.lane == batch.lane && $0.id < batch.id && underWay.contains($0.id) }
    }

    private func noteFailure(of message: MessageID) {
        guard let failures = expected.records[message]?.failuresHeard else { return }
        expected.records[message]?.failuresHeard = failures + 1
        expected.records[message]?.notBefore = now + plan.configuration.retry.pause(afterAttempts: failures + 1)
    }

    /// Resets the count: a user resent the message, or it got another position.
    func forgetCost(of message: MessageID) {
        expected.records[message]?.failuresHeard = 0
        expected.records[message]?.paidForOthers = 0
        expected.records[message]?.uploadFailures = 0
        expected.records[message]?.notBefore = .zero
    }

    /// Pauses do not survive a process; exhausted attempts do.
    func forgetPauses(of client: Int) {
        for message in clients[client].store.pending { expected.records[message]?.notBefore = .zero }
        clients[client].departures = [:]
        clients[client].probes = Moments()
    }

    // MARK: - Departures

    /// Checks that a message is sent only while it has attempts left, and not before its pause is over.
    func leavesTooOften(_ batch: Batch, _ client: Int) -> String? {
        for operation in batch.operations {
            if let spins = spins(operation, client) { return spins }
            // Two copies of a store count separately.
            guard operation.kind == .send, let record = expected.records[operation.message], !record.isOutOfHand else {
                continue
            }
            let number = operation.message.value.low
            if record.failuresHeard > plan.configuration.retry.retriesMax {
                return "\(number) leaves once more after \(record.failuresHeard) failures; "
                    + "\(plan.configuration.retry.retriesMax) retries are allowed"
            }
            if now < record.notBefore { return "\(number) leaves \(record.notBefore - now) before its pause is over" }
        }
        return nil
    }

    private func spins(_ operation: Batch.Operation, _ client: Int) -> String? {
        let message = operation.message
        // A deletion may have been repeated for one history after the other: each is sent for itself.
        let link = ModelClient.Link(message: message, deletion: operation.kind == .delete ? operation.sequence : nil)
        clients[client].departures[link, default: Moments()].append(now)
        guard clients[client].departures[link, default: Moments()].isCrowded else { return nil }
        return "\(message.value.low) left \(Moments.countMax) times within \(Moments.span)"
    }

    /// Checks that the hub is not probed in a loop.
    func probesTooOften(_ client: Int) -> String? {
        clients[client].probes.append(now)
        return clients[client].probes.isCrowded
            ? "client \(client) probed \(Moments.countMax) times within \(Moments.span)" : nil
    }
}

extension DeliveryReport {
    /// True when the report has a mark that no lane can have.
    var isNonsense: Bool {
        outcomes.contains { outcome in
            switch outcome {
            case .late(let mark), .gap(let mark): mark < 0 || mark > .max / 2
            default: false
            }
        }
    }
}
