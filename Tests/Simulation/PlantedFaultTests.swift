import CausewayModels
import CausewaySimulatedWorld
import Testing

/// Shows that the simulator finds faults: each planted fault breaks an invariant within a few seeds. This is a sample;
/// `make test` checks all of them in the optimised program (`Tools/simulate check`).
@Suite struct PlantedFaultTests {
    private static let sample = stride(from: 0, to: Sabotage.allCases.count, by: 6).map { Sabotage.allCases[$0] }

    @Test(arguments: sample)
    func aPlantedFaultIsFound(sabotage: Sabotage) throws {
        let failure = try #require(
            PlantedFaults.find(sabotage), "\(sabotage) was not found within \(sabotage.seedsMax) seeds")
        print("\(sabotage): found after \(failure.seed + 1) seeds: \(failure.violation)")
        #expect(failure.isTold)
    }

    /// The exhaustive exploration finds them too, with the shortest story.
    @Test(arguments: [Sabotage.hubForgetsMessages, .fencesSkipped, .deletesOnlyLocally, .hubIgnoresGaps])
    func aPlantedFaultIsInASmallWorld(sabotage: Sabotage) async throws {
        let size = SmallWorld.Size(
            lanes: [.text, .text], faults: 1, acts: 1, deliveriesInFlightMax: 2, batchOperationsMax: 1)
        let outcome = await Explorer.explore(size, sabotage: sabotage, threads: 2)
        let violation = try #require(outcome.violation, "\(sabotage) is in none of \(outcome.states) states")
        print("\(sabotage): \(outcome.states) states, \(outcome.story.count) steps: \(violation)")
        #expect(!outcome.story.isEmpty)
    }
}
