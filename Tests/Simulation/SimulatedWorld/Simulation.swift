import CausewayModels
package import CausewaySimulationKernel

/// Runs of seeds.
package enum Simulation {
    /// Runs one seed.
    package static func run(
        _ seed: UInt64, plantedFault: PlantedFault? = nil, isSteady: Bool = false
    ) -> (tally: FaultCounts, violation: String?) {
        let world = SimulatedWorld(Plan(seed: seed, plantedFault: plantedFault, isSteady: isSteady))
        world.run()
        return (world.counts, world.violation)
    }

    /// Runs a range of seeds, one after the other, up to the first that breaks an invariant.
    package static func run(
        _ seeds: Range<UInt64>, plantedFault: PlantedFault? = nil, isSteady: Bool = false
    ) -> SeedRun<FaultCounts> {
        SeedRun.run(seeds, brokenMax: 1) { run($0, plantedFault: plantedFault, isSteady: isSteady) }
    }

    /// Runs seeds from 0 on until one reveals the fault; `nil` when it was not found within ``PlantedFault/seedsMax``.
    package static func find(_ plantedFault: PlantedFault) -> BrokenSeed? {
        run(0..<plantedFault.seedsMax, plantedFault: plantedFault).broken.first
    }

    /// Returns the whole history of one seed, and the invariant it broke.
    package static func tell(seed: UInt64, plantedFault: PlantedFault? = nil) -> (history: [String], violation: String?)
    {
        let world = SimulatedWorld(Plan(seed: seed, plantedFault: plantedFault), isRecording: true)
        world.run()
        return (world.history.lines, world.violation)
    }
}
