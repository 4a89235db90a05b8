import ArgumentParser

/// The cost of creating and sending messages: `make bench`.
struct OutboxBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox", abstract: "Measure how messages are taken in and sent to a hub.")

    @Option(help: "A folder on the disk to measure on.") var folder: String
    @Option(help: "What kind of filesystem that is, for the heading.") var filesystem: String
    @Option(help: "The program made of raw-insert.c.") var rawInsert: String
    @Option(help: "The address of a hub, https://…") var hub: String
    @Option(help: "The hub's authority.") var authority: String
    @Option(help: "A file with the token of an account.") var tokenFile: String
    @Option(help: "A channel in which nobody else writes meanwhile.") var channel: String
    @Option(help: "Only this part: creates, backlog or decoding.") var only: Part?
    @Flag(help: "Print, and do not fail when a goal is missed.") var noGoals = false

    enum Part: String, ExpressibleByArgument {
        case creates, backlog, decoding
    }

    func run() async throws {
        let server = try BenchServer(address: hub, authority: authority, tokenFile: tokenFile, channel: channel)
        let stores = StoreFolders(parent: folder)
        print(try MachineFacts(filesystem: filesystem, folder: folder).line)
        Table.flush()

        var goals: [Goal] = []
        if only == nil || only == .decoding { goals += try DecodingBenchmark().run() }
        if only == nil || only == .creates {
            goals += try await CreateBenchmark(server: server, stores: stores, rawInsert: rawInsert).run()
        }
        if only == nil || only == .backlog {
            goals += try await BacklogBenchmark(server: server, stores: stores).run()
        }

        try CausewayBench.judge(goals, noGoals: noGoals)
    }
}
