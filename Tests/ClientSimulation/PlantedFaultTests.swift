import CausewaySimulatedClient
import Testing

/// A simulator that finds nothing proves nothing: each planted fault must be found, and soon.
@Suite struct PlantedFaultTests {
    /// The number of seeds within which a fault must be found; most take fewer than twenty.
    private static let seedsMax: UInt64 = 4_000

    @Test(arguments: Sabotage.allCases)
    func eachIsFound(_ sabotage: Sabotage) {
        let found = Simulation.find(sabotage, seedsMax: Self.seedsMax)
        #expect(found != nil, "\(sabotage.name) was not found within \(Self.seedsMax) seeds")
        if let found { print("\(sabotage.name): seed \(found.seed): \(found.violation)") }
    }
}
