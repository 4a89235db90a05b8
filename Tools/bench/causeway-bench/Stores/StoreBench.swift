import ArgumentParser

/// The two stores on disk beside each other: `make bench-store`.
struct StoreBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stores", abstract: "Measure the file store beside SQLite.")

    @Option(help: "A folder on the disk to measure on.") var folder: String
    @Option(help: "What kind of filesystem that is, for the heading.") var filesystem: String
    @Option(help: "The program made of raw-insert.c.") var rawInsert: String
    @Option(help: "The number of messages of the large store.") var messages = 1_000_000
    @Option(help: "How many of them are queued.") var queued = 100_000
    @Option(help: "Only this part: creates or large.") var only: Part?
    @Flag(help: "Print, and do not fail when a goal is missed.") var noGoals = false

    enum Part: String, ExpressibleByArgument { case creates, large }

    func run() async throws {
        print(try MachineFacts(filesystem: filesystem, folder: folder).line)
        Table.flush()
        let stores = StoreFolders(parent: folder)
        var goals: [Goal] = []
        if only != .large { goals += try await StoreCreateBenchmark(stores: stores, rawInsert: rawInsert).run() }
        if only != .creates {
            goals += try await LargeStoreBenchmark(stores: stores, messages: messages, queued: queued).run()
        }
        try CausewayBench.judge(goals, noGoals: noGoals)
    }
}
