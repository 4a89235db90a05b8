import ArgumentParser
import CausewayControl

struct Probe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look for the server now, instead of at the next planned moment.")

    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            try await route.service.probe()
            try console.answer(["probing": true]) { _ in ["Looking for the server"] }
            return .ok
        }
    }
}
