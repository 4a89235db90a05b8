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
            story: again.story.ending(60))
    }

    /// The first seed of a range that breaks an invariant, and how many were run.
    static func firstFailure(in seeds: Range<UInt64>, sabotage: Sabotage) -> Failure? {
        var counts = FaultCounts()
        for seed in seeds {
            if let failure = run(seed: seed, sabotage: sabotage, counts: &counts) { return failure }
        }
        return nil
    }
}
