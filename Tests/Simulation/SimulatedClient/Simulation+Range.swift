package import CausewaySimulationKernel

extension Simulation {
    /// Runs seeds on several threads.
    ///
    /// - Parameters:
    ///   - isSteady: whether the hub keeps its data.
    ///   - brokenMax: the number of broken seeds after which the run stops soon.
    package static func run(
        _ seeds: Range<UInt64>, plantedFault: PlantedFault? = nil, isSteady: Bool = false, threads: Int = 1,
        brokenMax: Int = .max
    ) -> SeedRun<Tally> {
        SeedRun.run(seeds, threads: threads, brokenMax: brokenMax) {
            run($0, plantedFault: plantedFault, isSteady: isSteady)
        }
    }

    /// Runs one seed.
    package static func run(
        _ seed: UInt64, plantedFault: PlantedFault? = nil, isSteady: Bool = false
    ) -> (tally: Tally, violation: String?) {
        let run = run(Plan(seed: seed, plantedFault: plantedFault, isSteady: isSteady))
        return (run.tally, run.violation)
    }

    /// Returns the first seed that reveals a planted fault; `nil` when `seedsMax` seeds do not.
    package static func find(_ plantedFault: PlantedFault, seedsMax: UInt64) -> BrokenSeed? {
        run(1..<seedsMax + 1, plantedFault: plantedFault, brokenMax: 1).broken.first
    }
}
