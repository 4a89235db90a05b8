import CausewayModels
import CausewayOutbox

/// Answers that no hub of good faith gives, and messages that come too late for their creator's session.
extension SimulatedWorld {
    /// Too short, too long, or with numbers that cannot be.
    func malformed(_ report: DeliveryReport) -> DeliveryReport {
        var report = report
        let number: Int64 = chance.isLikely(500) ? .max - Int64(chance.number(in: 0..<3)) : -1
        switch chance.number(in: 0..<4) {
        case 0: report.outcomes.append(.fenced)
        case 1: report.outcomes = []
        case 2: report.outcomes = report.outcomes.map { _ in .late(mark: number) }
        default: report.outcomes = report.outcomes.map { _ in .gap(mark: number) }
        }
        return report
    }

    /// Somebody creates a message, and the store is busy: it is queued later, whoever is logged in by then.
    func createLate(_ client: Int) {
        guard let account = clients[client].account else { return }
        let late = Happening.LateDraft(client: client, birth: clients[client].birth, sender: account)
        queue.plan(.draftLands(late), at: now + chance.between(.milliseconds(1), .seconds(20)))
        // Now and then somebody else takes the device over meanwhile.
        guard plan.accountCount > 1, chance.isLikely(200), let other = Cast.users.first(where: { $0 != account })
        else { return }
        submit(.logOut, to: client)
        submit(.logIn(other), to: client)
    }

    func draftLands(_ late: Happening.LateDraft) {
        let client = clients[late.client]
        guard client.outbox != nil, client.birth == late.birth, !client.isSuspended else { return }
        createMessage(late.client, as: late.sender)
        drive(late.client)
    }
}
