import ArgumentParser
import CausewayCommandLine
import CausewayControlAPI
import CausewayDaemon

struct Outbox: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Show the messages, edits and reactions that are not on the server yet, oldest first, and why each waits.",
        discussion: "--json prints {\"messages\":[…],\"next\":…} as `causeway messages` does; see there.")

    @OptionGroup var list: ListOptions
    @Option(help: ArgumentHelp("Start after this cursor: `next` of another page.", valueName: "cursor"))
    var after: PageCursor?
    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            let response = try await list.list(from: after) { range throws(ControlError) in
                try await route.service.outbox(range)
            }
            try console.report(response) { MessageListing.outbox(response.messages, for: $0) + ListEnd.lines(response) }
            return .ok
        }
    }
}
