import CausewaySimulatedClient
import CausewaySimulationKernel
import Testing

/// The whole client, from its public API to its store, in simulated time. `Tools/simulate-clients` runs many more
/// seeds.
@Suite struct ClientSimulationTests {
    @Test func noInvariantBreaks() {
        let range = Simulation.run(0..<100, threads: 2)
        #expect(range.tally.seeds == 100)
        for broken in range.broken {
            Issue.record("seed \(broken.seed): \(broken.violation)")
            print(Simulation.minimal(Plan(seed: broken.seed)).history.joined(separator: "\n"))
        }
    }

    @Test(arguments: 0..<5 as Range<UInt64>)
    func oneSeedGivesOneHistory(_ seed: UInt64) {
        let first = Simulation.run(Plan(seed: seed), isTold: true)
        let second = Simulation.run(Plan(seed: seed), isTold: true)
        #expect(first.history == second.history)
        #expect(first.tally == second.tally)
        #expect(first.tally.digest != Simulation.run(Plan(seed: seed + 1)).tally.digest)
    }

    /// The same on file stores, whose disks fail and lose their power.
    @Test func noInvariantBreaksOnFileStores() {
        let range = Simulation.run(0..<30, hasDisk: true, threads: 2)
        #expect(range.tally.seeds == 30)
        #expect(range.tally.filesOpened > 30)
        for broken in range.broken {
            Issue.record("seed \(broken.seed): \(broken.violation)")
            print(Simulation.minimal(Plan(seed: broken.seed, hasDisk: true)).history.joined(separator: "\n"))
        }
    }

    @Test(arguments: 0..<3 as Range<UInt64>)
    func oneSeedGivesOneHistoryOnFileStores(_ seed: UInt64) {
        let first = Simulation.run(Plan(seed: seed, hasDisk: true), isTold: true)
        let second = Simulation.run(Plan(seed: seed, hasDisk: true), isTold: true)
        #expect(first.history == second.history)
        #expect(first.tally == second.tally)
    }

    /// A run of too few seeds proves nothing, and reports that.
    @Test func aShortRunIsVoid() {
        #expect(Simulation.run(0..<5, threads: 1).tally.voidReason(isSteady: false) != nil)
    }

    /// Each seed once broke an invariant, before the fault named there was fixed.
    @Test(arguments: RegressionSeed.ofClients)
    func whatWasFoundStaysPutRight(_ found: RegressionSeed) {
        // They were found in a world without files and malformed reports.
        expectNoViolation(found, hasFiles: false, hasNonsense: false)
    }

    @Test(arguments: RegressionSeed.ofClientsWithNonsense)
    func whatWasFoundWithNonsenseStaysPutRight(_ found: RegressionSeed) {
        expectNoViolation(found, hasFiles: false, hasNonsense: true)
    }

    @Test(arguments: RegressionSeed.ofClientsWithFiles)
    func whatWasFoundWithFilesStaysPutRight(_ found: RegressionSeed) {
        expectNoViolation(found, hasFiles: true, hasNonsense: false)
    }

    private func expectNoViolation(_ found: RegressionSeed, hasFiles: Bool, hasNonsense: Bool) {
        let plan = Plan(
            seed: found.seed, isSteady: found.isSteady, hasFiles: hasFiles, hasNonsense: hasNonsense)
        let violation = Simulation.run(plan).violation
        #expect(violation == nil, "\(found.fault)")
    }
}
