import ArgumentParser
import CausewayCommandLine
import CausewayControlAPI
import CausewayDaemon

struct Pause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Stop sending until `causeway resume` or the daemon's restart; new messages are still accepted.")

    @OptionGroup var options: CommandOptions

    func run() async throws { try await options.setPaused(true) }
}

struct Resume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Resume sending.")

    @OptionGroup var options: CommandOptions

    func run() async throws { try await options.setPaused(false) }
}

extension CommandOptions {
    /// Pauses or resumes sending. A pause lasts as long as the process that owns the store.
    func setPaused(_ isPaused: Bool) async throws {
        try await run { route, console throws(ControlError) in
            guard route.isDaemon else {
                throw ControlError(.daemonUnreachable, "no daemon running; nothing to pause or resume")
            }
            try await route.service.setPaused(isPaused)
            try console.report(["paused": isPaused]) { _ in [isPaused ? "Paused" : "Sending"] }
            return .ok
        }
    }
}
