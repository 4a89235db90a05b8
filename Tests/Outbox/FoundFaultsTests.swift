import CausewayModels
import CausewayOutbox
import CausewayStorage
import Testing

/// Faults that the machine once had, each as the script that revealed it.
@Suite struct FoundFaultsTests {
    @Test func aProofDuringTheFlightCompletesOnce() {
        var bench = Bench()
        bench.create("a")
        bench.take(.proven(id("a"), place()))
        #expect(bench.told == ["a delivered"])
        bench.answer(1, accepted())
        #expect(bench.told == [])
        bench.take(.answered(bench.rounds[0], DeliveryReport(mark: 1, outcomes: [accepted()])))
        #expect(bench.told == [])
    }

    /// It was sent again while a fence for it was open, and the response arrived before the feed reported its new slot.
    @Test func whatIsProvenBeforeItsPlaceIsToldIsNotSentAgain() {
        let fence = OutboxEntry(
            kind: .fence, lane: .text, sequence: 1, previous: 0, message: id("a"), attempts: 0, bytes: 0)
        var bench = Bench([fence], lastTransmitted: [.text: 1])
        #expect(bench.sent == ["0<1 fence a"])
        let placed = bench.entry("a")
        bench.answer(1, accepted(), mark: 1)
        bench.take(.enqueued([placed]))
        #expect(bench.sent == [])
        bench.create("b")
        #expect(bench.sent == ["1<3 send b"])
    }

    @Test func aDeletionOfWhatHasEndedTellsNobody() {
        var bench = Bench()
        bench.create("a")
        bench.answer(1, accepted())
        bench.delete("a", .synced)
        #expect(bench.told == [])
    }

    @Test func aRateLimitOverAPauseDoesNotSpin() {
        var bench = Bench()
        bench.create("a")
        bench.create("b", lane: .media)
        bench.fail(1, .serverBusy)
        bench.fail(2, .rateLimited(after: .seconds(60), detail: ""))
        #expect(bench.untilDeadline == .seconds(60))
        bench.wait(.seconds(59))
        #expect(bench.sent == [])
        bench.wait(.seconds(1))
        #expect(bench.sent.count == 2)
    }

    @Test func anAnswerlessFlightBehindAFailedOneIsInDoubt() {
        var bench = Bench { $0.deliveriesInFlightMax = 2 }
        bench.create("a")
        bench.create("b")
        bench.fail(2, .serverBusy)
        for round in 3...6 {
            bench.wait(.seconds(70))
            bench.fail(round, .serverBusy)
        }
        #expect(bench.written.first == "fail a retriesUsedUp in doubt")
        #expect(bench.told == [])
    }

    /// The feed reported only that something changed, while a request was under way.
    @Test func aFlightOverWhichTheStoreIsReadAgainIsInDoubt() {
        var bench = Bench { $0.retry.retriesMax = 0 }
        bench.create("a")
        bench.take(.feedReset)
        #expect(bench.written == ["requeue a #0", "reload"])
        let entry = OutboxEntry(
            kind: .send, lane: .text, sequence: 1, previous: 0, message: id("a"), attempts: 0, bytes: 10)
        bench.take(
            .forked(
                OutboxSnapshot(
                    outboxID: bench.outbox.outboxID, epoch: 1, lastTransmitted: [.text: 1], entries: [entry])))
        #expect(bench.sent == ["0<1 send a"])
        bench.fail(2, .serverBusy)
        #expect(bench.written.first == "fail a retriesUsedUp in doubt")
        #expect(bench.told == [])
    }

    @Test func aFlightThatIsTakenBackDoesNotPayForAnother() {
        var bench = Bench { $0.deliveriesInFlightMax = 2 }
        bench.create("a")
        bench.create("b")
        bench.fail(2, .noWay)
        #expect(bench.written.contains("requeue a #0"))
    }

    @Test func theProofsOfAFlightThatIsTakenBackCount() {
        var bench = Bench { $0.deliveriesInFlightMax = 2 }
        bench.create("a")
        bench.create("b")
        bench.answer(2, accepted(2))
        bench.fail(1, .noAnswer)
        #expect(bench.told == ["b delivered"])
    }

