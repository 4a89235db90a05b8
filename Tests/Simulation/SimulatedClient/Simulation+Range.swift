import Dispatch
import Synchronization

extension Simulation {
    /// A seed whose history broke an invariant.
    package struct Broken: Sendable {
        package let seed: UInt64
        package let violation: String
    }

    /// The results of many seeds.
    package struct Range: Sendable {
        package var tally = Tally()
        /// By ascending seed.
        package var broken: [Broken] = []
        /// Seeds that were run twice and gave two different histories.
        package var unlike: [UInt64] = []
    }

    /// One in this many seeds is run twice.
    package static let replayEvery: UInt64 = 100
    private static let seedsOfOneTurn: UInt64 = 50

    /// Runs seeds on several threads, and every hundredth twice. The result does not depend on the number of threads.
    ///
    /// - Parameters:
    ///   - isSteady: whether the hub keeps its data.
    ///   - brokenMax: the number of failed seeds after which the run stops soon.
    ///   - told: called now and then, with the number of completed seeds.
    package static func run(
        _ seeds: Swift.Range<UInt64>, plantedFault: PlantedFault? = nil, isSteady: Bool = false, threads: Int,
        brokenMax: Int = .max, told: @escaping @Sendable (Int) -> Void = { _ in }
    ) -> Range {
        let next = Atomic<UInt64>(seeds.lowerBound)
        let results = Mutex<[UInt64: Range]>([:])
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            while true {
                let first = next.wrappingAdd(seedsOfOneTurn, ordering: .relaxed).oldValue
                guard first < seeds.upperBound else { return }
                let turn = runInTurn(first..<min(first + seedsOfOneTurn, seeds.upperBound), plantedFault, isSteady)
                let (done, broken) = results.withLock { results in
                    results[first] = turn
                    return (
                        results.values.reduce(0) { $0 + $1.tally.seeds },
                        results.values.reduce(0) { $0 + $1.broken.count }
                    )
                }
                told(done)
                if broken >= brokenMax { return }
            }
        }
        return results.withLock { results in
            results.sorted { $0.key < $1.key }.reduce(into: Range()) { $0.add($1.value) }
        }
    }

    private static func runInTurn(_ seeds: Swift.Range<UInt64>, _ plantedFault: PlantedFault?, _ isSteady: Bool)
        -> Range
    {
        var range = Range()
        for seed in seeds {
            let plan = Plan(seed: seed, plantedFault: plantedFault, isSteady: isSteady)
            let run = run(plan)
            range.tally.add(run.tally)
            if let violation = run.violation { range.broken.append(Broken(seed: seed, violation: violation)) }
            if seed % replayEvery == 0, Simulation.run(plan).tally != run.tally { range.unlike.append(seed) }
        }
        return range
    }
}

extension Simulation.Range {
    fileprivate mutating func add(_ other: Simulation.Range) {
        tally.add(other.tally)
        broken += other.broken
        unlike += other.unlike
    }
}
