import CausewayModels
import CausewayOutbox
import CausewaySimulatedHub
import CausewaySimulationKernel
import CausewayStorage

/// Checks that work is done when it can be: waiting entries are in flight, or wait for a known time, or for a user.
///
/// Checked after every step, and not only at the end: a client that nothing would ever wake again is found at once,
/// even if a user's later act would wake it.
extension SimulatedWorld {
    func standsStill(_ index: Int) -> String? {
        let client = clients[index]
        if client.isAtRest, let planned = client.plannedDeadline {
            let late = now - max(planned, client.deadlinePlannedAt)
            if late > Plan.lateTimerMax { return "client \(index): its timer is \(late) late" }
        }
        guard let machine = client.machine, client.isAtRest, client.account != nil, client.store.hasEntries,
            !isTimerDue(of: client)
        else { return nil }
        let clock = clock(of: index)
        if let old = heard(outlivesItself(index)) { return old }
        switch machine.outbox.waitReasonOfAll(at: clock) {
        case nil: return laneStandsStill(index, machine, clock)
        case .paused, .noSession: return nil
        case let reason?:
            if client.isSuperseded {
                return client.isShared ? nil : "client \(index) is superseded, and there is no second one"
            }
            if let late = heard(waitsTooLong(reason, index, machine, clock)) { return late }
            if client.probesUnderWay > 0 || !client.openCalls.isEmpty || machine.outbox.nextDeadline != nil {
                return nil
            }
            return "client \(index): nothing is planned, and it waits: \(reason)"
        }
    }

    /// True when its timer is late: the work is done when it fires.
    private func isTimerDue(of client: ModelClient) -> Bool { client.plannedDeadline.map { $0 <= now } ?? false }

    /// Lanes share the limit on deliveries in flight, and after a crash take turns for a while; a lane that waits for
    /// room waits for a delivery in flight.
    private func roomIsTaken(_ client: ModelClient, _ machine: Machine) -> Bool {
        if client.openCalls.isEmpty { return false }
        return client.mayGoOneByOne
            || machine.outbox.batchesUnderWay.count >= plan.configuration.deliveriesInFlightTotalMax
    }

    /// Checks that with a working connection each lane has a delivery in flight, or its oldest message a reason that
    /// passes.
    private func laneStandsStill(_ index: Int, _ machine: Machine, _ clock: ClockReading) -> String? {
        let client = clients[index]
        // A client that was notified of a recovery probes the hub first.
        if client.probesUnderWay > 0 { return nil }
        let busy = Set(client.openCalls.values.map(\.batch.lane))
        var seen: Set<LaneID> = []
        for entry in client.store.entries where !busy.contains(entry.lane) {
            guard seen.insert(entry.lane).inserted else { continue }
            guard entry.kind == .send else {
                if roomIsTaken(client, machine) { continue }
                if machine.outbox.nextDeadline != nil {
                    if let late = questionsWaitTooLong(index, machine) { return late }
                    continue
                }
                return "client \(index): nobody asks about \(entry.message.value.low), and nothing is planned"
            }
            switch machine.outbox.waitReason(for: entry.message, at: clock) {
            case nil, .ready:
                if roomIsTaken(client, machine) { continue }
                return "client \(index): \(entry.message.value.low) could leave, and does not"
            case .inFlight: return "client \(index): \(entry.message.value.low) is said to be under way, and is not"
            case .backingOff(let until, attempts: _):
                if let late = pausesTooLong(entry.message, until: until, index, machine, clock) { return late }
            case .lanePaused(let failed):
                if client.store.pauses.contains(where: { $0.lane == entry.lane && $0.message == failed }) { continue }
                return "client \(index): \(failed.value.low) pauses lane \(entry.lane), and did not fail"
            case .behindLane(let lane, let message):
                if client.store.entries.contains(where: { $0.lane == lane && $0.message == message }) { continue }
                return "client \(index): \(entry.message.value.low) waits for \(message.value.low), which is gone"
            case .rateLimited:
                if machine.outbox.nextDeadline == nil {
                    return "client \(index): \(entry.message.value.low) waits for ever"
                }
            case .uploading:
                let isUnderWay = client.openUploads.values.contains { $0.attempt.message == entry.message }
                let isFull = client.openUploads.count >= plan.configuration.uploadsMax
                if isUnderWay || isFull || machine.outbox.nextDeadline != nil { continue }
                return "client \(index): the file of \(entry.message.value.low) could be uploaded, and is not"
            default: continue
            }
        }
        return nil
    }
}
