import CausewayModels
import Foundation
import Synchronization
import Testing

/// The outbox machine and the hub's rules, through thousands of bad days.
@Suite struct SimulationTests {
    @Test(arguments: 0..<8)
    func everySeedKeepsTheInvariants(part: UInt64) {
        let (failure, counts) = Simulation.run(part * 250..<(part + 1) * 250)
        if let failure { Issue.record("\(failure.told)") }
        #expect(counts.isTelling, "a fault hardly struck:\n\(counts.table)")
    }

    @Test(arguments: RegressionSeeds.all)
    func whatBrokeOnceStaysWhole(seed: UInt64) {
        var counts = FaultCounts()
        if let failure = Simulation.run(seed: seed, counts: &counts) { Issue.record("\(failure.told)") }
    }

    @Test func aSeedGivesTheSameRunTwice() {
        for seed in UInt64(0)..<20 {
            let one = SimulatedWorld(Plan(seed: seed), isTelling: true)
            let two = SimulatedWorld(Plan(seed: seed), isTelling: true)
            one.run()
            two.run()
            #expect(one.story.lines == two.story.lines)
            #expect(!one.story.lines.isEmpty)
        }
    }

    /// Two clients with outboxes of their own share the hub and its bad days.
    @Test func clientsDoNotDisturbEachOther() {
        for seed in UInt64(0)..<100 {
            var plan = Plan(seed: seed)
            plan.clientCount = 3
            let world = SimulatedWorld(plan)
            world.run()
            if let violation = world.violation { Issue.record("seed \(seed): \(violation)") }
        }
    }

    /// `Tools/simulate` runs this at length: SEEDS seeds from FIRST_SEED on.
    @Test func atLength() async throws {
        let environment = ProcessInfo.processInfo.environment
        let first = try #require(UInt64(environment["FIRST_SEED"] ?? "2000"), "FIRST_SEED is a number")
        let count = try #require(UInt64(environment["SEEDS"] ?? "500"), "SEEDS is a number")
        let total = Mutex(FaultCounts())
        let clock = ContinuousClock()
        let start = clock.now
        let failures = await Simulation.runAtOnce(
            first..<first + count, threads: ProcessInfo.processInfo.activeProcessorCount
        ) { counts in
            let seeds = total.withLock { total in
                total += counts
                return total.seeds
            }
            if seeds % 10_000 < counts.seeds { print("\(seeds) seeds …") }
        }
        let seconds = Double((clock.now - start) / .milliseconds(1)) / 1000
        let counts = total.withLock { $0 }
        print("\(counts.seeds) seeds in \(seconds) s: \(Int(Double(counts.seeds) / seconds)) seeds/s")
        print(counts.summary)
        for failure in failures { Issue.record("\(failure.told)") }
        #expect(counts.isTelling, "a fault hardly struck")
    }

    /// `Tools/simulate seed …` prints it.
    @Test func theStoryOfOneSeed() throws {
        let wanted = ProcessInfo.processInfo.environment["SEED"]
        let seed = try #require(UInt64(wanted ?? "1"), "SEED is a number")
        let world = SimulatedWorld(Plan(seed: seed), isTelling: true)
        world.run()
        #expect(!world.story.lines.isEmpty)
        if wanted != nil { print(world.story.lines.joined(separator: "\n")) }
        if let violation = world.violation { Issue.record("seed \(seed): \(violation)") }
    }
}
