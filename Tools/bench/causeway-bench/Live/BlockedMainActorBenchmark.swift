import CausewayLiveQuery
import CausewayModels

/// The backlog of a blocked reader: the main actor is kept busy for two seconds, and longer where the disk is slow,
/// while a writer changes the same thousand messages again and again, one in each of a thousand collections.
struct BlockedMainActorBenchmark {
    private static let time: Duration = .seconds(2)
    /// Memory is checked after every round: fewer rounds prove nothing.
    fileprivate static let roundsMin = 5

    let store: FilledStore

    func run() async throws -> [Goal] {
        CausewayBench.progress("the main actor is blocked")
        let crowd = try await Crowd(store)
        await crowd.forgetCalls()
        let log = WriteLog(store)
        try await crowd.block(for: Self.time) { isOver in try await log.write(until: isOver) }
        await crowd.isUpToDate()
        let calls = await crowd.calls
        try await crowd.checkTruth()
        await crowd.close()

        let rounds = await log.memory
        guard let first = rounds.first, let last = rounds.last, rounds.count >= Self.roundsMin else {
            throw BenchError("\(rounds.count) rounds were written while the main actor was blocked")
        }
        let commits = rounds.count * store.channels.count
        let waiting = Goal(
            name: "callbacks for each observer after the block", ratio: Double(calls.max() ?? 0), bound: .atMost(1))
        let missed = Goal(
            name: "least callbacks for an observer after the block", ratio: Double(calls.min() ?? 0), bound: .atLeast(1)
        )
        let memory = Goal(
            name: "memory at the end of the block over that after the first round",
            ratio: Double(last.residentBytes) / Double(first.residentBytes), bound: .atMost(1.1))
        var table = Table("main actor blocked", "rounds", "commits", "most", "least", "goal")
        table.add(
            "callbacks for each observer afterwards", "\(rounds.count)", Figure.grouped(commits), "\(calls.max() ?? 0)",
            "\(calls.min() ?? 0)", waiting.isMet && missed.isMet ? "1  met" : "1  MISSED")
        table.show()
        print("memory after the first round of \(Figure.grouped(store.channels.count)) commits: \(first.line)")
        print("memory at the end of the block: \(last.line)")
        print("then over before: \(Figure.exactRatio(memory.ratio)), goal \(memory.verdict)")
        Table.flush()
        return [waiting, missed, memory]
    }
}

/// Writes, and checks the memory after every round through all channels.
private actor WriteLog {
    private let store: FilledStore
    private(set) var memory: [MemoryFigures] = []

    init(_ store: FilledStore) { self.store = store }

    func write(until isOver: @Sendable () -> Bool) async throws {
        var writer = CrowdWriter(store: store, after: 0)
        while !isOver() || memory.count < BlockedMainActorBenchmark.roundsMin {
            try await writer.write(store.channels.count, depth: 1)
            memory.append(try MemoryFigures.now())
        }
    }
}
