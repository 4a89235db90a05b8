import CausewaySimulatedFollower
import CausewaySimulationKernel
import Testing

/// Devices that follow the hub's log through losses, restarts, restored backups, retention and changing rights. A
/// sample; `Tools/simulate-events` runs a million reconnects.
@Suite struct FollowerSimulationTests {
    @Test func nothingIsMissingRepeatedOrOutOfOrder() {
        let run = SeedRun<FollowerTally>.run(0..<40) { FollowerSimulation.run($0) }
        for broken in run.broken { Issue.record("seed \(broken.seed): \(broken.violation)") }
        #expect(run.tally.reconnects > 400 && run.tally.resets > 40 && run.tally.limited > 200)
        #expect(run.tally.changesOfCarrier > 20)
        #expect(run.tally.hardlyStruck().isEmpty)
    }

    private static let sample = stride(from: 0, to: FollowerPlantedFault.allCases.count, by: 3).map {
        FollowerPlantedFault.allCases[$0]
    }

    /// `make test-simulations` finds all of them.
    @Test(arguments: sample)
    func aPlantedFaultIsFound(plantedFault: FollowerPlantedFault) throws {
        let broken = try #require(FollowerSimulation.find(plantedFault), "\(plantedFault) was not found")
        #expect(broken.isRepeatable)
    }
}