    @Test func whatWasTransmittedBeforeARestartIsInDoubt() {
        let entry = OutboxEntry(
            kind: .send, lane: .text, sequence: 1, previous: 0, message: id("a"), attempts: 3, bytes: 10)
        var bench = Bench([entry], lastTransmitted: [.text: 1])
        #expect(bench.sent == ["0<1 send a"])
        bench.fail(1, .serverBusy)
        #expect(bench.written.first == "fail a retriesUsedUp in doubt")
        #expect(bench.told == [])
    }

    @Test func whoeverWaitsSinceARestartIsToldTheVerdict() {
        let fence = OutboxEntry(
            kind: .fence, lane: .text, sequence: 1, previous: 0, message: id("a"), attempts: 0, bytes: 0)
        var bench = Bench([fence], lastTransmitted: [.text: 1])
        bench.answer(1, .fenced)
        #expect(bench.written.contains("settle a"))
        #expect(bench.told == ["a as stored"])
    }

    @Test func anOldFenceDoesNotSettleANewDoubt() {
        var bench = Bench { $0.retry.retriesMax = 0 }
        bench.create("a")
        bench.fail(1, .noAnswer)
        bench.resend("a")
        bench.wait(.seconds(1))
        bench.take(.greeted)
        bench.wait(.seconds(1))
        #expect(bench.sent == ["0<1 fence a, 1<2 send a"])
        bench.fail(2, .noAnswer)
        #expect(bench.written.first == "fail a retriesUsedUp in doubt")
        bench.wait(.seconds(2))
        bench.take(.greeted)
        bench.wait(.seconds(1))
        #expect(bench.sent == ["0<1 fence a, 1<2 fence a"])
        bench.answer(3, .fenced, accepted())
        #expect(!bench.written.contains("settle a"))
        #expect(bench.told == ["a as stored"])
    }

    @Test func aRefusalWhileAnOldDoubtIsOpenIsInDoubt() {
        var bench = Bench { $0.retry.retriesMax = 0 }
        bench.create("a")
        bench.fail(1, .noAnswer)
        bench.resend("a")
        bench.wait(.seconds(1))
        bench.take(.greeted)
        bench.wait(.seconds(1))
        #expect(bench.sent == ["0<1 fence a, 1<2 send a"])
        bench.fail(2, .badRequest)
        #expect(bench.written.first == "fail a refused in doubt")
        #expect(bench.told == [])
    }

    @Test func theVerdictOnAnOldPlaceEndsItsDoubtEvenWhenTheMessageWaitsAgain() {
        var bench = Bench { $0.retry.retriesMax = 0 }
        bench.create("a")
        bench.fail(1, .noAnswer)
        bench.resend("a")
        bench.wait(.seconds(1))
        bench.take(.greeted)
        bench.wait(.seconds(1))
        bench.answer(2, .fenced, .tryLater(code: "", detail: "", after: .seconds(3)))
        #expect(bench.written.contains("settle a"))
        #expect(bench.told == [])
    }

    @Test func aGapUsesUpNoAttempt() {
        var bench = Bench()
        bench.create("a")
        bench.answer(1, .gap(mark: 0))
        #expect(bench.written.contains("requeue a #0"))
        bench.answer(2, .notAttempted)
        #expect(bench.written.contains("requeue a #0"))
    }

    @Test func aGapAnsweredBeforeTheFirstPartArrivedMovesNothing() {
        var bench = Bench { $0.deliveriesInFlightMax = 2 }
        bench.create("a")
        bench.create("b")
        bench.answer(2, .gap(mark: 0))
        bench.answer(1, accepted())
        #expect(bench.sent == ["1<2 send b"])
        #expect(!bench.written.contains("rebase 2 after 0"))
    }

    @Test func twoLanesThatFailAtOnceAreOneOutage() {
        var bench = Bench()
        bench.create("a")
        bench.create("b", lane: .media)
        bench.fail(1, .noWay)
        bench.fail(2, .noWay)
        bench.wait(.seconds(1))
        #expect(bench.probes == 1)
        bench.take(.probeFailed(.noWay))
        #expect(bench.untilDeadline == .seconds(2))
    }

