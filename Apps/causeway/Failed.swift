import ArgumentParser
import Causeway
import CausewayCommandLine
import CausewayControlAPI
import CausewayDaemon

struct Failed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Show the permanently failed messages, edits and reactions, oldest first, with error and remedy.",
        discussion: "--json prints {\"messages\":[…],\"next\":…} as `causeway messages` does; see there.")

    @Option(help: "Only those of this channel.") var channel: ChannelArgument?
    @OptionGroup var list: ListOptions
    @Option(help: ArgumentHelp("Start after this cursor: `next` of another page.", valueName: "cursor"))
    var after: PageCursor?
    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            let channel = try channel?.id()
            let response = try await list.list(from: after) { range throws(ControlError) in
                try await route.service.failed(in: channel, range)
            }
            try console.report(response) { MessageListing.failed(response.messages, for: $0) + ListEnd.lines(response) }
            return .ok
        }
    }
}

struct DeleteActions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show past deletions, newest first, each with time, origin and last error.",
        discussion: """
            A deleted edit or reaction has the id of its operation, and below it the message that it concerned. \
            --json prints {"actions":[…],"next":…}.
            """)

    @Option(help: ArgumentHelp("The maximum number of actions, up to \(Limits.pageSizeMax).", valueName: "number"))
    var limit = 20
    @Option(help: ArgumentHelp("Show the actions before this number.", valueName: "number")) var before: Int64?
    @OptionGroup var options: CommandOptions

    func validate() throws {
        guard (1...Limits.pageSizeMax).contains(limit) else {
            throw ValidationError("--limit is 1 to \(Limits.pageSizeMax).")
        }
    }

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            let response = try await route.service.deleteActions(limit: limit, before: before)
            try console.report(response) {
                MessageListing.deleteActions(response.actions, for: $0)
                    + ListEnd.lines(next: response.next, option: "--before")
            }
            return .ok
        }
    }
}
