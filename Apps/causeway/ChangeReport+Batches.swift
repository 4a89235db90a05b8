import Causeway
import CausewayCommandLine
import CausewayControlAPI

/// Reports of requests about more messages than one request may name.
extension ChangeReport {
    /// Sends a request for each part of the list, in order, and joins their reports.
    static func ofBatches(
        _ ids: [MessageID], _ request: ([MessageID]) async throws(ControlError) -> ChangeReport
    ) async throws(ControlError) -> ChangeReport {
        var changed: [MessageID] = []
        var changes = 0
        var rest = ids[...]
        while !rest.isEmpty {
            let report = try await request(Array(rest.prefix(ControlLimits.idsPerRequestMax)))
            changed += report.ids ?? []
            changes += report.operations.changes
            rest = rest.dropFirst(ControlLimits.idsPerRequestMax)
        }
        return ChangeReport(ids: changed, changes: changes)
    }

    /// The exit status of the command; prints a line for each message that the report does not name.
    func exitStatus(of requested: [MessageID], _ problem: String, _ console: Console) -> ExitStatus {
        let changed = Set(ids ?? [])
        let left = Set(requested).subtracting(changed)
        for id in requested where left.contains(id) { console.note("message \(id) \(problem)") }
        if left.isEmpty { return .ok }
        return changed.isEmpty ? .notFound : .partly
    }
}