    @Test func aShortReturnDoesNotResetTheBackoff() {
        var bench = Bench()
        bench.create("a")
        bench.fail(1, .noWay)
        bench.wait(.seconds(1))
        bench.take(.probeFailed(.noWay))
        bench.wait(.seconds(2))
        bench.take(.greeted)
        bench.wait(.seconds(1))
        #expect(bench.sent == ["0<1 send a"])
        bench.answer(2, accepted())
        bench.create("b")
        bench.fail(3, .noWay)
        #expect(bench.untilDeadline == .seconds(4))
    }

    @Test func aDoubleResendSendsOnce() {
        var bench = Bench()
        bench.create("a")
        bench.answer(1, .forbidden)
        bench.take(.paused)
        let twice = [bench.entry("a"), bench.entry("a")]
        bench.take(.enqueued(twice))
        bench.take(.resumed)
        #expect(bench.sent == ["1<3 send a"])
    }

    @Test func attemptsThatACrashCutOffAreSetAsideInTheEnd() {
        let entry = OutboxEntry(
            kind: .send, lane: .text, sequence: 1, previous: 0, message: id("a"), attempts: 4, bytes: 10)
        let bench = Bench([entry], lastTransmitted: [.text: 1])
        #expect(bench.written.first == "fail a retriesUsedUp in doubt")
        #expect(bench.sent == ["0<1 fence a"])
    }

    @Test func aRetryAfterOfNothingIsNotALoop() {
        var bench = Bench()
        bench.create("a")
        bench.fail(1, .rateLimited(after: .zero, detail: ""))
        #expect(bench.sent == [])
        bench.wait(.seconds(1))
        #expect(bench.sent == ["0<1 send a"])
    }

    @Test func aNewTokenIsTriedAtOnceEvenDuringAProbe() {
        var bench = Bench(isOnline: false)
        bench.take(.sessionBegan)
        bench.take(.probeFailed(.badToken))
        bench.wait(.seconds(60))
        #expect(bench.probes == 1)
        bench.take(.attentionResolved)
        #expect(bench.probes == 1)
        bench.take(.probeFailed(.badToken))  // the old probe, with the old token
        bench.take(.greeted)
        #expect(bench.outbox.attention == nil)
    }

    @Test func whatWasCreatedWhileTheLaneStartedAnewIsNotForgotten() {
        var bench = Bench()
        bench.create("a")
        let created = bench.entry("b")
        bench.answer(1, .late(mark: 50))
        #expect(bench.written.contains("raise above 50") && bench.written.contains("resend a"))
        bench.take(.enqueued([created]))
        #expect(bench.written == ["resend b"])
    }

    @Test func aProvenHeadDoesNotHoldUpTheNext() {
        var bench = Bench()
        bench.create("a")
        bench.create("b")
        bench.fail(1, .serverBusy)
        bench.take(.proven(id("a"), place()))
        #expect(bench.sent == ["0<1 fence a, 1<2 send b"])
    }

    @Test func aRoundThatWasTakenBackStillSaysWhenTheServerWantsQuiet() {
        var bench = Bench { $0.deliveriesInFlightMax = 2 }
        bench.create("a")
        bench.create("b")
        bench.fail(1, .serverBusy)
        bench.fail(2, .rateLimited(after: .seconds(60), detail: ""))
        bench.wait(.seconds(59))
        #expect(bench.sent == [])
        bench.wait(.seconds(1))
        #expect(bench.sent == ["0<1 send a"])
    }

    @Test func whatWasAcceptedWhileTheLaneStartsAnewIsNotSentAgain() {
        var bench = Bench { $0.deliveriesInFlightMax = 2 }
        bench.create("a")
        bench.create("b")
        bench.answer(2, accepted())
        bench.answer(1, .late(mark: 50))
        #expect(bench.written.contains("resend a") && !bench.written.contains("resend b"))
        #expect(bench.told == ["b delivered"])
    }
}
