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
