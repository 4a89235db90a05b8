package import CausewaySimulationKernel

/// Runs of seeds.
package enum FollowerSimulation {
    /// The seeds within which each planted fault must be found.
    package static let seedsMax: UInt64 = 3_000

    /// Runs one seed.
    package static func run(
        _ seed: UInt64, plantedFault: FollowerPlantedFault? = nil
    ) -> (tally: FollowerTally, violation: String?) {
        let world = FollowerWorld(seed: seed, plantedFault: plantedFault)
        world.run()
        return (world.tally, world.violation)
    }

    /// Runs seeds from 0 on until one reveals the fault; `nil` when none did.
    package static func find(_ plantedFault: FollowerPlantedFault) -> BrokenSeed? {
        SeedRun.run(0..<seedsMax, brokenMax: 1) { run($0, plantedFault: plantedFault) }.broken.first
    }

    /// Returns the whole history of one seed, and the invariant it broke.
    package static func tell(
        seed: UInt64, plantedFault: FollowerPlantedFault? = nil
    ) -> (history: [String], violation: String?) {
        let world = FollowerWorld(seed: seed, plantedFault: plantedFault, isRecording: true)
        world.run()
        return (world.history.lines, world.violation)
    }
}
