import ArgumentParser

/// The cost of live collections: `make bench-live`.
struct LiveBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "live", abstract: "Measure live collections beside GRDB's ValueObservation on the same database.")

    @Option(help: "A folder on the disk to measure on.") var folder: String
    @Option(help: "What kind of filesystem that is, for the heading.") var filesystem: String
    @Option(help: "Only this part: delivery, snapshot or stress.") var only: Part?
    @Flag(help: "Print, and do not fail when a goal is missed.") var noGoals = false

    enum Part: String, ExpressibleByArgument {
        case delivery, snapshot, stress
    }

    func run() async throws {
        print(try MachineFacts(filesystem: filesystem, folder: folder).line)
        Table.flush()

        var goals: [Goal] = []
        if only != .stress { goals += try await measureOneCollection() }
        if only == nil || only == .stress {
            let store = try await FilledStore.make(in: folder + "/many", channels: 1000, messagesPerChannel: 1000)
            goals += try await BlockedMainActorBenchmark(store: store).run()
            // Last, because it also writes to the file without the store.
            goals += try await WriterRateBenchmark(store: store).run()
            await store.close()
        }
        try CausewayBench.judge(goals, noGoals: noGoals)
    }

    private func measureOneCollection() async throws -> [Goal] {
        var stores: [FilledStore] = []
        for size in only == .snapshot ? [1_000_000] : DeliveryBenchmark.sizes {
            stores.append(
                try await FilledStore.make(in: "\(folder)/one-\(size)", channels: 1, messagesPerChannel: size))
        }
        var goals: [Goal] = []
        if only != .snapshot { goals += try await DeliveryBenchmark(stores: stores).run() }
        if only != .delivery, let largest = stores.last {
            goals += try await FirstSnapshotBenchmark(store: largest).run()
        }
        for store in stores { await store.close() }
        return goals
    }
}
