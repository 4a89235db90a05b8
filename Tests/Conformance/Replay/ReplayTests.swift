import CausewayModels
import CausewaySimulatedHub
import Foundation
import Testing

/// Compares scenarios in the simulator and on the real parts: both end in the same way, message by message.
@Suite struct ReplayTests {
    /// Plays STORIES scenarios from FIRST_SEED on.
    @Test func theRealPartsEndAsTheSimulatedOnes() async throws {
        let environment = ProcessInfo.processInfo.environment
        let count = try #require(UInt64(environment["STORIES"] ?? "50"), "STORIES is a number")
        let first = try #require(UInt64(environment["FIRST_SEED"] ?? "0"), "FIRST_SEED is a number")
        let clock = ContinuousClock()
        let start = clock.now
        let scenarios = (first..<first + count).map { ScenarioGenerator.scenario(seed: $0) }
        let comparisons = await Self.compareAll(scenarios)
        for difference in comparisons.compactMap(\.difference) { Issue.record("\(difference)") }
        let steps = scenarios.map(\.steps.count).reduce(0, +)
        print("\(count) stories, \(steps) steps in \((clock.now - start) / .seconds(1)) s")
        // A sample in which a kind of step never occurs proves nothing about it.
        for kind in StepKind.allCases where count >= 60 {
            #expect(scenarios.contains { $0.steps.contains { StepKind($0) == kind } }, "no scenario has a \(kind)")
        }
        let fates = comparisons.flatMap { $0.end?.fates ?? [] }
        let kinds = Dictionary(grouping: fates, by: \.kind).mapValues(\.count)
        for (kind, count) in kinds.sorted(by: { $0.value > $1.value }) { print("\(count) messages: \(kind)") }
        for kind in ScenarioOutcome.Fate.kindsWanted where count >= 60 {
            #expect(kinds[kind, default: 0] >= 8, "hardly a message ended so: \(kind)")
        }
    }

    /// One scenario, played twice.
    private struct Comparison: Sendable {
        /// The end in the simulator; `nil` when it did not get that far.
        var end: ScenarioOutcome?
        /// The differences, and the scenario; `nil` when there are none.
        var difference: String?
    }

    /// The end of a scenario follows from the scenario: not from the schedule, and not from how long anything takes.
    @Test(arguments: 0..<4 as Range<UInt64>)
    func theEndDoesNotDependOnTheSchedule(part: UInt64) throws {
        for seed in part * 100..<(part + 1) * 100 {
            let scenario = ScenarioGenerator.scenario(seed: seed)
            let one = try SimulatedScenarioWorld.play(scenario, seed: 1)
            let two = try SimulatedScenarioWorld.play(scenario, seed: seed &+ 2)
            let differences = one.differences(to: two)
            #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))\n\(scenario)")
            #expect(!one.fates.contains { if case .underWay = $0 { true } else { false } }, "\(scenario)")
        }
    }

    /// A hub in the simulator that does not remember accepted messages differs from the real one.
    @Test func aForgetfulHubIsFoundOut() async throws {
        let news = [Scenario.Draft(room: .general, isCustom: false), Scenario.Draft(room: .second, isCustom: true)]
        let scenario = Scenario(seed: 0, steps: [.trouble(.lostAnswer, times: 2, news)])
        let real = try await RealScenarioWorld.play(scenario)
        #expect(try SimulatedScenarioWorld.play(scenario, seed: 1).differences(to: real).isEmpty)
        let sabotaged = try SimulatedScenarioWorld.play(scenario, seed: 1, plantedFault: .forgetsMessages)
        #expect(!sabotaged.differences(to: real).isEmpty)
    }

    /// A network that turns a copy into another message differs from one that repeats.
    @Test func aCopyUnderAnotherIDIsFoundOut() async throws {
        let scenario = Scenario(
            seed: 0,
            steps: [
                .create(Scenario.Draft(room: .general, isCustom: false)),
                .repeated(Scenario.Draft(room: .general, isCustom: false)),
            ])
        let simulated = try SimulatedScenarioWorld.play(scenario, seed: 1)
        #expect(try await RealScenarioWorld.play(scenario) == simulated)
        let sabotaged = try await RealScenarioWorld.play(scenario, plantedFault: .copiesUnderAnotherID)
        #expect(!sabotaged.differences(to: simulated).isEmpty)
    }

    // MARK: - Comparing

    private static func compare(_ scenario: Scenario) async -> Comparison {
        do {
            let simulated = try SimulatedScenarioWorld.play(scenario, seed: scenario.seed)
            let real = try await RealScenarioWorld.play(scenario)
            let differences = simulated.differences(to: real)
            guard !differences.isEmpty else { return Comparison(end: simulated) }
            let words = differences.joined(separator: "\n")
            return Comparison(end: simulated, difference: "simulated | real\n\(words)\n\(scenario)")
        } catch {
            return Comparison(difference: "\(error)\n\(scenario)")
        }
    }

    /// Several at once: a scenario waits more than it works.
    private static func compareAll(_ scenarios: [Scenario]) async -> [Comparison] {
        await withTaskGroup(of: Comparison.self) { group in
            var waiting = scenarios.makeIterator()
            for _ in 0..<8 {
                if let scenario = waiting.next() { group.addTask { await compare(scenario) } }
            }
            var found: [Comparison] = []
            while let comparison = await group.next() {
                found.append(comparison)
                if let scenario = waiting.next() { group.addTask { await compare(scenario) } }
            }
            return found
        }
    }
}
