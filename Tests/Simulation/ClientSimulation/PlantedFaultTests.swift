import CausewaySimulatedClient
import CausewaySimulationKernel
import Testing

/// Shows that the simulator finds faults: each planted fault breaks an invariant within a few seeds. This is a sample;
/// `make test-simulations` checks all of them in the optimised program.
@Suite struct PlantedFaultTests {
    /// The number of seeds within which a fault must be found; most take fewer than twenty.
    private static let seedsMax: UInt64 = 500

    /// Faults that break the histories of many seeds: rare ones take minutes without the optimiser.
    private static let sample = stride(from: 5, to: PlantedFault.allCases.count, by: 6).map {
        PlantedFault.allCases[$0]
    }

    @Test(arguments: sample)
    func eachIsFound(_ plantedFault: PlantedFault) {
        let found = Simulation.find(plantedFault, seedsMax: Self.seedsMax)
        #expect(found != nil, "\(plantedFault.name) was not found within \(Self.seedsMax) seeds")
        if let found { print("\(plantedFault.name): seed \(found.seed): \(found.violation)") }
    }
}
