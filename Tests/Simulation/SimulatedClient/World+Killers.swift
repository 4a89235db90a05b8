import CausewayModels
import CausewayOutbox
import CausewaySimulatedHub
import CausewaySimulationKernel
import CausewayStorage
import CausewayTransport

/// Checks the attempts that are used up by lethal messages, which crash the process whenever they are encoded.
///
/// Attempts are counted as the store records them. A message that is in flight together with a lethal one loses at most
/// one attempt to it: from then on it is in flight alone. The lethal message itself is sent uncharged behind others no
/// more often than a delivery can be halved; then each crash uses up one of its own attempts, until none is left.
extension World {
    /// The first crash, and one for each halving of the largest delivery.
    private static let freeKillsMax = 10

    /// Notes that an attempt of a message has begun or ended.
    func noteAttempt(_ before: StoredItem, _ after: StoredItem, _ process: Int) {
        if after.syncState == .syncing, after.attempts > before.attempts {
            processes[process].attempted.insert(after.id)
        } else if after.syncState != .syncing || after.attempts < before.attempts {
            processes[process].attempted.remove(after.id)
        }
        // The message was delivered, or was queued again.
        if after.syncState == .synced || after.laneSequence != before.laneSequence { forgetPayments(of: after.id) }
    }

    private func forgetPayments(of id: MessageID) {
        expected.records[id]?.paidForOthers = 0
        expected.records[id]?.kills = 0
        expected.records[id]?.freeKills = 0
    }

    /// Under a new outbox id nothing counts as transmitted: the outbox no longer knows what a crash concerned.
    func forgetPayments(onDeviceOf process: Int) {
        for id in expected.created where expected.records[id]?.device == processes[process].device {
            forgetPayments(of: id)
        }
    }

    /// Drops attempts that ended unseen, after the store was read again.
    func keepAttemptsUnderWay(_ process: Int) {
        let mirror = processes[process].mirror
        processes[process].attempted = processes[process].attempted.filter {
            mirror.items[$0]?.syncState == .syncing
        }
    }

    /// Crashes the process that encodes the delivery, with everything else that is in flight.
    func kill(_ process: Int, with delivery: Delivery) {
        tally.faults.count(.lethalPayload, inFlight: 1)
        if processes[process].isWitnessed, !devices[processes[process].device].wasCopied {
            countAttempt(for: delivery, process)
        }
        crash(process)
    }

    func kills(_ operation: DeliveryOperation) -> Bool { operation.isSend && Trait(of: operation.message) == .lethal }

    private func countAttempt(for delivery: Delivery, _ process: Int) {
        let payers = processes[process].attempted
        for id in expected.created where payers.contains(id) && Trait(of: id) != .lethal {
            tally.paidForKillers += 1
            expected.records[id]?.paidForOthers += 1
            guard let record = expected.records[id], !record.isExcused, record.paidForOthers > 1 else { continue }
            violated(
                .lethalOthers,
                "message \(record.number) pays \(record.paidForOthers) times for one that kills the process")
        }
        let retriesMax = plan.devices[processes[process].device].outbox.retry.retriesMax
        for operation in delivery.operations where kills(operation) {
            let pays = payers.contains(operation.message)
            if pays { tally.paidByKillers += 1 }
            expected.records[operation.message]?.kills += 1
            if !pays { expected.records[operation.message]?.freeKills += 1 }
            guard let record = expected.records[operation.message], !record.isExcused else { continue }
            if record.freeKills > Self.freeKillsMax {
                violated(.lethalMessage, "message \(record.number) kills the process, and does not pay for it")
            }
            if record.kills > retriesMax + 1 + Self.freeKillsMax {
                violated(.lethalMessage, "message \(record.number) kills the process \(record.kills) times")
            }
        }
    }
}
