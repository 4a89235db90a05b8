import CausewayModels
import CausewayOutbox
import CausewayStorage
import Testing

/// Verdicts are correct: doubts, fences, gaps and late copies.
@Suite struct VerdictTests {
    /// A message whose four attempts had no response, with its fence under way as the fifth batch.
    private func inDoubt() -> OutboxHarness {
        var harness = OutboxHarness()
        harness.create("a")
        for batch in 1...4 {
            harness.fail(batch, .noAnswer)
            if batch < 4 { #expect(harness.told == []) }
            harness.wait(.seconds(3))
            harness.take(.authenticated)
            harness.wait(.seconds(3))
        }
        #expect(harness.sent == ["0<1 fence a"])
        return harness
    }

    @Test func inDoubtNobodyIsToldBeforeTheVerdict() {
        var harness = OutboxHarness { $0.retry.retriesMax = 0 }
        harness.create("a")
        harness.fail(1, .noAnswer)
        #expect(harness.written == ["fail a retriesUsedUp in doubt", "fence a at 1"])
        #expect(harness.told == [])
    }

    @Test func aFenceThatFindsTheMessageMakesItSynced() {
        var harness = inDoubt()
        harness.answer(5, accepted(9))
        #expect(harness.written == ["done 1", "deliver a"])
        #expect(harness.told == ["a as stored"])
        #expect(harness.outbox.depth == 0)
    }

    /// Another device, or another copy of the store, deleted it; no list may show it until the next page.
    @Test func anAcceptedMessageThatWasDeletedSinceIsRemoved() {
        var harness = OutboxHarness()
        harness.create("a", "b")
        harness.answer(1, [accepted(1), accepted(2)], deleted: ["a"])
        #expect(harness.written == ["deliver a", "delete a", "deliver b"])
        #expect(harness.told == ["a delivered", "b delivered"])
        #expect(harness.outbox.depth == 0)
        var fenced = inDoubt()
        fenced.answer(5, [accepted(9)], deleted: ["a"])
        #expect(fenced.written == ["done 1", "deliver a", "delete a"])
    }

    /// Only what the server accepted can have been deleted there since.
    @Test func aRefusedMessageIsKeptWhateverTheServerReportsAsDeleted() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.answer(1, [.forbidden], deleted: ["a"])
        #expect(harness.written.contains("fail a refused"))
        #expect(!harness.written.contains("delete a"))
    }

