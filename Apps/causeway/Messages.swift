import ArgumentParser
import Causeway
import CausewayControl

struct Messages: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the newest messages of a channel, what is undelivered among them.",
        discussion: """
            Asks the server first when it can be asked, and shows what is stored all the same when not. --refresh \
            makes that an error, --offline does not ask.

            --json prints {"messages":[…],"next":…,"refreshed":…}, newest first. Each message has id, channel, \
            sender, type, text or custom, state (created, uploading, syncing, synced, error), states (the names that \
            the ios, android, typescript and classic SDKs have for it), createdAt and createdAtMs, position, \
            acceptedAt, attempts, wait and waitText (why it waits, in parts and in words) and failure. Give `next` to \
            --before for the page before; it is absent when there is none.

            --follow goes on telling. On a terminal the newest messages stay on the screen and their states change \
            where they stand; arrows and page keys look back, q or Ctrl-C ends it, and the terminal is then as it was. \
            Elsewhere each change is a line, with --json an object {"change":…,"message":…}, where the change is \
            inserted, modified or deleted. It ends with the daemon (exit status 69).
            """)

    @Argument(help: "The channel.") var channel: ChannelArgument
    @OptionGroup var list: ListOptions
    @Option(help: ArgumentHelp("Show what lies before this place: `next` of another page.", valueName: "place"))
    var before: PageCursor?
    @Flag(help: "Ask the server; an error when that does not work.") var refresh = false
    @Flag(help: "Show what is stored, without asking the server.") var offline = false
    @Flag(name: .shortAndLong, help: "Go on telling every change.") var follow = false
    @OptionGroup var options: CommandOptions

    func validate() throws {
        if refresh, offline { throw ValidationError("--refresh and --offline exclude each other.") }
        guard follow else { return }
        if refresh || offline { throw ValidationError("--follow asks the server by itself, when it can be asked.") }
        if before != nil { throw ValidationError("--follow shows the newest messages: leave out --before.") }
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
            if let problem = response.refreshProblem { console.note("the server was not asked: \(problem)") }
            try console.answer(response) { MessageListing.channel(response.messages, for: $0) }
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
