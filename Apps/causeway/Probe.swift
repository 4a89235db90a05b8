import ArgumentParser
import CausewayCommandLine
import CausewayControlAPI
import CausewayDaemon

struct Probe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check for the server now instead of at the next scheduled time.")

    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            try await route.service.probe()
            try console.answer(["probing": true]) { _ in ["Checking for the server"] }
            return .ok
        }
    }
}
