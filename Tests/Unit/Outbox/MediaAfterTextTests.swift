import CausewayModels
import CausewayOutbox
import CausewayStorage
import Testing

/// `mediaAfterText`: media waits for every earlier link of the text lane; text waits for nothing.
@Suite struct MediaAfterTextTests {
    private func harness(
        _ entries: [OutboxEntry] = [], lastTransmitted: [LaneID: Int64] = [:],
        _ configure: (inout OutboxConfiguration) -> Void = { _ in }
    ) -> OutboxHarness {
        OutboxHarness(entries, lastTransmitted: lastTransmitted) {
            $0.precedence = OrderingPolicy.mediaAfterText.precedence
            configure(&$0)
        }
    }

    @Test func mediaLeavesAsSoonAsTheTextBeforeItIsAccepted() {
        var harness = harness()
        harness.create("a")
        harness.create("m", lane: .media)
        #expect(harness.sent == [])
        harness.answer(1, accepted())
        #expect(harness.sent == ["0<2 send m"])
    }

    @Test func underTheDocumentedOrderItDoesNotWait() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.create("m", lane: .media)
        #expect(harness.sent == ["0<2 send m"])
    }

    @Test func textNeverWaitsForMedia() {
        var harness = harness()
        harness.create("m", lane: .media)
        harness.create("a")
        #expect(harness.sent == ["0<2 send a"])
        harness.fail(1, .serverBusy)
        harness.answer(2, accepted())
        harness.create("b")
        #expect(harness.sent == ["2<3 send b"])
    }

    @Test func mediaDoesNotWaitForLaterText() {
        var harness = harness()
        harness.create("a")
        harness.create("m", lane: .media)
        harness.create("b")
        harness.create("n", lane: .media)
        harness.answer(1, accepted())
        #expect(harness.sent == ["1<3 send b", "0<2 send m"])
        harness.answer(3, accepted())
        #expect(harness.sent == [])
        harness.answer(2, accepted())
        #expect(harness.sent == ["2<4 send n"])
    }

    @Test func aRunOfMediaEndsWhereATextStandsBetween() {
        var harness = harness()
        harness.take(.paused)
        harness.create("m", "n", lane: .media)
        harness.create("a")
        harness.create("o", lane: .media)
        harness.take(.resumed)
        #expect(harness.sent == ["0<1 send m, 1<2 send n", "0<3 send a"])
    }

    @Test func mediaIsHeldUpByTheTextsPauseAndByItsQuestion() {
        var harness = harness { $0.retry.retriesMax = 1 }
        harness.create("a")
        harness.create("m", lane: .media)
        harness.fail(1, .serverBusy)
        #expect(harness.sent == [])
        harness.wait(.seconds(5))
        harness.fail(2, .serverBusy)
        #expect(harness.told == ["a failed retriesUsedUp"])
        #expect(harness.sent == ["0<1 fence a"], "what became of it is not known yet")
        harness.answer(3, .fenced)
        #expect(harness.sent == ["0<2 send m"])
    }

    @Test func aRefusedTextHoldsUpNothing() {
        var harness = harness()
        harness.create("a")
        harness.create("m", lane: .media)
        harness.answer(1, .forbidden)
        #expect(harness.sent == ["0<2 send m"])
    }

    @Test func aDeletedTextHoldsUpNothing() {
        var harness = harness()
        harness.create("a")
        harness.create("b")
        harness.create("m", lane: .media)
        harness.answer(1, .busy)
        harness.delete("b", .created)
        harness.delete("a", .created)
        #expect(harness.sent == ["0<1 retract a"])
        harness.answer(2, .fenced)
        #expect(harness.sent == ["0<3 send m"])
    }

    @Test func aTextThatIsSentAgainStandsBehindTheMediaThatWaits() {
        var harness = harness()
        harness.create("a")
        harness.answer(1, .forbidden)
        harness.create("b")
        harness.create("m", lane: .media)
        harness.resend("a")
        harness.answer(2, accepted())
        #expect(harness.sent == ["2<4 send a", "0<3 send m"])
    }

    @Test func questionsAndDeletionsOfMediaDoNotWait() {
        var harness = harness { $0.retry.retriesMax = 0 }
        harness.create("m", lane: .media)
        harness.create("a")
        harness.fail(1, .serverBusy)
        #expect(harness.sent == ["0<1 fence m"])
        harness.answer(3, .fenced)
        harness.take(.enqueued([harness.entry("z", .media, kind: .delete)]))
        #expect(harness.sent == ["1<3 delete z"])
    }

    @Test func theyWaitAfterARestartAsBefore() {
        let entries = [
            OutboxEntry(
                kind: .send, lane: .text, sequence: 1, previous: 0, message: id("a"), attempts: 1, bytes: 10),
            OutboxEntry(
                kind: .send, lane: .media, sequence: 2, previous: nil, message: id("m"), attempts: 0, bytes: 10),
        ]
        var harness = harness(entries, lastTransmitted: [.text: 1])
        #expect(harness.sent == ["0<1 send a"])
        harness.answer(1, accepted())
        #expect(harness.sent == ["0<2 send m"])
    }

    @Test func proofByAnotherWayLetsMediaGo() {
        var harness = harness()
        harness.create("a")
        harness.create("m", lane: .media)
        harness.fail(1, .serverBusy)
        harness.take(.confirmed(id("a"), place()))
        #expect(harness.sent == ["0<1 fence a"])
        harness.answer(2, accepted())
        #expect(harness.sent == ["0<2 send m"])
    }

    @Test func itSaysWhatItWaitsFor() {
        var harness = harness()
        harness.create("a")
        harness.create("m", lane: .media)
        harness.create("n", lane: .media)
        #expect(harness.waitReason("m") == .behindLane(.text, id("a")))
        #expect(harness.waitReason("n") == .behind(id("m")))
        #expect(harness.waitReason("m")?.description == "behind message \(id("a")) of the text lane")
        let media = harness.outbox.lanesInWords(at: harness.clock).first { $0.lane == .media }
        #expect(media?.wait == .behindLane(.text, id("a")))
        harness.answer(1, accepted())
        #expect(harness.waitReason("n") == .inFlight(since: Timestamp(milliseconds: 0)))
    }

    @Test func aPauseOfTheMediaLaneThatEndsMeanwhileAsksForNoMoreDeadlines() {
        var harness = harness()
        harness.create("m", lane: .media)
        harness.create("a")
        harness.fail(1, .serverBusy)
        harness.create("n", lane: .media)
        harness.wait(.seconds(5))
        #expect(harness.sent == ["0<1 send m"])
        harness.answer(3, accepted())
        harness.wait(.seconds(60))
        #expect(harness.sent == [] && harness.untilDeadline == nil)
        harness.answer(2, accepted())
        #expect(harness.sent == ["1<3 send n"])
    }
}
