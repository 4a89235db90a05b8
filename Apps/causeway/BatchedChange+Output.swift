import Causeway
import CausewayCommandLine
import CausewayControlAPI

extension BatchedChange {
    /// Prints the result, a line for each message that was not changed, and the error; returns the exit status.
    ///
    /// - Parameters:
    ///   - words: the line about the messages that were changed.
    ///   - reason: why a message was not changed.
    func print(
        _ words: (OperationCount) -> String, unchanged reason: String, _ console: Console
    ) throws(ControlError) -> ExitStatus {
        try console.report(report) { _ in report.count == 0 ? [] : [words(report.operations)] }
        for id in unchanged { console.note("message \(id) \(reason)") }
        if let problem { console.report(problem) }
        return exitStatus
    }
}
