package import Causeway

/// Waits for the ends of deliveries.
package struct ResultWaiter: Sendable {
    private let service: any ControlService

    package init(service: any ControlService) { self.service = service }

    /// Waits until the delivery of each message has ended, or the time is over.
    ///
    /// - Parameters:
    ///   - limit: no limit when `nil`.
    ///   - waiting: called now and then with the message that is waited for and why.
    /// - Returns: one result for each; `waiting` for those that were not over in time.
    package func results(
        of ids: [MessageID], within limit: Duration?, waiting: (ResultForm) -> Void = { _ in }
    ) async throws(ControlError) -> [ResultForm] {
        let end = limit.map { ContinuousClock.now + $0 }
        var results: [ResultForm] = []
        for id in ids {
            results.append(try await result(of: id, until: end, waiting))
        }
        return results
    }

    private func result(
        of id: MessageID, until end: ContinuousClock.Instant?, _ waiting: (ResultForm) -> Void
    ) async throws(ControlError) -> ResultForm {
        while true {
            // A wait that is asked for anew each second can say why it waits.
            let left = end.map { max(.zero, $0 - ContinuousClock.now) } ?? .seconds(1)
            let result = try await service.result(of: id, within: min(left, .seconds(1)))
            if result.outcome != .waiting { return result }
            waiting(result)
            if let end, ContinuousClock.now >= end { return result }
        }
    }

    /// Waits for a program that is about to end: as long as it can help, for at most `limit`.
    ///
    /// Gives up early when nothing will move: offline, paused, something needs attention, nobody is logged in.
    ///
    /// - Returns: how many are delivered, and why the first of the others is not.
    package func linger(
        over ids: [MessageID], within limit: Duration
    ) async throws(ControlError) -> (delivered: Int, ended: [ResultForm]) {
        let end = ContinuousClock.now + limit
        var results: [ResultForm] = []
        for id in ids {
            var result = try await service.result(of: id, within: .zero)
            while result.outcome == .waiting, ContinuousClock.now < end {
                if try await isStuck(service.status()) { break }
                let left = end - ContinuousClock.now
                result = try await service.result(of: id, within: max(.zero, min(left, .milliseconds(200))))
            }
            results.append(result)
            // What stands behind it in its lane waits too; those that may have overtaken it are asked all the same.
        }
        return (results.count { $0.outcome == .delivered }, results)
    }

    private func isStuck(_ status: StatusForm) -> Bool {
        status.connectivity.state == "offline" || status.attention != nil || status.paused || status.session == nil
            || status.storeProblem != nil || status.wait?.kind == "rateLimited"
    }
}
