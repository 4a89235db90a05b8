import ArgumentParser
import CausewayCommandLine
import CausewayControlAPI
import CausewayDaemon

extension CommandOptions {
    /// Pauses or resumes sending. A pause lasts as long as the process that owns the store.
    func setPaused(_ isPaused: Bool) async throws {
        try await run { route, console throws(ControlError) in
            guard route.isDaemon else {
                throw ControlError(.daemonUnreachable, "no daemon running; nothing to pause or resume")
            }
            try await route.service.setPaused(isPaused)
            try console.answer(["paused": isPaused]) { _ in [isPaused ? "Paused" : "Sending"] }
            return .ok
        }
    }
}
