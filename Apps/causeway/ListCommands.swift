import ArgumentParser
import Causeway
import CausewayControl

struct Messages: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the newest messages of a channel, what is undelivered among them.",
        discussion: """
            Asks the server first when it can be asked, and shows what is stored all the same when not. --refresh
            makes that an error, --offline does not ask.

            --json prints {"messages":[…],"next":…,"refreshed":…}, newest first. Each message has id, channel,
            sender, type, text or custom, state (created, uploading, syncing, synced, error), states (the names that
            the ios, android, typescript and classic SDKs have for it), createdAt and createdAtMs, position,
            acceptedAt, attempts, wait and waitText (why it waits, in parts and in words) and failure. Give `next` to
            --before for the page before; it is absent when there is none.
            """)

    @Argument(help: "The channel.") var channel: ChannelID
    @OptionGroup var list: ListOptions
    @Option(help: ArgumentHelp("Show what lies before this place: `next` of another page.", valueName: "place"))
    var before: PlaceMark?
    @Flag(help: "Ask the server; an error when that does not work.") var refresh = false
    @Flag(help: "Show what is stored, without asking the server.") var offline = false
    @OptionGroup var options: CommandOptions

    func validate() throws {
        if refresh, offline { throw ValidationError("--refresh and --offline exclude each other.") }
    }

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            let mode: ChannelQuery.Refresh = refresh ? .required : offline ? .never : .auto
            let form = try await list.list(from: before) { range throws(ControlError) in
                try await route.service.messages(ChannelQuery(channel: channel, range: range, refresh: mode))
            }
            if let problem = form.refreshProblem { console.note("the server was not asked: \(problem)") }
            try console.answer(form) { MessageListing.channel(form.messages, for: $0) }
            return .ok
        }
    }
}

struct ShowMessage: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "message", abstract: "Show one message, and where it is.")

    @Argument(help: "The message's id.") var id: MessageID
    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            let message = try await route.service.message(id)
            try console.answer(message) { MessageDetails.lines(message, for: $0) }
            return .ok
        }
    }
}

struct Outbox: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what is not on the server yet, oldest first, and why each message waits.",
        discussion: "--json prints {\"messages\":[…],\"next\":…} as `causeway messages` does; see there.")

    @OptionGroup var list: ListOptions
    @Option(help: ArgumentHelp("Begin behind this place: `next` of another page.", valueName: "place"))
    var after: PlaceMark?
    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            let form = try await list.list(from: after) { range throws(ControlError) in
                try await route.service.outbox(range)
            }
            try console.answer(form) { MessageListing.outbox(form.messages, for: $0) + ListEnd.lines(form) }
            return .ok
        }
    }
}

struct Failed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the messages that failed for good, oldest first, with their last error.",
        discussion: "--json prints {\"messages\":[…],\"next\":…} as `causeway messages` does; see there.")

    @Option(help: "Only this channel's.") var channel: ChannelID?
    @OptionGroup var list: ListOptions
    @Option(help: ArgumentHelp("Begin behind this place: `next` of another page.", valueName: "place"))
    var after: PlaceMark?
    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            let form = try await list.list(from: after) { range throws(ControlError) in
                try await route.service.failed(in: channel, range)
            }
            try console.answer(form) { MessageListing.failed(form.messages, for: $0) + ListEnd.lines(form) }
            return .ok
        }
    }
}

struct DeleteActions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show past deletions, newest first: what, when, by whom, and its last error.",
        discussion: "--json prints {\"actions\":[…],\"next\":…}.")

    @Option(help: ArgumentHelp("How many at the most, up to 1000.", valueName: "number")) var limit = 20
    @Option(help: ArgumentHelp("Show what lies before this number.", valueName: "number")) var before: Int64?
    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.run { route, console throws(ControlError) in
            let form = try await route.service.deleteActions(limit: limit, before: before)
            try console.answer(form) { MessageListing.deleteActions(form.actions, for: $0) }
            return .ok
        }
    }
}

/// How a list ends that has more.
private enum ListEnd {
    static func lines(_ form: MessageListForm) -> [String] {
        form.next.map { ["… and more: --after \($0), or a larger --limit"] } ?? []
    }
}
