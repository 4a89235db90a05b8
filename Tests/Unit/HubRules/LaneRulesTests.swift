import CausewayHubRules
import CausewayModels
import Testing

/// Every row of the table in `LaneRules`, and the effects of a stop.
@Suite struct LaneRulesTests {
    static let place = ServerPosition(position: 7, acceptedAt: Timestamp(milliseconds: 70))

    private func fine() -> LaneRules.Verdict { .fine }

    // MARK: - Above the mark

    @Test func anUnknownSendThatFollowsTheMarkIsApplied() {
        let lane = Lane(mark: 4)
        #expect(lane.decide(.send, sequence: 9, previous: 4, known: .no, verdict: fine) == .apply)
        #expect(lane.mark == 9)
        #expect(!lane.isStopped)
    }

    @Test func theFirstOperationOfALaneFollowsNothing() {
        let lane = Lane(mark: 0)
        #expect(lane.decide(.send, sequence: 1, previous: 0, known: .no, verdict: fine) == .apply)
        #expect(lane.mark == 1)
    }

    @Test(arguments: [LaneRules.Kind.send, .fence])
    func aKnownIdThatFollowsTheMarkIsAnsweredAndMovesIt(kind: LaneRules.Kind) {
        let lane = Lane(mark: 4)
        let decision = lane.decide(kind, sequence: 5, previous: 4, known: .accepted(Self.place)) {
            Issue.record("A stored result needs no verdict.")
            return .fine
        }
        #expect(decision == .respond(.accepted(Self.place)))
        #expect(lane.mark == 5)
    }

    @Test func aFenceOfAnUnknownIdMovesTheMark() {
        let lane = Lane(mark: 4)
        #expect(lane.decide(.fence, sequence: 5, previous: 4, known: .no, verdict: fine) == .respond(.fenced))
        #expect(lane.mark == 5)
    }

    @Test(arguments: [LaneRules.Known.no, .accepted(place)])
    func aDeletionMovesTheMark(known: LaneRules.Known) {
        let lane = Lane(mark: 4)
        #expect(lane.decide(.delete, sequence: 5, previous: 4, known: known, verdict: fine) == .delete)
        #expect(lane.mark == 5)
    }

    @Test func aRefusalMovesTheMarkAndTheNextGoesOn() {
        let lane = Lane(mark: 4)
        let refused = lane.decide(.send, sequence: 5, previous: 4, known: .no) { .refuse(code: "c", detail: "d") }
        #expect(refused == .respond(.refused(code: "c", detail: "d")))
        #expect(lane.mark == 5)
        #expect(lane.decide(.send, sequence: 6, previous: 5, known: .no, verdict: fine) == .apply)
        #expect(lane.mark == 6)
    }

    @Test func tryLaterKeepsTheMarkAndStops() {
        let lane = Lane(mark: 4)
        let later = lane.decide(.send, sequence: 5, previous: 4, known: .no) {
            .tryLater(code: "c", detail: "d", after: .seconds(2))
        }
        #expect(later == .respond(.tryLater(code: "c", detail: "d", after: .seconds(2))))
        #expect(lane.mark == 4)
        #expect(lane.isStopped)
    }

    @Test(arguments: [LaneRules.Kind.send, .fence, .delete], [Int64(3), 6, 0])
    func whatDoesNotFollowTheMarkIsAGap(kind: LaneRules.Kind, previous: Int64) {
        let lane = Lane(mark: 4)
        let decision = lane.decide(kind, sequence: 7, previous: previous, known: .no) {
            Issue.record("A gap needs no verdict.")
            return .fine
        }
        #expect(decision == .respond(.gap(mark: 4)))
        #expect(lane.mark == 4)
        #expect(lane.isStopped)
    }

    @Test func aKnownIdBehindAGapIsStillAGap() {
        let lane = Lane(mark: 4)
        let decision = lane.decide(.send, sequence: 7, previous: 6, known: .accepted(Self.place), verdict: fine)
        #expect(decision == .respond(.gap(mark: 4)))
    }

    // MARK: - After a stop

