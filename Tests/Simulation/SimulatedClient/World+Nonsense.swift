import CausewayModels
import CausewaySimulatedHub
import CausewaySimulatedRuntime
import CausewaySimulationKernel
import CausewayTransport

/// Malformed reports of a delivery that the hub has applied, and marks ahead of everything sent for one that it has
/// not.
extension World {
    /// The report, or a malformed one in its place.
    func nonsense(in report: DeliveryReport) -> DeliveryReport {
        strikes(.malformedReport) ? malformed(report) : report
    }

    /// The report of a hub whose mark is ahead; `nil` if it is not. Once for each process: nothing protects a client
    /// from a hub that lies each time. No other copy of the request is on its way, which the hub would take after all.
    func reportOfMarkAhead(_ call: DeliveryCall) -> DeliveryReport? {
        let operations = call.delivery.operations
        guard processes[call.process].markAhead == nil, let last = operations.last,
            operations.allSatisfy({ operation in
                guard operation.isSend, let record = expected.records[operation.message] else { return false }
                return record.departures == 1 && !record.isRepeated && hub.accepted[operation.message] == nil
            }), strikes(.markAhead)
        else { return nil }
        let mark = last.sequence + Int64.random(in: 1...50, using: &nonsenseDice)
        processes[call.process].markAhead = mark
        var report = DeliveryReport(
            mark: 0, outcomes: [.late(mark: mark)] + Array(repeating: .notAttempted, count: operations.count - 1))
        report.history = oracle.name(hub)
        return report
    }

    /// Notes that a client learns of a mark ahead, and continues under a new outbox id. What is still under way of the
    /// former one may reach the hub later than what follows.
    func noteMarkAhead(_ report: DeliveryReport, of delivery: Delivery, _ process: Int) {
        guard case .late(let mark)? = report.outcomes.first, mark == processes[process].markAhead else { return }
        expected.formerOutboxes.insert(delivery.outbox)
    }

    /// A report that is too short, too long, or has impossible numbers.
    private func malformed(_ report: DeliveryReport) -> DeliveryReport {
        var report = report
        let number: Int64 = Bool.random(using: &nonsenseDice) ? .max : -1
        switch Int.random(in: 0..<5, using: &nonsenseDice) {
        case 0: report.outcomes.append(.fenced)
        case 1: report.outcomes = []
        case 2: report.outcomes = report.outcomes.map { _ in .late(mark: number) }
        case 3: report.outcomes = report.outcomes.map { _ in .gap(mark: number) }
        default:
            let nowhere = ServerPosition(position: min(number, 0), acceptedAt: runtime.wallClock)
            report.outcomes = report.outcomes.map { _ in .accepted(nowhere) }
        }
        return report
    }
}
