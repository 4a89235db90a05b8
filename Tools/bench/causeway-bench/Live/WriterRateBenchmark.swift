import CausewayLiveQuery
import CausewayModels

/// The slowdown of a writer by observers: by a thousand live collections, and for comparison by a hundred of GRDB's
/// `ValueObservation`. The rates with and without are measured in turns, and a ratio is the median of the ratios of
/// neighbours.
struct WriterRateBenchmark {
    private static let rounds = 5
    private static let changes = 10_000
    private static let valueObservers = 100
    /// So few, because every observer fetches each of them.
    private static let watchedValueChanges = 60
    private static let valueChanges = 2000

    let store: FilledStore

    /// Commits a second.
    private struct Rates {
        var alone: [Double] = []
        var watched: [Double] = []

        var ratio: Double { zip(watched, alone).map { $0 / $1 }.median }

        func add(to table: inout Table, _ name: String, _ verdict: String) {
            table.add(
                name, Figure.count(watched.median), Figure.count(alone.median), Figure.exactRatio(ratio), verdict)
        }
    }

    func run() async throws -> [Goal] {
        let live = try await liveRates()
        let value = try await valueRates()
        let watchers = Figure.grouped(store.channels.count)
        let goal = Goal(name: "a writer watched by \(watchers) collections", ratio: live.ratio, bound: .atLeast(0.85))
        var table = Table("one writer, watched by", "commits/s", "by nobody", "ratio", "goal")
        live.add(to: &table, "\(watchers) live collections of \(Crowd.rows)", goal.verdict)
        value.add(to: &table, "\(Self.valueObservers) ValueObservations of \(Crowd.rows)", "-")
        table.show()
        return [goal]
    }

    private func liveRates() async throws -> Rates {
        var rates = Rates()
        var writer = CrowdWriter(store: store, after: 100_000_000)
        _ = try await writer.rate(Self.changes)
        for round in 0..<Self.rounds {
            CausewayBench.progress("a writer with and without collections, round \(round + 1) of \(Self.rounds)")
            // The order changes, in case it matters.
            if round.isMultiple(of: 2) { rates.alone.append(try await writer.rate(Self.changes)) }
            let crowd = try await Crowd(store)
            rates.watched.append(try await writer.rate(Self.changes))
            await crowd.isUpToDate()
            try await crowd.checkTruth()
            await crowd.close()
            if !round.isMultiple(of: 2) { rates.alone.append(try await writer.rate(Self.changes)) }
            if let alone = rates.alone.last, let watched = rates.watched.last {
                CausewayBench.progress("    \(Figure.count(watched)) commits/s watched, \(Figure.count(alone)) alone")
            }
        }
        return rates
    }

    private func valueRates() async throws -> Rates {
        var rates = Rates()
        let crowd = try await ValueCrowd(store)
        _ = try await crowd.rate(Self.valueChanges)
        for _ in 0..<Self.rounds {
            CausewayBench.progress("a writer with and without ValueObservations")
            rates.alone.append(try await crowd.rate(Self.valueChanges))
            try await crowd.observe(Self.valueObservers)
            rates.watched.append(try await crowd.rate(Self.watchedValueChanges))
            await crowd.unobserve()
        }
        try await crowd.close()
        return rates
    }
}
