import ArgumentParser
import Causeway
import CausewayCommandLine
import CausewayControlAPI
import CausewayDaemon

struct Messages: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the newest messages of a channel, including undelivered ones.",
        discussion: """
            Loads the list from the server first when it is reachable, and shows the stored messages otherwise. With \
            --refresh an unreachable server is an error; with --offline the server is not used.

            --json prints {"messages":[…],"next":…,"refreshed":…}, newest first. Each message has id, channel, \
            sender, type, text or custom, state (created, uploading, syncing, synced, error), states (its names in \
            the ios, android, typescript and classic SDKs), createdAt and createdAtMs, position, \
            acceptedAt, attempts, wait and waitText (the reason for waiting, as data and as text) and failure. Pass \
            `next` to --before for the previous page; it is absent on the last one.

            --follow shows changes as they happen. On a terminal the newest messages stay on the screen and are \
            updated in place; arrow and page keys scroll, q or Ctrl-C quits and restores the terminal. Otherwise each \
            change is a line, with --json an object {"change":…,"message":…}; the change is inserted, modified or \
            deleted. It ends when the daemon stops (exit status 69).
            """)

    @Argument(help: "The channel.") var channel: ChannelArgument
    @OptionGroup var list: ListOptions
    @Option(help: ArgumentHelp("Show the messages before this cursor: `next` of another page.", valueName: "cursor"))
    var before: PageCursor?
    @Flag(help: "Load from the server; fail if it is unreachable.") var refresh = false
    @Flag(help: "Show stored messages only.") var offline = false
    @Flag(name: .shortAndLong, help: "Show changes as they happen.") var follow = false
    @OptionGroup var options: CommandOptions

    func validate() throws {
        if refresh, offline { throw ValidationError("--refresh and --offline exclude each other.") }
        guard follow else { return }
        if refresh || offline { throw ValidationError("--follow loads from the server by itself.") }
        if before != nil { throw ValidationError("--follow shows the newest messages; omit --before.") }
        guard (1...Limits.pageSizeMax).contains(list.limit) else {
            throw ValidationError("--limit is 1 to \(Limits.pageSizeMax) with --follow.")
        }
    }

    func run() async throws {
        guard !follow else { return try await followed() }
        try await options.run { route, console throws(ControlError) in
            let mode: ChannelQuery.Refresh = refresh ? .required : offline ? .never : .auto
            let channel = try channel.id()
            let response = try await list.list(from: before) { range throws(ControlError) in
                try await route.service.messages(ChannelQuery(channel: channel, range: range, refresh: mode))
            }
            if let problem = response.refreshProblem { console.note("the list was not refreshed: \(problem)") }
            try console.report(response) {
                MessageListing.channel(response.messages, for: $0)
                    + ListEnd.lines(next: response.next, option: "--before")
            }
            return .ok
        }
    }

    private func followed() async throws {
        var ending = MessageFollower.Ending.quit
        try await options.run { route, console throws(ControlError) in
            let follower = MessageFollower(
                query: FollowQuery(channel: try channel.id(), limit: list.limit), console: console)
            ending = try await follower.run(route.service)
            return .ok
        }
        ending.finish()
    }
}
