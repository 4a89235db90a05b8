import CausewayModels
import CausewayStorage

/// The number of messages a second that each store takes in from one creator and from many, compared with each other
/// and with a C program that writes the rows of SQLite. The compared parts run alternately, and a ratio is the median
/// of the ratios of neighbours: so it is valid on a machine that has other things to do.
struct StoreCreateBenchmark {
    private static let creators = 32
    /// The approximate duration of one measurement.
    private static let secondsPerRun = 0.3

    let stores: StoreFolders
    let rawInsert: String

    /// The result of one measurement.
    private struct Rate {
        /// Messages a second.
        var messages: Double
        /// Seconds of processor for each message, of all threads; 0 for the C program, which is a process of its own.
        var processor = 0.0
    }

    private struct Rates {
        var raw: [Rate] = []
        var alone: [StoreArm: [Rate]] = [:]
        var many: [StoreArm: [Rate]] = [:]
    }

    func run() async throws -> [Goal] {
        var table = Table("creates in a store", "messages/s", "µs of processor", "beside it", "ratio", "goal")
        var goals: [Goal] = []
        for (durability, rounds, least) in [(Durability.full, 9, 1.5), (.normal, 5, 3)] {
            let rates = try await measure(durability, rounds: rounds)
            goals += show(rates, durability, atLeast: least, in: &table)
        }
        table.show()
        return goals
    }

    private func show(
        _ rates: Rates, _ durability: Durability, atLeast least: Double, in table: inout Table
    ) -> [Goal] {
        var goals: [Goal] = []
        func add(_ name: String, _ one: [Rate], _ other: (name: String, rates: [Rate]), _ least: Double?) {
            let name = "\(name), \(durability.rawValue)"
            let ratio = zip(one, other.rates).map { $0.messages / $1.messages }.median
            let goal = least.map { Goal(name: "\(name), beside \(other.name)", ratio: ratio, bound: .atLeast($0)) }
            if let goal { goals.append(goal) }
            table.add(
                name, Figure.count(one.map(\.messages).median), Figure.microseconds(one.map(\.processor).median),
                "\(other.name): \(Self.words(other.rates))", Figure.ratio(ratio), goal?.verdict ?? "-")
        }
        let (file, sqlite) = (rates.alone[.file, default: []], rates.alone[.sqlite, default: []])
        let (manyFile, manySQLite) = (rates.many[.file, default: []], rates.many[.sqlite, default: []])
        add("file, 1 creator", file, ("SQLite", sqlite), least)
        add("file, 1 creator", file, ("C", rates.raw), nil)
        add("SQLite, 1 creator", sqlite, ("C", rates.raw), nil)
        add("file, \(Self.creators) creators", manyFile, ("SQLite", manySQLite), 1)
        return goals
    }

    /// `5,085 (60.1 µs)`.
    private static func words(_ rates: [Rate]) -> String {
        let processor = rates.map(\.processor).median
        let count = Figure.count(rates.map(\.messages).median)
        return processor > 0 ? "\(count) (\(Figure.microseconds(processor)) µs)" : count
    }

    private func measure(_ durability: Durability, rounds: Int) async throws -> Rates {
        let warmUp = try await raw(200, durability).messages
        let count = min(max(Int(warmUp * Self.secondsPerRun), 100), 20_000)
        var rates = Rates()
        for round in 0..<rounds {
            rates.raw.append(try await raw(count, durability))
            // The order changes, in case it matters.
            for arm in round.isMultiple(of: 2) ? StoreArm.allCases : StoreArm.allCases.reversed() {
                rates.alone[arm, default: []].append(try await created(count, by: 1, arm, durability))
            }
            for arm in round.isMultiple(of: 2) ? StoreArm.allCases : StoreArm.allCases.reversed() {
                rates.many[arm, default: []].append(try await created(count * 4, by: Self.creators, arm, durability))
            }
        }
        return rates
    }

    private func raw(_ count: Int, _ durability: Durability) async throws -> Rate {
        let sample = try StoreSample(channels: 1)
        let insert = RawInsert(program: rawInsert, channel: sample.channels[0], text: StoreSample.text)
        return try await stores.with { folder in
            Rate(messages: Double(count) / (try await insert.seconds(toInsert: count, in: folder, durability)))
        }
    }

    private func created(
        _ count: Int, by creators: Int, _ arm: StoreArm, _ durability: Durability
    ) async throws -> Rate {
        let sample = try StoreSample(channels: 1)
        let share = count / creators
        return try await stores.with { folder in
            try await arm.with(in: folder, durability) { store in
                let time = try await MeasuredTime {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for creator in 0..<creators {
                            group.addTask {
                                for number in creator * share..<(creator + 1) * share {
                                    _ = try await store.enqueue(sample.draft(number))
                                }
                            }
                        }
                        try await group.waitForAll()
                    }
                }
                guard try await store.counts().undelivered == share * creators else {
                    throw BenchError("not every message that was created is in the store")
                }
                let messages = Double(share * creators)
                return Rate(messages: messages / time.elapsed, processor: time.processor / messages)
            }
        }
    }
}
