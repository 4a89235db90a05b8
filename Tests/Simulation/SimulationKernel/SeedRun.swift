import Dispatch
import Synchronization

/// The counts of one run, or of many.
package protocol RunTally: Sendable, Equatable {
    init()
    /// The number of runs.
    var seeds: Int { get }
    /// A readable summary.
    var summary: String { get }
    /// Adds the counts of later seeds.
    static func += (left: inout Self, right: Self)
}

/// A seed whose history broke an invariant.
package struct BrokenSeed: Sendable {
    package let seed: UInt64
    package let violation: String
    /// False when a second run of the seed was another history: a fault of the simulator, and no finding.
    package let isRepeatable: Bool
}

/// The results of many seeds.
package struct SeedRun<Tally: RunTally>: Sendable {
    /// Runs one seed, and returns its counts and the first violated invariant.
    package typealias One = @Sendable (_ seed: UInt64) -> (tally: Tally, violation: String?)

    package private(set) var tally = Tally()
    /// By ascending seed.
    package private(set) var broken: [BrokenSeed] = []

    /// One in this many seeds is run twice, as is each that breaks an invariant.
    private static var replayEvery: UInt64 { 100 }
    private static var seedsOfPart: UInt64 { 50 }

    /// Runs seeds on several threads. The result does not depend on the number of threads, unless the run stops early.
    ///
    /// - Parameters:
    ///   - brokenMax: the number of broken seeds after which the run stops soon; on one thread, at once.
    ///   - progress: called now and then, with the number of completed seeds, and the broken ones since the last call.
    package static func run(
        _ seeds: Range<UInt64>, threads: Int = 1, brokenMax: Int = .max,
        progress: @escaping @Sendable (_ done: Int, _ broken: [BrokenSeed]) -> Void = { _, _ in }, _ one: @escaping One
    ) -> SeedRun {
        let next = Atomic<UInt64>(seeds.lowerBound)
        let state = Mutex((parts: [UInt64: SeedRun](), done: 0, broken: 0))
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            while true {
                let first = next.wrappingAdd(seedsOfPart, ordering: .relaxed).oldValue
                guard first < seeds.upperBound else { return }
                var part = SeedRun()
                for seed in first..<min(first + seedsOfPart, seeds.upperBound) where part.broken.count < brokenMax {
                    part.add(seed, one)
                }
                let (done, broken) = state.withLock { [part] state in
                    state.parts[first] = part
                    state.done += part.tally.seeds
                    state.broken += part.broken.count
                    return (state.done, state.broken)
                }
                progress(done, part.broken)
                if broken >= brokenMax { return }
            }
        }
        return state.withLock { state in
            state.parts.sorted { $0.key < $1.key }.reduce(into: SeedRun()) { whole, part in
                whole.tally += part.value.tally
                whole.broken += part.value.broken
            }
        }
    }

    private mutating func add(_ seed: UInt64, _ one: One) {
        let (counts, violation) = one(seed)
        tally += counts
        guard seed % Self.replayEvery == 0 || violation != nil else { return }
        let again = one(seed)
        if again.tally != counts || again.violation != violation {
            broken.append(
                BrokenSeed(
                    seed: seed, violation: "a second run of the seed is another history", isRepeatable: false))
        } else if let violation {
            broken.append(BrokenSeed(seed: seed, violation: violation, isRepeatable: true))
        }
    }
}

/// A seed that broke an invariant when it was found. It runs in every test run, in addition to any range.
///
/// A seed produces the same history only as long as the simulator draws its random numbers in the same order; when that
/// changes, it becomes an ordinary seed, and the step-by-step tests preserve the original case.
package struct RegressionSeed: Sendable {
    package let seed: UInt64
    /// The fault that was found.
    package let fault: String
    /// True when the fault was found with a hub that keeps its data.
    package let isSteady: Bool

    package init(_ seed: UInt64, _ fault: String, isSteady: Bool = true) {
        self.seed = seed
        self.fault = fault
        self.isSteady = isSteady
    }
}