    @Test(arguments: [LaneRules.Kind.send, .fence, .delete], [Int64(3), 5])
    func nothingIsAttemptedAfterAStop(kind: LaneRules.Kind, sequence: Int64) {
        let lane = Lane(mark: 4)
        _ = lane.decide(.send, sequence: 9, previous: 8, known: .no, verdict: fine)
        let decision = lane.decide(kind, sequence: sequence, previous: 4, known: .accepted(Self.place)) {
            Issue.record("Nothing is asked after a stop.")
            return .fine
        }
        #expect(decision == .respond(.notAttempted))
        #expect(lane.mark == 4)
    }

    // MARK: - At and below the mark

    @Test(arguments: [Int64(1), 4])
    func aRepeatOfWhatIsKnownGetsTheStoredResult(sequence: Int64) {
        let lane = Lane(mark: 4)
        for kind in [LaneRules.Kind.send, .fence] {
            // A late copy may name any `previous`.
            let decision = lane.decide(kind, sequence: sequence, previous: 0, known: .accepted(Self.place)) {
                Issue.record("A stored result needs no verdict.")
                return .fine
            }
            #expect(decision == .respond(.accepted(Self.place)))
        }
        #expect(lane.mark == 4)
        #expect(!lane.isStopped)
    }

    @Test(arguments: [LaneRules.Verdict.fine, .tryLater(code: "c", detail: "d", after: nil)])
    func anUnknownSendBelowTheMarkIsLate(verdict: LaneRules.Verdict) {
        let lane = Lane(mark: 4)
        let decision = lane.decide(.send, sequence: 4, previous: 3, known: .no) { verdict }
        #expect(decision == .respond(.late(mark: 4)))
        #expect(lane.mark == 4)
        // Operations after a late copy continue: it may be a repeat that is partly new.
        #expect(lane.decide(.send, sequence: 5, previous: 4, known: .no, verdict: fine) == .apply)
    }

    @Test func aRepeatOfARefusalIsRefusedForTheSameReason() {
        let lane = Lane(mark: 4)
        let decision = lane.decide(.send, sequence: 4, previous: 3, known: .no) { .refuse(code: "c", detail: "d") }
        #expect(decision == .respond(.refused(code: "c", detail: "d")))
        #expect(lane.mark == 4)
    }

    @Test func aFenceBelowTheMarkIsAFence() {
        let lane = Lane(mark: 4)
        #expect(lane.decide(.fence, sequence: 4, previous: 3, known: .no, verdict: fine) == .respond(.fenced))
        #expect(lane.mark == 4)
    }

    @Test(arguments: [LaneRules.Known.no, .accepted(place)])
    func aDeletionBelowTheMarkDeletes(known: LaneRules.Known) {
        let lane = Lane(mark: 4)
        #expect(lane.decide(.delete, sequence: 2, previous: 1, known: known, verdict: fine) == .delete)
        #expect(lane.mark == 4)
        #expect(!lane.isStopped)
    }

    // MARK: - Errors and extremes

    @Test func aVerdictThatThrowsChangesNothing() {
        struct Trouble: Error {}
        let lane = Lane(mark: 4)
        let before = lane.rules
        #expect(throws: Trouble.self) {
            try lane.decide(.send, sequence: 5, previous: 4, known: .no) { throw Trouble() }
        }
        #expect(lane.rules == before)
    }

    @Test func theLargestSequenceIsTheLast() {
        let lane = Lane(mark: .max - 1)
        #expect(lane.decide(.send, sequence: .max, previous: .max - 1, known: .no, verdict: fine) == .apply)
        #expect(lane.mark == .max)
        #expect(
            lane.decide(.send, sequence: .max, previous: 0, known: .no, verdict: fine) == .respond(.late(mark: .max)))
    }
}

/// A class around the values under test, because `#expect` cannot mutate them.
private final class Lane {
    private(set) var rules: LaneRules
    var mark: Int64 { rules.mark }
    var isStopped: Bool { rules.isStopped }

    init(mark: Int64) { rules = LaneRules(mark: mark) }

    func decide(
        _ kind: LaneRules.Kind, sequence: Int64, previous: Int64, known: LaneRules.Known,
        verdict: () throws -> LaneRules.Verdict
    ) rethrows -> LaneRules.Decision {
        try rules.decide(kind, sequence: sequence, previous: previous, known: known, verdict: verdict)
    }
}
