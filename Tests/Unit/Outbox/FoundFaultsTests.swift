import CausewayModels
import CausewayOutbox
import CausewayStorage
import Testing

/// Faults that the machine once had, each as the script that revealed it.
@Suite struct FoundFaultsTests {
    @Test func aProofDuringTheFlightCompletesOnce() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.take(.confirmed(id("a"), place()))
        #expect(harness.told == ["a delivered"])
        harness.answer(1, accepted())
        #expect(harness.told == [])
        harness.take(.responded(harness.batches[0], DeliveryReport(mark: 1, outcomes: [accepted()])))
        #expect(harness.told == [])
    }

    /// It was sent again while a fence for it was open, and the response arrived before the feed reported its new slot.
    @Test func whatIsProvenBeforeItsPlaceIsToldIsNotSentAgain() {
        let fence = OutboxEntry(
            kind: .fence, lane: .text, sequence: 1, previous: 0, message: id("a"), attempts: 0, bytes: 0)
        var harness = OutboxHarness([fence], lastTransmitted: [.text: 1])
        #expect(harness.sent == ["0<1 fence a"])
        let placed = harness.entry("a")
        harness.answer(1, accepted(), mark: 1)
        harness.take(.enqueued([placed]))
        #expect(harness.sent == [])
        harness.create("b")
        #expect(harness.sent == ["1<3 send b"])
    }

    @Test func aDeletionOfWhatHasEndedTellsNobody() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.answer(1, accepted())
        harness.delete("a", .synced)
        #expect(harness.told == [])
    }

    @Test func aRateLimitOverAPauseDoesNotSpin() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.create("b", lane: .media)
        harness.fail(1, .serverBusy)
        harness.fail(2, .rateLimited(after: .seconds(60), detail: ""))
        #expect(harness.untilDeadline == .seconds(60))
        harness.wait(.seconds(59))
        #expect(harness.sent == [])
        harness.wait(.seconds(1))
        #expect(harness.sent.count == 2)
    }

    @Test func anAnswerlessFlightBehindAFailedOneIsInDoubt() {
        var harness = OutboxHarness { $0.deliveriesInFlightMax = 2 }
        harness.create("a")
        harness.create("b")
        harness.fail(2, .serverBusy)
        for batch in 3...6 {
            harness.wait(.seconds(70))
            harness.fail(batch, .serverBusy)
        }
        #expect(harness.written.first == "fail a retriesUsedUp in doubt")
        #expect(harness.told == [])
    }

    /// The feed reported only that something changed, while a request was under way.
    @Test func aFlightOverWhichTheStoreIsReadAgainIsInDoubt() {
        var harness = OutboxHarness { $0.retry.retriesMax = 0 }
        harness.create("a")
        harness.take(.feedReset)
        #expect(harness.written == ["requeue a #0", "reload"])
        let entry = OutboxEntry(
            kind: .send, lane: .text, sequence: 1, previous: 0, message: id("a"), attempts: 0, bytes: 10)
        harness.take(
            .forked(
                OutboxSnapshot(
                    outboxID: harness.outbox.outboxID, epoch: 1, lastTransmitted: [.text: 1], entries: [entry])))
        #expect(harness.sent == ["0<1 send a"])
        harness.fail(2, .serverBusy)
        #expect(harness.written.first == "fail a retriesUsedUp in doubt")
        #expect(harness.told == [])
    }

    /// A message in doubt was resent, and the feed reported only that something changed. Its fence confirms it.
    @Test func aMessageThatWasResentUnseenIsNotAwaitedTwice() {
        let fence = OutboxEntry(
            kind: .fence, lane: .text, sequence: 1, previous: 0, message: id("a"), attempts: 0, bytes: 0)
        let send = OutboxEntry(
            kind: .send, lane: .text, sequence: 2, previous: nil, message: id("a"), attempts: 0, bytes: 10)
        for outcome in [DeliveryOutcome.fenced, accepted(1)] {
            var harness = OutboxHarness([fence], lastTransmitted: [.text: 1]) { $0.batchOperationsMax = 1 }
            harness.take(.feedReset)
            harness.take(
                .forked(
                    OutboxSnapshot(
                        outboxID: harness.outbox.outboxID, epoch: 1, lastTransmitted: [.text: 1],
                        entries: [fence, send])))
            #expect(harness.sent == ["0<1 fence a"])
            harness.answer(harness.batches.count, outcome)
            if outcome == .fenced {
                #expect(harness.told == [])
                #expect(harness.sent == ["1<2 send a"])
                harness.answer(harness.batches.count, accepted(2))
            }
            #expect(harness.told == ["a delivered"])
            #expect(harness.outbox.depth == 0)
            #expect(harness.outbox.indexedCount == 0)
        }
    }

    /// The store renumbered a resent message to a sequence before the fence of its earlier attempt.
    @Test func aFenceBehindItsMessageLeavesNothingWhenTheMessageIsDeleted() {
        let send = OutboxEntry(
            kind: .send, lane: .text, sequence: 1, previous: nil, message: id("a"), attempts: 0, bytes: 10)
        let fence = OutboxEntry(
            kind: .fence, lane: .text, sequence: 2, previous: nil, message: id("a"), attempts: 0, bytes: 0)
        let delete = OutboxEntry(
            kind: .delete, lane: .text, sequence: 3, previous: nil, message: id("a"), attempts: 0, bytes: 0)
        var harness = OutboxHarness([send, fence], isOnline: false)
        harness.delete("a", .created)
        #expect(harness.told == ["a deleted"])
        harness.take(
            .forked(
                OutboxSnapshot(outboxID: harness.outbox.outboxID, epoch: 1, lastTransmitted: [:], entries: [delete])))
        #expect(harness.outbox.indexedCount == 0)
    }

    @Test func aFlightThatIsTakenBackDoesNotPayForAnother() {
        var harness = OutboxHarness { $0.deliveriesInFlightMax = 2 }
        harness.create("a")
        harness.create("b")
        harness.fail(2, .noWay)
        #expect(harness.written.contains("requeue a #0"))
    }

    @Test func theProofsOfAFlightThatIsTakenBackCount() {
        var harness = OutboxHarness { $0.deliveriesInFlightMax = 2 }
        harness.create("a")
        harness.create("b")
        harness.answer(2, accepted(2))
        harness.fail(1, .noAnswer)
        #expect(harness.told == ["b delivered"])
    }

    @Test func whatWasTransmittedBeforeARestartIsInDoubt() {
        let entry = OutboxEntry(
            kind: .send, lane: .text, sequence: 1, previous: 0, message: id("a"), attempts: 3, bytes: 10)
        var harness = OutboxHarness([entry], lastTransmitted: [.text: 1])
        #expect(harness.sent == ["0<1 send a"])
        harness.fail(1, .serverBusy)
        #expect(harness.written.first == "fail a retriesUsedUp in doubt")
        #expect(harness.told == [])
    }

    @Test func whoeverWaitsSinceARestartIsToldTheVerdict() {
        let fence = OutboxEntry(
            kind: .fence, lane: .text, sequence: 1, previous: 0, message: id("a"), attempts: 0, bytes: 0)
        var harness = OutboxHarness([fence], lastTransmitted: [.text: 1])
        harness.answer(1, .fenced)
        #expect(harness.written.contains("settle a"))
        #expect(harness.told == ["a as stored"])
    }

    @Test func anOldFenceDoesNotSettleANewDoubt() {
        var harness = OutboxHarness { $0.retry.retriesMax = 0 }
        harness.create("a")
        harness.fail(1, .noAnswer)
        harness.resend("a")
        harness.wait(.seconds(1))
        harness.take(.authenticated)
        harness.wait(.seconds(1))
        #expect(harness.sent == ["0<1 fence a, 1<2 send a"])
        harness.fail(2, .noAnswer)
        #expect(harness.written.first == "fail a retriesUsedUp in doubt")
        harness.wait(.seconds(2))
        harness.take(.authenticated)
        harness.wait(.seconds(1))
        #expect(harness.sent == ["0<1 fence a, 1<2 fence a"])
        harness.answer(3, .fenced, accepted())
        #expect(!harness.written.contains("settle a"))
        #expect(harness.told == ["a as stored"])
    }

    @Test func aRefusalWhileAnOldDoubtIsOpenIsInDoubt() {
        var harness = OutboxHarness { $0.retry.retriesMax = 0 }
        harness.create("a")
        harness.fail(1, .noAnswer)
        harness.resend("a")
        harness.wait(.seconds(1))
        harness.take(.authenticated)
        harness.wait(.seconds(1))
        #expect(harness.sent == ["0<1 fence a, 1<2 send a"])
        harness.fail(2, .badRequest)
        #expect(harness.written.first == "fail a refused in doubt")
        #expect(harness.told == [])
    }

    @Test func theVerdictOnAnOldPlaceEndsItsDoubtEvenWhenTheMessageWaitsAgain() {
        var harness = OutboxHarness { $0.retry.retriesMax = 0 }
        harness.create("a")
        harness.fail(1, .noAnswer)
        harness.resend("a")
        harness.wait(.seconds(1))
        harness.take(.authenticated)
        harness.wait(.seconds(1))
        harness.answer(2, .fenced, .tryLater(code: "", detail: "", after: .seconds(3)))
        #expect(harness.written.contains("settle a"))
        #expect(harness.told == [])
    }

    /// The message behind the fence was not attempted.
    @Test func aFenceThatIsPutOffChargesNoMessage() {
        var harness = OutboxHarness { $0.retry.retriesMax = 0 }
        harness.create("a")
        harness.fail(1, .noAnswer)
        harness.create("b")
        harness.wait(.seconds(1))
        harness.take(.authenticated)
        harness.wait(.seconds(1))
        #expect(harness.sent == ["0<1 fence a, 1<2 send b"])
        harness.answer(2, .tryLater(code: "", detail: "", after: .seconds(3)), .notAttempted)
        #expect(harness.written.contains("requeue b #0"))
    }

    @Test func aGapUsesUpNoAttempt() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.answer(1, .gap(mark: 0))
        #expect(harness.written.contains("requeue a #0"))
        harness.answer(2, .notAttempted)
        #expect(harness.written.contains("requeue a #0"))
    }

    @Test func aGapAnsweredBeforeTheFirstPartArrivedMovesNothing() {
        var harness = OutboxHarness { $0.deliveriesInFlightMax = 2 }
        harness.create("a")
        harness.create("b")
        harness.answer(2, .gap(mark: 0))
        harness.answer(1, accepted())
        #expect(harness.sent == ["1<2 send b"])
        #expect(!harness.written.contains("rebase 2 after 0"))
    }

    @Test func twoLanesThatFailAtOnceAreOneOutage() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.create("b", lane: .media)
        harness.fail(1, .noWay)
        harness.fail(2, .noWay)
        harness.wait(.seconds(1))
        #expect(harness.probes == 1)
        harness.take(.probeFailed(.noWay))
        #expect(harness.untilDeadline == .seconds(2))
    }

    @Test func aShortReturnDoesNotResetTheBackoff() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.fail(1, .noWay)
        harness.wait(.seconds(1))
        harness.take(.probeFailed(.noWay))
        harness.wait(.seconds(2))
        harness.take(.authenticated)
        harness.wait(.seconds(1))
        #expect(harness.sent == ["0<1 send a"])
        harness.answer(2, accepted())
        harness.create("b")
        harness.fail(3, .noWay)
        #expect(harness.untilDeadline == .seconds(4))
    }

    @Test func aDoubleResendSendsOnce() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.answer(1, .forbidden)
        harness.take(.paused)
        let twice = [harness.entry("a"), harness.entry("a")]
        harness.take(.enqueued(twice))
        harness.take(.resumed)
        #expect(harness.sent == ["1<3 send a"])
    }

    @Test func attemptsThatACrashCutOffAreSetAsideInTheEnd() {
        let entry = OutboxEntry(
            kind: .send, lane: .text, sequence: 1, previous: 0, message: id("a"), attempts: 4, bytes: 10)
        let harness = OutboxHarness([entry], lastTransmitted: [.text: 1])
        #expect(harness.written.first == "fail a retriesUsedUp in doubt")
        #expect(harness.sent == ["0<1 fence a"])
    }

    @Test func aRetryAfterOfNothingIsNotALoop() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.fail(1, .rateLimited(after: .zero, detail: ""))
        #expect(harness.sent == [])
        harness.wait(.seconds(1))
        #expect(harness.sent == ["0<1 send a"])
    }

    @Test func aNewTokenIsTriedAtOnceEvenDuringAProbe() {
        var harness = OutboxHarness(isOnline: false)
        harness.take(.sessionBegan)
        harness.take(.probeFailed(.badToken))
        harness.wait(.seconds(60))
        #expect(harness.probes == 1)
        harness.take(.actionResolved)
        #expect(harness.probes == 1)
        harness.take(.probeFailed(.badToken))  // the old probe, with the old token
        harness.take(.authenticated)
        #expect(harness.outbox.actionRequired == nil)
    }

    @Test func aProvenHeadDoesNotHoldUpTheNext() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.create("b")
        harness.fail(1, .serverBusy)
        harness.take(.confirmed(id("a"), place()))
        #expect(harness.sent == ["0<1 fence a, 1<2 send b"])
    }

    @Test func aRoundThatWasTakenBackStillSaysWhenTheServerWantsQuiet() {
        var harness = OutboxHarness { $0.deliveriesInFlightMax = 2 }
        harness.create("a")
        harness.create("b")
        harness.fail(1, .serverBusy)
        harness.fail(2, .rateLimited(after: .seconds(60), detail: ""))
        harness.wait(.seconds(59))
        #expect(harness.sent == [])
        harness.wait(.seconds(1))
        #expect(harness.sent == ["0<1 send a"])
    }

    @Test func whatWasAcceptedBeforeAMarkAheadIsKnownIsDelivered() {
        var harness = OutboxHarness { $0.deliveriesInFlightMax = 2 }
        harness.create("a")
        harness.create("b")
        harness.answer(2, accepted())
        harness.answer(1, .late(mark: 50))
        #expect(harness.written.contains("deliver b") && harness.written.last == "fork")
        #expect(harness.told == ["b delivered"])
    }

    /// A message was deleted while an older fence of it was open: nothing waits for a verdict, whatever follows.
    @Test func aDeletedMessageIsNotAwaited() {
        let fence = OutboxEntry(
            kind: .fence, lane: .text, sequence: 1, previous: 0, message: id("a"), attempts: 0, bytes: 0)
        let retract = OutboxEntry(
            kind: .retract, lane: .text, sequence: 2, previous: nil, message: id("a"), attempts: 0, bytes: 0)
        var harness = OutboxHarness([fence, retract], lastTransmitted: [.text: 1])
        let delete = OutboxEntry(
            kind: .delete, lane: .text, sequence: 3, previous: nil, message: id("a"), attempts: 0, bytes: 0)
        let other = OutboxID(UUIDv7(high: 1, low: 2))
        harness.take(.forked(OutboxSnapshot(outboxID: other, epoch: 1, lastTransmitted: [:], entries: [delete])))
        #expect(harness.outbox.depth == 1 && harness.outbox.indexedCount == 0)
    }
}
