import CausewayModels

/// Runs of many seeds.
package enum Simulation {
    package struct Failure: Sendable {
        package var seed: UInt64
        package var violation: String
        /// The events of the smallest history that breaks an invariant.
        package var history: String

        /// False when two runs of the seed differed, which is not a finding about the fault.
        package var isTold: Bool { !history.isEmpty }

        package var told: String { "seed \(seed): \(violation)\n\(history)" }
    }

    /// Runs one seed; every 100th twice, and both histories must be equal. A violation is shrunk and described.
    package static func run(seed: UInt64, plantedFault: PlantedFault? = nil, counts: inout FaultCounts) -> Failure? {
        let plan = Plan(seed: seed, plantedFault: plantedFault)
        let world = SimulatedWorld(plan)
        world.run()
        counts += world.counts
        if seed % 100 == 0 || world.violation != nil {
            let again = SimulatedWorld(plan)
            again.run()
            if again.hash != world.hash || again.violation != world.violation {
                return Failure(seed: seed, violation: "a second run of the seed is another history", history: "")
            }
        }
        guard let violation = world.violation else { return nil }
        return Failure(seed: seed, violation: violation, history: Shrinker(plan, violation).history())
    }

    /// Runs a range of seeds, up to the first that breaks an invariant.
    package static func run(
        _ seeds: Range<UInt64>, plantedFault: PlantedFault? = nil
    ) -> (failure: Failure?, counts: FaultCounts) {
        var counts = FaultCounts()
        for seed in seeds {
            if let failure = run(seed: seed, plantedFault: plantedFault, counts: &counts) { return (failure, counts) }
        }
        return (nil, counts)
    }

    /// Runs a range of seeds on several threads.
    ///
    /// - Parameter progress: called with the counts of a part of the seeds, in any order.
    package static func runAtOnce(
        _ seeds: Range<UInt64>, threads: Int, progress: (FaultCounts) -> Void
    ) async -> [Failure] {
        let part: UInt64 = 250
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

    /// Returns the whole history of one seed, and the invariant it broke.
    package static func tell(seed: UInt64, plantedFault: PlantedFault? = nil) -> (history: [String], violation: String?)
    {
        let world = SimulatedWorld(Plan(seed: seed, plantedFault: plantedFault), isRecording: true)
        world.run()
        return (world.history.lines, world.violation)
    }
}
