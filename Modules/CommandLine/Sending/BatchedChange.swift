package import CausewayControlAPI
package import CausewayModels

/// A change of more messages than one request may name: a request for each part of them, in their order.
package struct BatchedChange: Sendable, Hashable {
    /// The messages that were changed.
    package let report: ChangeReport
    /// The messages of successful requests that were not changed.
    package let unchanged: [MessageID]
    /// The error that ended the change before the last message; says how many messages are done.
    package let problem: ControlError?

    /// Sends the requests, and stops at the first that fails.
    ///
    /// Throws the error of the first request: nothing was changed then.
    package static func of(
        _ ids: [MessageID], _ request: ([MessageID]) async throws(ControlError) -> ChangeReport
    ) async throws(ControlError) -> BatchedChange {
        var changed: [MessageID] = []
        var changes = 0
        var done = 0
        var problem: ControlError?
        while done < ids.count, problem == nil {
            let part = Array(ids[done...].prefix(ControlLimits.idsPerRequestMax))
            do throws(ControlError) {
                let report = try await request(part)
                changed += report.ids ?? []
                changes += report.operations.changes
                done += part.count
            } catch {
                if done == 0 { throw error }
                problem = ControlError(
                    error.code, "\(error.detail); the first \(done) of \(ids.count) messages are done")
            }
        }
        let known = Set(changed)
        return BatchedChange(
            report: ChangeReport(ids: changed, changes: changes),
            unchanged: ids[..<done].filter { !known.contains($0) }, problem: problem)
    }

    /// The exit status of the command.
    package var exitStatus: ExitStatus {
        if let problem { return report.count == 0 ? problem.code.exitStatus : .partly }
        if unchanged.isEmpty { return .ok }
        return report.count == 0 ? .notFound : .partly
    }
}
