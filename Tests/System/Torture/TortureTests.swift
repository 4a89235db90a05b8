import CausewayModels
import Foundation
import Synchronization
import Testing

/// The real daemon, the real hub over TLS, the real store on a disk, the real command line: killed again and again.
@Suite(.serialized) struct TortureTests {
    /// The number of kills of one world, before its end is checked and another one starts.
    private static let killsPerWorld = 40

    /// `Tools/torture` runs this at length: KILLS kills, worlds from FIRST_SEED on.
    @Test func nothingIsLostNothingIsDoubledOrderIsKept() async throws {
        let environment = ProcessInfo.processInfo.environment
        let kills = try #require(Int(environment["KILLS"] ?? "50"), "KILLS is a number")
        let first = try #require(UInt64(environment["FIRST_SEED"] ?? "0"), "FIRST_SEED is a number")
        let isRecording = environment["KILLS"] != nil
        let clock = ContinuousClock()
        let start = clock.now
        let done = Mutex(0)
        let outcomes = try await Self.run(Self.plans(kills, from: first)) { plan in
            let count = done.withLock { done in
                done += 1
                return done
            }
            if isRecording, count.isMultiple(of: 20) { print("\(count) of \(kills) kills …") }
        }
        var tally = TortureTally()
        for outcome in outcomes {
            tally += outcome.tally
            for verdict in outcome.verdicts.prefix(10) { Issue.record("\(Self.name(outcome.plan)): \(verdict)") }
        }
        print("\(outcomes.count) worlds in \((clock.now - start) / .seconds(1)) s")
        print(tally.summary)
        #expect(tally.killCount == kills)
        #expect(tally.isRecording, "hardly any kill struck with messages in flight")
    }

    /// Without this, a run that checks nothing would pass as well.
    @Test(arguments: TorturePlan.PlantedFault.allCases)
    func aLossIsFound(plantedFault: TorturePlan.PlantedFault) async throws {
        // One on each kind of store.
        var plan = TorturePlan(seed: plantedFault == .deletesRow ? 1000 : 1001, kills: 3)
        plan.plantedFault = plantedFault
        let outcome = try await TortureWorld.run(plan)
        let lost = outcome.verdicts.filter { if case .lost = $0 { true } else { false } }
        #expect(!lost.isEmpty)
        if plantedFault == .deletesRow { #expect(lost.count == 1) }
    }

    private static func plans(_ kills: Int, from first: UInt64) -> [TorturePlan] {
        // At least two, and equally long: one for each kind of store.
        let count = max(min(2, kills), (kills + killsPerWorld - 1) / killsPerWorld)
        return (0..<count).map { index in
            TorturePlan(
                seed: first + UInt64(index), kills: (index + 1) * kills / count - index * kills / count)
        }
    }

    private static func run(
        _ plans: [TorturePlan], _ progress: @escaping @Sendable (TorturePlan) -> Void
    ) async throws -> [TortureWorld.Outcome] {
        // A world waits more than it works: for a process to start, for the time of its kill.
        let atOnce = max(4, ProcessInfo.processInfo.activeProcessorCount)
        return try await withThrowingTaskGroup(of: TortureWorld.Outcome.self) { group in
            var waiting = plans.makeIterator()
            func add() {
                guard let plan = waiting.next() else { return }
                group.addTask { try await TortureWorld.run(plan, progress: progress) }
            }
            for _ in 0..<atOnce { add() }
            var outcomes: [TortureWorld.Outcome] = []
            while let outcome = try await group.next() {
                outcomes.append(outcome)
                add()
            }
            return outcomes
        }
    }

    private static func name(_ plan: TorturePlan) -> String {
        let store = plan.hasFileStore ? "file" : "sqlite"
        return "seed \(plan.seed) (\(store), \(plan.restart.rawValue)\(plan.hasProxy ? ", through a proxy" : ""))"
    }
}
