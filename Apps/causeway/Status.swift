import ArgumentParser
import CausewayCommandLine
import CausewayControlAPI
import CausewayDaemon

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show session, connection, outbox, and required actions.")

    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            let status = try await route.service.status()
            try console.answer(status) { MessageDetails.lines(status, for: $0) }
            return .ok
        }
    }
}
