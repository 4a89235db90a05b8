import CausewayModels
import CausewayOutbox
import CausewaySimulationKernel

/// Malformed responses of a faulty hub, and messages that arrive too late for their creator's session.
extension SimulatedWorld {
    /// Returns a report that is too short, too long, or has impossible numbers.
    func malformed(_ report: DeliveryReport) -> DeliveryReport {
        var report = report
        let number: Int64 = randomness.isLikely(500) ? .max - Int64(randomness.number(in: 0..<3)) : -1
        switch randomness.number(in: 0..<4) {
        case 0: report.outcomes.append(.fenced)
        case 1: report.outcomes = []
        case 2: report.outcomes = report.outcomes.map { _ in .late(mark: number) }
        default: report.outcomes = report.outcomes.map { _ in .gap(mark: number) }
        }
        return report
    }

    /// A user creates a message, and the store is busy: it is enqueued later, whichever account is logged in by then.
    func createLate(_ client: Int) {
        guard let account = clients[client].account else { return }
        let late = SimulatedEvent.LateDraft(client: client, birth: clients[client].birth, sender: account)
        queue.plan(.draftLands(late), at: now + randomness.between(.milliseconds(1), .seconds(20)))
        // Now and then another user takes over the device meanwhile.
        guard plan.accountCount > 1, randomness.isLikely(200),
            let other = WorldNames.users.first(where: { $0 != account })
        else { return }
        submit(.logOut, to: client)
        submit(.logIn(other), to: client)
    }

    func draftLands(_ late: SimulatedEvent.LateDraft) {
        let client = clients[late.client]
        guard client.isRunning, client.birth == late.birth, !client.isSuspended else { return }
        createMessage(late.client, as: late.sender)
        drive(late.client)
    }
}
