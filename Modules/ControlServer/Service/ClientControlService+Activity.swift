import Causeway
package import CausewayControlAPI

extension ClientControlService {
    package func activity() async throws(ControlError) -> ActivityResponse {
        // Read first, so that a commit made meanwhile is reported again.
        let version = monitor.version
        return ActivityResponse(
            version: version, status: try await status(), drainedPerMinute: monitor.drainedPerMinute())
    }

    package func watch() -> AsyncThrowingStream<ActivityResponse, any Error> {
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
    private func tell(_ listener: (ActivityResponse) -> Void) async throws {
        guard monitor.enter() else {
            throw ControlError(
                .busy, "too many watchers (at most \(ControlLimits.watchersMax)); try again later")
        }
        defer { monitor.leave() }
        var last: ActivityResponse?
        var toldAt = ContinuousClock.now
        while !Task.isCancelled {
            let response = try await activity()
            if response != last || toldAt.duration(to: .now) >= .seconds(ControlLimits.watchSilenceSecondsMax) {
                listener(response)
                last = response
                toldAt = .now
            }
            for _ in 0..<ControlServerLimits.watchTicksPerLook {
                try await Task.sleep(for: .milliseconds(ControlServerLimits.watchTickMilliseconds))
                if monitor.version != response.version { break }
            }
        }
    }
}
