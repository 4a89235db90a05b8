import CausewaySimulatedClient
import Testing

@Suite struct ClientSimulationTests {
    @Test func one() {
        #expect(Simulation.run(Plan(seed: 1)).violation == nil)
    }
}
