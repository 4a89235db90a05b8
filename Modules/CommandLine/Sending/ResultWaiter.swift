package import CausewayControlAPI
package import CausewayModels

/// Waits for deliveries to end.
package struct ResultWaiter: Sendable {
    private let service: any ControlService

    package init(service: any ControlService) { self.service = service }

    /// Waits until the delivery of each message has ended, or the time has elapsed.
    ///
    /// - Parameters:
    ///   - limit: no limit when `nil`.
    ///   - waiting: called now and then with the pending message and its wait reason.
    /// - Returns: one result for each message; `waiting` for those that did not end in time.
    package func results(
        of ids: [MessageID], within limit: Duration?, waiting: (DeliveryResultResponse) -> Void = { _ in }
    ) async throws(ControlError) -> [DeliveryResultResponse] {
        let end = limit.map { ContinuousClock.now + $0 }
        var results: [DeliveryResultResponse] = []
        for id in ids {
            results.append(try await result(of: id, until: end, waiting))
        }
        return results
    }

    private func result(
        of id: MessageID, until end: ContinuousClock.Instant?, _ waiting: (DeliveryResultResponse) -> Void
    ) async throws(ControlError) -> DeliveryResultResponse {
        while true {
            // A wait that is renewed every second can report its reason.
            let left = end.map { max(.zero, $0 - ContinuousClock.now) } ?? .seconds(1)
            let result = try await service.result(of: id, within: min(left, .seconds(1)))
            if result.outcome != .waiting { return result }
            waiting(result)
            if let end, ContinuousClock.now >= end { return result }
        }
    }

    /// Waits on behalf of a program that is about to end: while waiting can help, for at most `limit`.
    ///
    /// Returns early when nothing can be sent: offline, paused, rate limited, the store in trouble, an action required,
    /// or no session.
    ///
    /// - Returns: the number of delivered messages, and the results of all.
    package func linger(
        over ids: [MessageID], within limit: Duration
    ) async throws(ControlError) -> (delivered: Int, ended: [DeliveryResultResponse]) {
        let end = ContinuousClock.now + limit
        var results: [DeliveryResultResponse] = []
        for id in ids {
            var result = try await service.result(of: id, within: .zero)
            while result.outcome == .waiting, ContinuousClock.now < end {
                if try await isStuck(service.status()) { break }
                let left = end - ContinuousClock.now
                result = try await service.result(of: id, within: max(.zero, min(left, .milliseconds(200))))
            }
            results.append(result)
            // Messages behind it in its lane wait too; those that may have overtaken it are still checked.
        }
        return (results.count { $0.outcome == .delivered }, results)
    }

    private func isStuck(_ status: StatusResponse) -> Bool {
        status.connectivity.state == "offline" || status.attention != nil || status.paused || status.session == nil
            || status.storeProblem != nil || ["rateLimited", "startingOver"].contains(status.wait?.kind)
    }
}

/// The exit status of a command that sent messages.
package enum SendExitStatus {
    /// The exit status for the messages that were waited for.
    package static func exitStatus(of results: [DeliveryResultResponse]) -> ExitStatus {
        let delivered = results.count { $0.outcome == .delivered }
        let ended = results.count { $0.outcome == .failed || $0.outcome == .deleted }
        if delivered == results.count { return .ok }
        if ended == results.count { return .failedForGood }
        return ended == 0 ? .temporary : .partly
    }
}
