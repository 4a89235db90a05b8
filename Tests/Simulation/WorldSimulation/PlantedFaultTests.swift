import CausewayModels
import CausewaySimulatedWorld
import CausewaySimulationKernel
import Testing

/// Shows that the simulator finds faults: each planted fault breaks an invariant within a few seeds. This is a sample;
/// `make test-simulations` checks all of them in the optimised program.
@Suite struct PlantedFaultTests {
    private static let sample = stride(from: 0, to: PlantedFault.allCases.count, by: 6).map {
        PlantedFault.allCases[$0]
    }

    @Test(arguments: sample)
    func aPlantedFaultIsFound(plantedFault: PlantedFault) throws {
        let failure = try #require(
            Simulation.find(plantedFault), "\(plantedFault) was not found within \(plantedFault.seedsMax) seeds")
        print("\(plantedFault): found after \(failure.seed + 1) seeds: \(failure.violation)")
        #expect(failure.isRepeatable)
        #expect(Simulation.minimal(of: failure, plantedFault: plantedFault).count > 1)
    }

    /// The exhaustive exploration finds them too, with the shortest history.
    @Test(arguments: [PlantedFault.hubForgetsMessages, .fencesSkipped, .deletesOnlyLocally, .hubIgnoresGaps])
    func aPlantedFaultIsInASmallWorld(plantedFault: PlantedFault) async throws {
        let size = SmallWorld.Size(
            lanes: [.text, .text], faults: 1, acts: 1, deliveriesInFlightMax: 2, batchOperationsMax: 1)
        let outcome = await Explorer.explore(size, plantedFault: plantedFault, threads: 2)
        let violation = try #require(outcome.violation, "\(plantedFault) is in none of \(outcome.states) states")
        print("\(plantedFault): \(outcome.states) states, \(outcome.history.count) steps: \(violation)")
        #expect(!outcome.history.isEmpty)
    }
}
