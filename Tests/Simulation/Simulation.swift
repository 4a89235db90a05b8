import CausewayModels

/// Runs of many seeds.
enum Simulation {
    struct Failure: Sendable {
        var seed: UInt64
        var violation: String
        /// What happened last.
        var story: String

        var told: String { "seed \(seed): \(violation)\n\(story)" }
    }

    /// Lines of a story that are enough to see what went wrong.
    static let storyLinesMax = 80

    /// Runs one seed; a broken one is run again to tell its story.
    static func run(seed: UInt64, sabotage: Sabotage? = nil, counts: inout FaultCounts) -> Failure? {
        let plan = Plan(seed: seed, sabotage: sabotage)
        let world = SimulatedWorld(plan)
        world.run()
        counts += world.counts
        guard let violation = world.violation else { return nil }
        let again = SimulatedWorld(plan, isTelling: true)
        again.run()
        let isSame = again.violation == violation
        return Failure(
            seed: seed, violation: isSame ? violation : "\(violation); and a second run differs: no reproduction",
            story: again.story.ending(storyLinesMax))
    }

    /// Runs a range of seeds, up to the first that breaks an invariant.
    static func run(_ seeds: Range<UInt64>, sabotage: Sabotage? = nil) -> (failure: Failure?, counts: FaultCounts) {
        var counts = FaultCounts()
        for seed in seeds {
            if let failure = run(seed: seed, sabotage: sabotage, counts: &counts) { return (failure, counts) }
        }
        return (nil, counts)
    }

    /// Runs a range of seeds, in several threads at once.
    ///
    /// - Parameter progress: called with what a part of them counted, in any order.
    static func runAtOnce(
        _ seeds: Range<UInt64>, threads: Int, progress: @Sendable (FaultCounts) -> Void
    ) async -> [Failure] {
        let part: UInt64 = 500
        return await withTaskGroup(of: (failure: Failure?, counts: FaultCounts).self) { group in
            var starts = stride(from: seeds.lowerBound, to: seeds.upperBound, by: Int(part)).makeIterator()
            func addPart() {
                guard let start = starts.next() else { return }
                group.addTask { run(start..<min(start + part, seeds.upperBound)) }
            }
            for _ in 0..<threads { addPart() }
            var failures: [Failure] = []
            while let (failure, counts) = await group.next() {
                if let failure { failures.append(failure) }
                progress(counts)
                addPart()
            }
            return failures
        }
    }
}
