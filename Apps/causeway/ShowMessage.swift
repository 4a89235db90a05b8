import ArgumentParser
import Causeway
import CausewayCommandLine
import CausewayControlAPI
import CausewayDaemon

struct ShowMessage: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "message", abstract: "Show one message and its delivery state.")

    @Argument(help: "The message's id.") var id: MessageArgument
    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            let message = try await route.service.message(try id.id())
            try console.report(message) { MessageDetails.lines(message, for: $0) }
            return .ok
        }
    }
}