    @Test func aLateResponseRemovesWhatWasDeletedSince() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.fail(1, .noAnswer)
        harness.answer(1, [accepted(1)], deleted: ["a"])
        #expect(harness.written.contains("deliver a"))
        #expect(harness.written.contains("delete a"))
    }

    @Test func aFenceThatBarsTheMessageSettlesItOnce() {
        var harness = inDoubt()
        harness.answer(5, .fenced)
        #expect(harness.written == ["done 1", "settle a"])
        #expect(harness.told == ["a as stored"])
        harness.answer(5, .fenced)
        #expect(harness.told == [] && harness.written == [])
    }

    @Test func aFailureWithAnswersIsToldAtOnceAndOnlyOnce() {
        var harness = OutboxHarness { $0.retry.retriesMax = 0 }
        harness.create("a")
        harness.fail(1, .serverBusy)
        #expect(harness.told == ["a failed retriesUsedUp"])
        harness.answer(2, .fenced)
        #expect(harness.told == [])
    }

    @Test func aGapIsFollowed() {
        var harness = OutboxHarness(lastTransmitted: [.text: 7])
        harness.create("a")
        harness.answer(1, .gap(mark: 5))
        #expect(harness.written.first == "rebase 8 after 5")
        #expect(harness.sent == ["5<8 send a"])
    }

    @Test func gapsWithoutProgressAreNotFollowedInCircles() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.answer(1, .gap(mark: 0))
        harness.answer(2, .gap(mark: 0))
        #expect(harness.sent == [])
        harness.wait(.seconds(5))
        #expect(harness.sent == ["0<1 send a"])
    }

    @Test func aLateCopyOfWhatThisStoreSentWasRefusedBefore() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.create("b")
        harness.fail(1, .noAnswer)
        harness.wait(.seconds(2))
        harness.take(.authenticated)
        harness.wait(.seconds(5))
        harness.answer(2, .late(mark: 1))
        #expect(harness.told == ["a as stored"])
        #expect(harness.sent == ["1<2 send b"])
    }

    /// Its first response was lost, and by the second time its parent is on the server. The store knows whether it
    /// waits for that one; if it does not, it has failed.
    @Test func whatWasRefusedBeforeMayHaveWaitedForAnotherMessage() {
        var harness = OutboxHarness()
        harness.create("r", "p")
        harness.fail(1, .noAnswer)
        harness.wait(.seconds(2))
        harness.take(.authenticated)
        harness.wait(.seconds(5))
        harness.answer(2, .late(mark: 2))
        #expect(harness.written.first == "park r")
        #expect(harness.told == ["r as stored"])
        harness.answer(3, accepted())
        #expect(harness.told == ["p delivered"])
    }

    /// It was sent uncharged behind the first one.
    @Test(arguments: [DeliveryOutcome.late(mark: 2), .unrelated(detail: "no such message"), .forbidden])
    func whatTheServerRefusedNeverShowsNoAttempt(_ outcome: DeliveryOutcome) {
        var harness = OutboxHarness()
        harness.create("a", "b")
        harness.answer(1, accepted(), outcome)
        #expect(harness.written.contains("attempt b after 1 #1"))
    }

    @Test func whatIsGivenUpForBeingPutOffNeverShowsNoAttempt() {
        var harness = OutboxHarness { $0.retry.retriesMax = 0 }
        harness.create("a", "b")
        harness.answer(1, accepted(), .busy)
        #expect(harness.written.contains("attempt b after 1 #1"))
        #expect(harness.told.contains("b failed retriesUsedUp"))
    }

    @Test(arguments: [DeliveryOutcome.late(mark: 1), .unrelated(detail: "no such message")])
    func whatMayHaveFailedPausesItsLaneUntilTheStoreSaysOtherwise(_ outcome: DeliveryOutcome) {
        var harness = OutboxHarness { $0.headFailure = .pauseLane }
        harness.create("a")
        harness.create("b")
        harness.answer(1, outcome)
        #expect(harness.sent == [])
        harness.take(.unpaused([id("a")]))
        #expect(harness.sent == ["1<2 send b"])
    }

    /// It waited for another message while a copy of the store was detected, or while the server returned to another
    /// history: its number is a new one, and the server may have it all the same.
    @Test(arguments: [(ordinal: Int64(9), isAsked: true), (ordinal: 10, isAsked: false)])
    func whatGotItsNumberLaterIsAskedAboutIfItIsOlder(ordinal: Int64, isAsked: Bool) {
        let reply = OutboxEntry(
            kind: .send, lane: .text, sequence: 12, ordinal: ordinal, previous: nil, message: id("a"), attempts: 0,
            bytes: 10)
        let lineage = Lineage(opening: OpeningID(UUIDv7(high: 2, low: 2)), openedAt: 5, sharedBelow: 10)
        var harness = OutboxHarness([reply], lineage: lineage)
        harness.fail(1, .badRequest)
        #expect(harness.written == ["fail a refused\(isAsked ? " in doubt" : "")", "fence a at 12"])
        #expect(harness.told == (isAsked ? [] : ["a failed refused"]))
    }

    /// The store's links after it has continued under another id: new numbers in the old order.
    private func forked(_ kinds: KeyValuePairs<String, OutboxEntry.Kind>, from first: Int64) -> OutboxEvent {
        let entries = kinds.enumerated().map { index, link in
            OutboxEntry(
                kind: link.value, lane: .text, sequence: first + Int64(index), previous: nil, message: id(link.key),
                attempts: 0, bytes: link.value == .send ? 10 : 0)
        }
        let other = OutboxID(UUIDv7(high: 1, low: 2))
        return .forked(OutboxSnapshot(outboxID: other, epoch: 1, lastTransmitted: [:], entries: entries))
    }

    @Test func aMarkOfAnotherCopyOfTheStoreIsNotFollowedUnderTheSameNumbers() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.create("b")
        harness.answer(1, .late(mark: 40))
        #expect(harness.written == ["requeue a #0", "fork"])
        #expect(harness.told == [] && harness.sent == [])
        harness.take(forked(["a": .send, "b": .send], from: 41))
        #expect(harness.sent == ["0<41 send a, 41<42 send b"])
        harness.answer(2, accepted(1), accepted(2))
        #expect(harness.told == ["a delivered", "b delivered"])
    }

    /// The store enqueued b before the engine knew of the mark, under a number that is above it.
    @Test func aLaterCreationDoesNotOvertakeWhileTheOutboxContinuesUnderNewNumbers() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.create("m", "n", "o", lane: .media)
        let late = harness.entry("b")
        harness.answer(1, .late(mark: 3))
        harness.take(.enqueued([late]))
        #expect(harness.sent == [])
        harness.take(forked(["a": .send, "b": .send], from: 6))
        #expect(harness.sent == ["0<6 send a, 6<7 send b"])
    }

    @Test func anOutboxThatContinuesUnderNewNumbersKeepsItsQuestionsAndDeletions() {
        var harness = OutboxHarness { $0.retry.retriesMax = 0 }
        harness.create("a", "b")
        harness.fail(1, .serverBusy)
        #expect(harness.sent == ["0<1 fence a, 1<2 send b"])
        harness.take(.enqueued([harness.entry("z", kind: .delete)]))
        harness.answer(2, .fenced, .late(mark: 40))
        #expect(harness.sent == [] && harness.written.last == "fork")
        harness.take(forked(["b": .send, "z": .delete], from: 4))
        #expect(harness.sent == ["0<4 send b, 4<5 delete z"])
    }

    /// Another server than ours may accept what is behind a late copy.
    @Test func whatIsAcceptedBehindAMarkAheadIsDelivered() {
        var harness = OutboxHarness()
        harness.create("a", "b")
        harness.answer(1, .late(mark: 50), accepted(7))
        #expect(harness.written.contains("deliver b") && harness.written.last == "fork")
        #expect(harness.told == ["b delivered"])
    }

    @Test func proofByAnotherWayCountsAsMuchAsTheAnswer() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.fail(1, .noAnswer)
        harness.take(.confirmed(id("a"), place(3)))
        #expect(harness.written == ["deliver a", "fence a at 1"])
        #expect(harness.told == ["a delivered"])
    }

    /// A page lists mostly messages that nothing here waits for.
    @Test func proofForWhatNothingWaitsForChangesNothing() {
        var harness = OutboxHarness()
        harness.create("a")
        let before = harness.outbox
        harness.take(.confirmed(id("z"), place(3)))
        #expect(harness.written == [] && harness.told == [])
        #expect(harness.outbox == before)
    }

    @Test func proofForWhatNeverLeftUnderItsNewNumberLeavesNoHole() {
        var harness = OutboxHarness { $0.retry.retriesMax = 0 }
        harness.create("a")
        harness.fail(1, .noAnswer)
        harness.resend("a")
        harness.create("b")
        harness.take(.confirmed(id("a"), place(3)))
        #expect(harness.told == ["a delivered"])
        harness.wait(.seconds(1))
        harness.take(.authenticated)
        harness.wait(.seconds(1))
        #expect(harness.sent == ["0<1 fence a, 1<3 send b"])
    }

    @Test func aLateAnswerOfAnOldRoundOnlyProves() {
        var harness = OutboxHarness()
        harness.create("a", "b")
        harness.fail(1, .noAnswer)
        harness.wait(.seconds(2))
        harness.take(.authenticated)
        harness.wait(.seconds(5))
        #expect(harness.sent == ["0<1 send a"])
        harness.answer(1, accepted(), .forbidden)
        #expect(harness.told == ["a delivered"])
        #expect(harness.written == ["deliver a", "fence a at 1"])
        harness.fail(1, .badRequest)
        #expect(harness.written == [] && harness.told == [])
        harness.answer(2, accepted())
        #expect(harness.told == [])
        #expect(harness.sent == ["1<2 send b"])
    }
}
