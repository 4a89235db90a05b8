import Causeway
import CausewaySQLiteStorage

/// The number of messages a second that one creator and many can create, compared with a C program that writes the same
/// rows. The compared parts run alternately, and a ratio is the median of the ratios of neighbours: so it is valid on a
/// machine that has other things to do.
struct CreateBenchmark {
    private static let rounds = 15
    private static let creators = 32
    /// The approximate duration of one measurement.
    private static let secondsPerRun = 0.3
    private static let text = "The tide is out: shall we walk over to the island after lunch, and who brings the bread?"

    let server: BenchServer
    let stores: StoreFolders
    let rawInsert: String

    /// Messages a second.
    private struct Rates {
        var raw: [Double] = []
        var lone: [Double] = []
        var many: [Double] = []

        var loneToRaw: Double { zip(lone, raw).map { $0 / $1 }.median }
        var manyToLone: Double { zip(many, lone).map { $0 / $1 }.median }
    }

    func run() async throws -> [Goal] {
        var table = Table("creates", "messages/s", "beside it", "ratio", "goal")
        let full = try await measure(.full, rounds: Self.rounds)
        let goals = [
            Goal(name: "1 creator, full, beside C", ratio: full.loneToRaw, bound: .atLeast(0.8)),
            Goal(name: "32 creators, full, beside 1", ratio: full.manyToLone, bound: .atLeast(3)),
        ]
        add(full, to: &table, name: "full", goals.map(\.verdict))
        let normal = try await measure(.normal, rounds: 5)
        add(normal, to: &table, name: "normal", ["-", "-"])
        table.show()
        return goals
    }

    private func add(_ rates: Rates, to table: inout Table, name: String, _ verdicts: [String]) {
        table.add(
            "1 creator, \(name)", Figure.count(rates.lone.median), "C: \(Figure.count(rates.raw.median))",
            Figure.ratio(rates.loneToRaw), verdicts[0])
        table.add(
            "\(Self.creators) creators, \(name)", Figure.count(rates.many.median),
            "1 creator: \(Figure.count(rates.lone.median))", Figure.ratio(rates.manyToLone), verdicts[1])
    }

    private func measure(_ durability: Durability, rounds: Int) async throws -> Rates {
        let warmUp = try await raw(200, durability)
        let count = min(max(Int(warmUp * Self.secondsPerRun), 100), 50_000)
        var rates = Rates()
        for round in 0..<rounds {
            // The order changes, in case it matters.
            if round.isMultiple(of: 2) { rates.raw.append(try await raw(count, durability)) }
            rates.lone.append(try await created(count, by: 1, durability))
            if !round.isMultiple(of: 2) { rates.raw.append(try await raw(count, durability)) }
            rates.many.append(try await created(count * 4, by: Self.creators, durability))
        }
        return rates
    }

    private func raw(_ count: Int, _ durability: Durability) async throws -> Double {
        let insert = RawInsert(program: rawInsert, channel: server.channel, text: Self.text)
        return try await stores.with { folder in
            Double(count) / (try await insert.seconds(toInsert: count, in: folder, durability))
        }
    }

    private func created(_ count: Int, by creators: Int, _ durability: Durability) async throws -> Double {
        try await stores.with { folder in
            try await server.withPausedClient(in: folder, durability) { client in
                let share = count / creators
                let messages = client.messages
                let channel = server.channel
                let time = try await ContinuousClock().measure {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for _ in 0..<creators {
                            group.addTask {
                                for _ in 0..<share { _ = try await messages.createTextMessage(Self.text, in: channel) }
                            }
                        }
                        try await group.waitForAll()
                    }
                }
                let waiting = try await client.status().counts.undelivered
                guard waiting == share * creators else {
                    throw BenchError("\(share * creators) messages were created, and \(waiting) are in the store")
                }
                return Double(share * creators) / time.seconds
            }
        }
    }
}
