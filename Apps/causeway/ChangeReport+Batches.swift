import Causeway
import CausewayCommandLine
import CausewayControlAPI

/// Requests about a list of messages.
enum Chosen {
    /// Splits the list when it is too long for one request.
    static func report(
        _ ids: [MessageID], _ ask: ([MessageID]) async throws(ControlError) -> ChangeReport
    ) async throws(ControlError) -> ChangeReport {
        var done: [MessageID] = []
        var rest = ids[...]
        while !rest.isEmpty {
            done += try await ask(Array(rest.prefix(ControlLimits.idsPerRequestMax))).ids ?? []
            rest = rest.dropFirst(ControlLimits.idsPerRequestMax)
        }
        return ChangeReport(ids: done)
    }

    static func status(
        _ report: ChangeReport, of ids: [MessageID], _ problem: String, _ console: Console
    ) -> ExitStatus {
        let done = Set(report.ids ?? [])
        let left = Set(ids).subtracting(done)
        for id in ids where left.contains(id) { console.note("message \(id) \(problem)") }
        if left.isEmpty { return .ok }
        return done.isEmpty ? .notFound : .partly
    }
}
