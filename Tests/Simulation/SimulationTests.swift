import CausewayModels
import Foundation
import Testing

/// The outbox machine and the hub's rules, through thousands of bad days.
@Suite struct SimulationTests {
    @Test(arguments: 0..<8)
    func everySeedKeepsTheInvariants(chunk: UInt64) {
        var counts = FaultCounts()
        for seed in chunk * 250..<(chunk + 1) * 250 {
            if let failure = Simulation.run(seed: seed, counts: &counts) {
                Issue.record("\(failure.told)")
                return
            }
        }
        #expect(counts.rarest.count > 5, "a fault hardly occurred:\n\(counts.table)")
    }
}
