import CausewayModels
import CausewayOutbox
import Testing

/// Verdicts are correct: doubts, fences, gaps and late copies.
@Suite struct VerdictTests {
    /// A message whose four attempts had no response, with its fence under way as the fifth batch.
    private func inDoubt() -> Bench {
        var bench = Bench()
        bench.create("a")
        for round in 1...4 {
            bench.fail(round, .noAnswer)
            if round < 4 { #expect(bench.told == []) }
            bench.wait(.seconds(3))
            bench.take(.greeted)
            bench.wait(.seconds(3))
        }
        #expect(bench.sent == ["0<1 fence a"])
        return bench
    }

    @Test func inDoubtNobodyIsToldBeforeTheVerdict() {
        var bench = Bench { $0.retry.retriesMax = 0 }
        bench.create("a")
        bench.fail(1, .noAnswer)
        #expect(bench.written == ["fail a retriesUsedUp in doubt", "fence a at 1"])
        #expect(bench.told == [])
    }

    @Test func aFenceThatFindsTheMessageMakesItSynced() {
        var bench = inDoubt()
        bench.answer(5, accepted(9))
        #expect(bench.written == ["done 1", "deliver a"])
        #expect(bench.told == ["a as stored"])
        #expect(bench.outbox.depth == 0)
    }

    @Test func aFenceThatBarsTheMessageSettlesItOnce() {
        var bench = inDoubt()
        bench.answer(5, .fenced)
        #expect(bench.written == ["done 1", "settle a"])
        #expect(bench.told == ["a as stored"])
        bench.answer(5, .fenced)
        #expect(bench.told == [] && bench.written == [])
    }

    @Test func aFailureWithAnswersIsToldAtOnceAndOnlyOnce() {
        var bench = Bench { $0.retry.retriesMax = 0 }
        bench.create("a")
        bench.fail(1, .serverBusy)
        #expect(bench.told == ["a failed retriesUsedUp"])
        bench.answer(2, .fenced)
        #expect(bench.told == [])
    }

    @Test func aGapIsFollowed() {
        var bench = Bench(lastTransmitted: [.text: 7])
        bench.create("a")
        bench.answer(1, .gap(mark: 5))
        #expect(bench.written.first == "rebase 8 after 5")
        #expect(bench.sent == ["5<8 send a"])
    }

    @Test func gapsWithoutProgressAreNotFollowedInCircles() {
        var bench = Bench()
        bench.create("a")
        bench.answer(1, .gap(mark: 0))
        bench.answer(2, .gap(mark: 0))
        #expect(bench.sent == [])
        bench.wait(.seconds(5))
        #expect(bench.sent == ["0<1 send a"])
    }

    @Test func aLateCopyOfWhatThisStoreSentWasRefusedBefore() {
        var bench = Bench()
        bench.create("a")
        bench.create("b")
        bench.fail(1, .noAnswer)
        bench.wait(.seconds(2))
        bench.take(.greeted)
        bench.wait(.seconds(5))
        bench.answer(2, .late(mark: 1))
        #expect(bench.told == ["a as stored"])
        #expect(bench.sent == ["1<2 send b"])
    }

    /// Its first response was lost, and by the second time its parent is on the server. The store knows whether it
    /// waits for that one; if it does not, it has failed.
    @Test func whatWasRefusedBeforeMayHaveWaitedForAnotherMessage() {
        var bench = Bench()
        bench.create("r", "p")
        bench.fail(1, .noAnswer)
        bench.wait(.seconds(2))
        bench.take(.greeted)
        bench.wait(.seconds(5))
        bench.answer(2, .late(mark: 2))
        #expect(bench.written.first == "park r")
        #expect(bench.told == ["r as stored"])
        bench.answer(3, accepted())
        #expect(bench.told == ["p delivered"])
    }

    /// It was sent uncharged behind the first one.
    @Test(arguments: [DeliveryOutcome.late(mark: 2), .unrelated(detail: "no such message"), .forbidden])
    func whatTheServerRefusedNeverShowsNoAttempt(_ outcome: DeliveryOutcome) {
        var bench = Bench()
        bench.create("a", "b")
        bench.answer(1, accepted(), outcome)
        #expect(bench.written.contains("attempt b after 1 #1"))
    }

    @Test func whatIsGivenUpForBeingPutOffNeverShowsNoAttempt() {
        var bench = Bench { $0.retry.retriesMax = 0 }
        bench.create("a", "b")
        bench.answer(1, accepted(), .busy)
        #expect(bench.written.contains("attempt b after 1 #1"))
        #expect(bench.told.contains("b failed retriesUsedUp"))
    }

    @Test(arguments: [DeliveryOutcome.late(mark: 1), .unrelated(detail: "no such message")])
    func whatMayHaveFailedPausesItsLaneUntilTheStoreSaysOtherwise(_ outcome: DeliveryOutcome) {
        var bench = Bench { $0.headFailure = .pauseLane }
        bench.create("a")
        bench.create("b")
        bench.answer(1, outcome)
        #expect(bench.sent == [])
        bench.take(.unpaused([id("a")]))
        #expect(bench.sent == ["1<2 send b"])
    }

    @Test func aMarkOfAnotherCopyOfTheStoreStartsTheLaneAnew() {
        var bench = Bench()
        bench.create("a")
        bench.create("b")
        bench.answer(1, .late(mark: 40))
        #expect(bench.written == ["raise above 40", "resend a", "resend b"])
        #expect(bench.told == [] && bench.sent == [])
        var again = [bench.entry("a"), bench.entry("b")]
        again[0].sequence = 41
        again[1].sequence = 42
        bench.take(.enqueued(again))
        #expect(bench.sent == ["40<41 send a, 41<42 send b"])
        bench.answer(2, accepted(1), accepted(2))
        #expect(bench.told == ["a delivered", "b delivered"])
    }

    @Test func aLaneThatStartsAnewKeepsItsQuestionsAndDeletions() {
        var bench = Bench { $0.retry.retriesMax = 0 }
        bench.create("a", "b")
        bench.fail(1, .serverBusy)
        #expect(bench.sent == ["0<1 fence a, 1<2 send b"])
        bench.take(.enqueued([bench.entry("z", kind: .delete)]))
        bench.answer(2, .fenced, .late(mark: 40))
        #expect(bench.sent == ["2<3 delete z"])
        var again = bench.entry("b")
        again.sequence = 41
        bench.take(.enqueued([again]))
        bench.answer(3, .deleted)
        #expect(bench.sent == ["40<41 send b"])
    }

    @Test func proofByAnotherWayCountsAsMuchAsTheAnswer() {
        var bench = Bench()
        bench.create("a")
        bench.fail(1, .noAnswer)
        bench.take(.proven(id("a"), place(3)))
        #expect(bench.written == ["deliver a", "fence a at 1"])
        #expect(bench.told == ["a delivered"])
    }

    @Test func proofForWhatNeverLeftUnderItsNewNumberLeavesNoHole() {
        var bench = Bench { $0.retry.retriesMax = 0 }
        bench.create("a")
        bench.fail(1, .noAnswer)
        bench.resend("a")
        bench.create("b")
        bench.take(.proven(id("a"), place(3)))
        #expect(bench.told == ["a delivered"])
        bench.wait(.seconds(1))
        bench.take(.greeted)
        bench.wait(.seconds(1))
        #expect(bench.sent == ["0<1 fence a, 1<3 send b"])
    }

    @Test func aLateAnswerOfAnOldRoundOnlyProves() {
        var bench = Bench()
        bench.create("a", "b")
        bench.fail(1, .noAnswer)
        bench.wait(.seconds(2))
        bench.take(.greeted)
        bench.wait(.seconds(5))
        #expect(bench.sent == ["0<1 send a"])
        bench.answer(1, accepted(), .forbidden)
        #expect(bench.told == ["a delivered"])
        #expect(bench.written == ["deliver a", "fence a at 1"])
        bench.fail(1, .badRequest)
        #expect(bench.written == [] && bench.told == [])
        bench.answer(2, accepted())
        #expect(bench.told == [])
        #expect(bench.sent == ["1<2 send b"])
    }
}
