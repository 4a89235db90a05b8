package import CausewayControlAPI
package import CausewayModels

/// Waits for deliveries to end.
package struct ResultWaiter: Sendable {
    /// The known results of a wait.
    package struct Outcome: Sendable, Hashable {
        /// One result for each message whose state is known, in the order of the messages.
        package fileprivate(set) var results: [DeliveryResultResponse] = []
        /// Why the state of the other messages is not known.
        package fileprivate(set) var problem: ControlError?

        fileprivate init() {}

        /// Adds what is known of a message.
        ///
        /// - Returns: false when nothing can be known of the messages after it, either.
        fileprivate mutating func add(
            _ id: MessageID, _ result: () async throws(ControlError) -> DeliveryResultResponse
        ) async -> Bool {
            do throws(ControlError) {
                results.append(try await result())
                return true
            } catch {
                guard error.code == .notFound else {
                    problem = error
                    return false
                }
                problem =
                    problem
                    ?? ControlError(
                        .notFound,
                        "message \(id) is no longer in the store: it was deleted, or delivered and not retained")
                return true
            }
        }
    }

    private let service: any ControlService

    package init(service: any ControlService) { self.service = service }

    /// Waits until the delivery of each message has ended, or the time has elapsed, or nothing can be known any more.
    ///
    /// - Parameters:
    ///   - limit: no limit when `nil`.
    ///   - waiting: called now and then with the pending message and its wait reason.
    /// - Returns: `waiting` as the result of those that did not end in time.
    package func results(
        of ids: [MessageID], within limit: Duration?, waiting: (DeliveryResultResponse) -> Void = { _ in }
    ) async -> Outcome {
        let end = limit.map { ContinuousClock.now + $0 }
        var outcome = Outcome()
        for id in ids {
            let goesOn = await outcome.add(id) { () async throws(ControlError) in
                try await result(of: id, until: end, waiting)
            }
            if !goesOn { break }
        }
        return outcome
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
    package func linger(over ids: [MessageID], within limit: Duration) async -> Outcome {
        let end = ContinuousClock.now + limit
        var outcome = Outcome()
        for id in ids {
            // Messages behind it in its lane wait too; those that may have overtaken it are still checked.
            let goesOn = await outcome.add(id) { () async throws(ControlError) in
                try await lingeringResult(of: id, until: end)
            }
            if !goesOn { break }
        }
        return outcome
    }

    private func lingeringResult(
        of id: MessageID, until end: ContinuousClock.Instant
    ) async throws(ControlError) -> DeliveryResultResponse {
        var result = try await service.result(of: id, within: .zero)
        while result.outcome == .waiting, ContinuousClock.now < end {
            if try await isStuck(service.status()) { break }
            let left = end - ContinuousClock.now
            result = try await service.result(of: id, within: max(.zero, min(left, .milliseconds(200))))
        }
        return result
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
