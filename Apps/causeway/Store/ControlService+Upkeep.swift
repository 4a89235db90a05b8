import CausewayCommandLine
import CausewayControlAPI

extension ControlService {
    /// Requests a work on the store, shows its progress, and waits for its end.
    func perform(
        _ request: UpkeepRequest, _ verb: String, _ console: Console
    ) async throws(ControlError) -> UpkeepStatus {
        var status = try await beginUpkeep(request)
        let number = status.number
        let progress = StepProgress()
        while status.isRunning {
            progress.report(verb, status.done, status.total)
            if let line = progress.line() { console.progress(line) }
            try? await Task.sleep(for: .milliseconds(50))
            guard let next = try await upkeep(), next.number == number else {
                throw ControlError(.responseLost, "the daemon has begun another work, or was started again")
            }
            status = next
        }
        console.endProgress()
        if let problem = status.problem { throw problem.error }
        return status
    }
}
