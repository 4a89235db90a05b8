import ArgumentParser
import CausewayCommandLine
import CausewayControlAPI
import CausewayDaemon

struct DeleteActions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show past deletions, newest first, each with time, origin and last error.",
        discussion: "--json prints {\"actions\":[…],\"next\":…}.")

    @Option(help: ArgumentHelp("The maximum number of actions, up to 1000.", valueName: "number")) var limit = 20
    @Option(help: ArgumentHelp("Show the actions before this number.", valueName: "number")) var before: Int64?
    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            let response = try await route.service.deleteActions(limit: limit, before: before)
            try console.answer(response) { MessageListing.deleteActions(response.actions, for: $0) }
            return .ok
        }
    }
}
