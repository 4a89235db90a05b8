import Causeway

extension ClientControlService {
    package func activity() async throws(ControlError) -> ActivityForm {
        // Read first, so that a commit made meanwhile is reported again.
        let version = monitor.version
        return ActivityForm(
            version: version, status: try await status(), drainedPerMinute: monitor.drainedPerMinute())
    }

    package func watch() -> AsyncThrowingStream<ActivityForm, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task {
                do {
                    try await tell { continuation.yield($0) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Checks at short intervals for a commit, and now and then for changes without one.
    private func tell(_ listener: (ActivityForm) -> Void) async throws {
        guard monitor.enter() else {
            throw ControlError(
                .busy, "\(ControlLimits.watchersMax) others watch already; more are not taken at the same time")
        }
        defer { monitor.leave() }
        var last: ActivityForm?
        var toldAt = ContinuousClock.now
        while !Task.isCancelled {
            let form = try await activity()
            if form != last || toldAt.duration(to: .now) >= .seconds(ControlLimits.watchSilenceSecondsMax) {
                listener(form)
                last = form
                toldAt = .now
            }
            for _ in 0..<ControlLimits.watchTicksPerLook {
                try await Task.sleep(for: .milliseconds(ControlLimits.watchTickMilliseconds))
                if monitor.version != form.version { break }
            }
        }
    }
}
