import CausewayModels
import Foundation
import Synchronization
import Testing

/// Backups, restores and copies of a store under the real daemon, with the real hub: every copy continues.
@Suite(.serialized) struct CopyTests {
    /// `Tools/torture copies` plays this at length: HISTORIES histories, from the seed FIRST_SEED on.
    @Test func everyCopyGoesOnAndNothingIsLostDoubledFailedOrOutOfOrder() async throws {
        let environment = ProcessInfo.processInfo.environment
        let count = try #require(Int(environment["HISTORIES"] ?? "4"), "HISTORIES is a number")
        let first = try #require(UInt64(environment["FIRST_SEED"] ?? "0"), "FIRST_SEED is a number")
        var tally = CopiesWorld.Tally()
        for outcome in try await Self.run((0..<UInt64(count)).map { first + $0 }) {
            tally += outcome.tally
            for verdict in outcome.verdicts.prefix(10) { Issue.record("seed \(outcome.seed): \(verdict)") }
            if !outcome.verdicts.isEmpty { print(outcome.history.joined(separator: "\n")) }
        }
        print(
            """
            \(count) histories: \(tally.restores) restores, \(tally.copies) copies, \(tally.liveBackups) backups of \
            running stores, \(tally.messages) messages, \(tally.edits) edits, \(tally.deletions) deletions; \
            \(tally.notices) copies noticed another one
            """)
        #expect(tally.restores + tally.copies >= count)
        // In a few histories, possibly nothing was in flight when a copy was taken.
        #expect(tally.notices > 0 || count < 20, "no copy was ever noticed")
    }

    private static func run(_ seeds: [UInt64]) async throws -> [CopiesWorld.Outcome] {
        // A history waits more than it works.
        try await withThrowingTaskGroup(of: CopiesWorld.Outcome.self) { group in
            var waiting = seeds.makeIterator()
            var outcomes: [CopiesWorld.Outcome] = []
            for _ in 0..<4 {
                guard let seed = waiting.next() else { break }
                group.addTask { try await play(seed) }
            }
            while let outcome = try await group.next() {
                outcomes.append(outcome)
                if let seed = waiting.next() { group.addTask { try await play(seed) } }
            }
            return outcomes
        }
    }

    private struct Stuck: Error { let seed: UInt64, reason: any Error }

    private static func play(_ seed: UInt64) async throws -> CopiesWorld.Outcome {
        do { return try await CopiesWorld.run(seed: seed) } catch { throw Stuck(seed: seed, reason: error) }
    }

    // MARK: - The judge

    private static func id(_ number: Int) -> MessageID {
        MessageID(UUIDv7(at: Timestamp(milliseconds: Int64(number)), randomHigh: 1, randomLow: 1))
    }

    @Test func aHistoryWithoutFaultHasNoVerdict() {
        #expect(CopyVerdict.all(Self.sound()) == [])
    }

    /// Without this, a check that finds nothing would pass as well.
    @Test func eachFaultIsFound() {
        let (a, b, c) = (Self.id(1), Self.id(2), Self.id(3))
        func found(_ spoil: (inout CopyEvidence) -> Void) -> [CopyVerdict] {
            var evidence = Self.sound()
            spoil(&evidence)
            return CopyVerdict.all(evidence)
        }
        #expect(found { $0.hub.remove(at: 1) } == [.lost(b)])
        #expect(found { $0.hub.append($0.hub[0]) } == [.doubled("a, edited")])
        #expect(found { $0.hub.append(.init(id: Self.id(9), text: "x")) }.contains(.foreign("x")))
        #expect(found { $0.alive[0].failed = [b] } == [.failed(b)])
        #expect(found { $0.hub.swapAt(0, 1) } == [.outOfOrder(b, before: a)])
        #expect(found { $0.hub.append(.init(id: c, text: "c")) } == [.notDeleted(c)])
        #expect(found { $0.hub[0].text = "a" } == [.notEdited(a, says: "a")])
    }

    /// Three messages; the first was edited, the last deleted.
    private static func sound() -> CopyEvidence {
        var timeline = CopyTimeline()
        timeline.create([id(1), id(2), id(3)])
        timeline.edit(id(1), to: "a, edited")
        timeline.delete(id(3), mayReturn: false)
        return CopyEvidence(
            texts: [id(1): "a", id(2): "b", id(3): "c"], alive: [.init(timeline: timeline, failed: [])],
            hub: [.init(id: id(1), text: "a, edited"), .init(id: id(2), text: "b")])
    }
}
