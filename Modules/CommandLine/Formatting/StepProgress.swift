import Synchronization

/// The progress of a work in steps as one line: the step, the parts that are done, and the time since its begin.
///
/// The time goes on while a step reports nothing, so that a long step does not look like a program that hangs.
/// Thread-safe.
package final class StepProgress: Sendable {
    private struct State {
        var step: String
        var done: Int64 = 0
        var total: Int64?
        var began: ContinuousClock.Instant
    }

    private let state = Mutex<State?>(nil)

    package init() {}

    /// Notes the progress of the step that is under way; another name begins another step.
    package func report(_ step: String, _ done: Int64, _ total: Int64?, now: ContinuousClock.Instant = .now) {
        state.withLock { state in
            if state?.step != step { state = State(step: step, began: now) }
            state?.done = done
            state?.total = total
        }
    }

    /// The line, as in `entries: 52000, 3 s`, `compacting: 52 of 262, 3 s` or, before anything is done, `pages: 3 s`.
    ///
    /// - Returns: `nil` before the first report.
    package func line(now: ContinuousClock.Instant = .now) -> String? {
        guard let state = state.withLock({ $0 }) else { return nil }
        var parts: [String] = []
        if let total = state.total, state.done > 0 {
            parts.append("\(state.done) of \(total)")
        } else if state.done > 0 {
            parts.append("\(state.done)")
        }
        let seconds = Int64((now - state.began) / .seconds(1))
        if seconds > 0 || parts.isEmpty { parts.append("\(seconds) s") }
        return "\(state.step): \(parts.joined(separator: ", "))"
    }
}
