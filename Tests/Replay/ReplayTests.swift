import CausewayModels
import CausewaySimulatedHub
import Foundation
import Testing

/// Compares stories in the simulator and on the real parts: both end in the same way, message by message.
@Suite struct ReplayTests {
    /// Plays STORIES stories from FIRST_SEED on.
    @Test func theRealPartsEndAsTheSimulatedOnes() async throws {
        let environment = ProcessInfo.processInfo.environment
        let count = try #require(UInt64(environment["STORIES"] ?? "50"), "STORIES is a number")
        let first = try #require(UInt64(environment["FIRST_SEED"] ?? "0"), "FIRST_SEED is a number")
        let clock = ContinuousClock()
        let start = clock.now
        let stories = (first..<first + count).map { StoryTeller.story(seed: $0) }
        let comparisons = await Self.compareAll(stories)
        for difference in comparisons.compactMap(\.difference) { Issue.record("\(difference)") }
        let steps = stories.map(\.steps.count).reduce(0, +)
        print("\(count) stories, \(steps) steps in \((clock.now - start) / .seconds(1)) s")
        // A sample in which a kind of step never occurs proves nothing about it.
        for kind in StepKind.allCases where count >= 60 {
            #expect(stories.contains { $0.steps.contains { StepKind($0) == kind } }, "no story has a \(kind)")
        }
        let fates = comparisons.flatMap { $0.end?.fates ?? [] }
        let kinds = Dictionary(grouping: fates, by: \.kind).mapValues(\.count)
        for (kind, count) in kinds.sorted(by: { $0.value > $1.value }) { print("\(count) messages: \(kind)") }
        for kind in StoryEnd.Fate.kindsWanted where count >= 60 {
            #expect(kinds[kind, default: 0] >= 8, "hardly a message ended so: \(kind)")
        }
    }

    /// One story, played twice.
    private struct Comparison: Sendable {
        /// The end in the simulator; `nil` when it did not get that far.
        var end: StoryEnd?
        /// The differences, and the story; `nil` when there are none.
        var difference: String?
    }

    /// The end of a story follows from the story: not from the schedule, and not from how long anything takes.
    @Test(arguments: 0..<4 as Range<UInt64>)
    func theEndDoesNotDependOnTheSchedule(part: UInt64) throws {
        for seed in part * 100..<(part + 1) * 100 {
            let story = StoryTeller.story(seed: seed)
            let one = try SimulatedStoryWorld.play(story, seed: 1)
            let two = try SimulatedStoryWorld.play(story, seed: seed &+ 2)
            let differences = one.differences(to: two)
            #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))\n\(story)")
            #expect(!one.fates.contains { if case .underWay = $0 { true } else { false } }, "\(story)")
        }
    }

    /// A hub in the simulator that does not remember accepted messages differs from the real one.
    @Test func aForgetfulHubIsFoundOut() async throws {
        let news = [Story.Draft(room: .general, isCustom: false), Story.Draft(room: .second, isCustom: true)]
        let story = Story(seed: 0, steps: [.trouble(.lostAnswer, times: 2, news)])
        let real = try await RealStoryWorld.play(story)
        #expect(try SimulatedStoryWorld.play(story, seed: 1).differences(to: real).isEmpty)
        let sabotaged = try SimulatedStoryWorld.play(story, seed: 1, sabotage: .forgetsMessages)
        #expect(!sabotaged.differences(to: real).isEmpty)
    }

    /// A network that turns a copy into another message differs from one that repeats.
    @Test func aCopyUnderAnotherIDIsFoundOut() async throws {
        let story = Story(
            seed: 0,
            steps: [
                .create(Story.Draft(room: .general, isCustom: false)),
                .repeated(Story.Draft(room: .general, isCustom: false)),
            ])
        let simulated = try SimulatedStoryWorld.play(story, seed: 1)
        #expect(try await RealStoryWorld.play(story) == simulated)
        let sabotaged = try await RealStoryWorld.play(story, sabotage: .copiesUnderAnotherID)
        #expect(!sabotaged.differences(to: simulated).isEmpty)
    }

    // MARK: - Comparing

    private static func compare(_ story: Story) async -> Comparison {
        do {
            let simulated = try SimulatedStoryWorld.play(story, seed: story.seed)
            let real = try await RealStoryWorld.play(story)
            let differences = simulated.differences(to: real)
            guard !differences.isEmpty else { return Comparison(end: simulated) }
            let words = differences.joined(separator: "\n")
            return Comparison(end: simulated, difference: "simulated | real\n\(words)\n\(story)")
        } catch {
            return Comparison(difference: "\(error)\n\(story)")
        }
    }

    /// Several at once: a story waits more than it works.
    private static func compareAll(_ stories: [Story]) async -> [Comparison] {
        await withTaskGroup(of: Comparison.self) { group in
            var waiting = stories.makeIterator()
            for _ in 0..<8 {
                if let story = waiting.next() { group.addTask { await compare(story) } }
            }
            var found: [Comparison] = []
            while let comparison = await group.next() {
                found.append(comparison)
                if let story = waiting.next() { group.addTask { await compare(story) } }
            }
            return found
        }
    }
}
