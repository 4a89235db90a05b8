import CausewaySimulatedClient
import Testing

/// The whole client, from its public face to its store, in simulated time. `Tools/simulate-clients` runs many more
/// seeds than fit in here.
@Suite struct ClientSimulationTests {
    @Test func noInvariantBreaks() {
        let range = Simulation.run(0..<300, threads: 4)
        #expect(range.tally.seeds == 300)
        #expect(range.unlike.isEmpty, "the same seed gave two histories")
        for broken in range.broken {
            Issue.record("seed \(broken.seed): \(broken.violation)")
            print(Simulation.minimal(Plan(seed: broken.seed)).story.joined(separator: "\n"))
        }
    }

    @Test(arguments: 0..<5 as Range<UInt64>)
    func oneSeedGivesOneHistory(_ seed: UInt64) {
        let first = Simulation.run(Plan(seed: seed), isTold: true)
        let second = Simulation.run(Plan(seed: seed), isTold: true)
        #expect(first.story == second.story)
        #expect(first.tally == second.tally)
        #expect(first.tally.digest != Simulation.run(Plan(seed: seed + 1)).tally.digest)
    }

    /// Too few seeds prove nothing, and say so.
    @Test func aShortRunIsVoid() {
        #expect(Simulation.run(0..<5, threads: 1).tally.voidReason(isSteady: false) != nil)
    }

    /// Each broke something once, before what is named behind it was put right.
    @Test(arguments: RegressionSeed.all)
    func whatWasFoundStaysPutRight(_ found: RegressionSeed) {
        #expect(Simulation.run(Plan(seed: found.seed, isSteady: found.isSteady)).violation == nil, "\(found.what)")
    }
}
