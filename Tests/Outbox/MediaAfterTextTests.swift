import CausewayModels
import CausewayOutbox
import CausewayStorage
import Testing

/// `mediaAfterText`: media waits for every earlier link of the text lane; text waits for nothing.
@Suite struct MediaAfterTextTests {
    private func bench(
        _ entries: [OutboxEntry] = [], lastTransmitted: [LaneID: Int64] = [:],
        _ configure: (inout OutboxConfiguration) -> Void = { _ in }
    ) -> Bench {
        Bench(entries, lastTransmitted: lastTransmitted) {
            $0.precedence = OrderingPolicy.mediaAfterText.precedence
            configure(&$0)
        }
    }

    @Test func mediaLeavesAsSoonAsTheTextBeforeItIsAccepted() {
        var bench = bench()
        bench.create("a")
        bench.create("m", lane: .media)
        #expect(bench.sent == [])
        bench.answer(1, accepted())
        #expect(bench.sent == ["0<2 send m"])
    }

    @Test func underTheDocumentedOrderItDoesNotWait() {
        var bench = Bench()
        bench.create("a")
        bench.create("m", lane: .media)
        #expect(bench.sent == ["0<2 send m"])
    }

    @Test func textNeverWaitsForMedia() {
        var bench = bench()
        bench.create("m", lane: .media)
        bench.create("a")
        #expect(bench.sent == ["0<2 send a"])
        bench.fail(1, .serverBusy)
        bench.answer(2, accepted())
        bench.create("b")
        #expect(bench.sent == ["2<3 send b"])
    }

    @Test func mediaDoesNotWaitForLaterText() {
        var bench = bench()
        bench.create("a")
        bench.create("m", lane: .media)
        bench.create("b")
        bench.create("n", lane: .media)
        bench.answer(1, accepted())
        #expect(bench.sent == ["1<3 send b", "0<2 send m"])
        bench.answer(3, accepted())
        #expect(bench.sent == [])
        bench.answer(2, accepted())
        #expect(bench.sent == ["2<4 send n"])
    }

    @Test func aRunOfMediaEndsWhereATextStandsBetween() {
        var bench = bench()
        bench.take(.paused)
        bench.create("m", "n", lane: .media)
        bench.create("a")
        bench.create("o", lane: .media)
        bench.take(.resumed)
        #expect(bench.sent == ["0<1 send m, 1<2 send n", "0<3 send a"])
    }

    @Test func mediaIsHeldUpByTheTextsPauseAndByItsQuestion() {
        var bench = bench { $0.retry.retriesMax = 1 }
        bench.create("a")
        bench.create("m", lane: .media)
        bench.fail(1, .serverBusy)
        #expect(bench.sent == [])
        bench.wait(.seconds(5))
        bench.fail(2, .serverBusy)
        #expect(bench.told == ["a failed retriesUsedUp"])
        #expect(bench.sent == ["0<1 fence a"], "what became of it is not known yet")
        bench.answer(3, .fenced)
        #expect(bench.sent == ["0<2 send m"])
    }

    @Test func aRefusedTextHoldsUpNothing() {
        var bench = bench()
        bench.create("a")
        bench.create("m", lane: .media)
        bench.answer(1, .forbidden)
        #expect(bench.sent == ["0<2 send m"])
    }

    @Test func aDeletedTextHoldsUpNothing() {
        var bench = bench()
        bench.create("a")
        bench.create("b")
        bench.create("m", lane: .media)
        bench.answer(1, .busy)
        bench.delete("b", .created)
        bench.delete("a", .created)
        #expect(bench.sent == ["0<1 retract a"])
        bench.answer(2, .fenced)
        #expect(bench.sent == ["0<3 send m"])
    }

    @Test func aTextThatIsSentAgainStandsBehindTheMediaThatWaits() {
        var bench = bench()
        bench.create("a")
        bench.answer(1, .forbidden)
        bench.create("b")
        bench.create("m", lane: .media)
        bench.resend("a")
        bench.answer(2, accepted())
        #expect(bench.sent == ["2<4 send a", "0<3 send m"])
    }

    @Test func questionsAndDeletionsOfMediaDoNotWait() {
        var bench = bench { $0.retry.retriesMax = 0 }
        bench.create("m", lane: .media)
        bench.create("a")
        bench.fail(1, .serverBusy)
        #expect(bench.sent == ["0<1 fence m"])
        bench.answer(3, .fenced)
        bench.take(.enqueued([bench.entry("z", .media, kind: .delete)]))
        #expect(bench.sent == ["1<3 delete z"])
    }

    @Test func theyWaitAfterARestartAsBefore() {
        let entries = [
            OutboxEntry(
                kind: .send, lane: .text, sequence: 1, previous: 0, message: id("a"), attempts: 1, bytes: 10),
            OutboxEntry(
                kind: .send, lane: .media, sequence: 2, previous: nil, message: id("m"), attempts: 0, bytes: 10),
        ]
        var bench = bench(entries, lastTransmitted: [.text: 1])
        #expect(bench.sent == ["0<1 send a"])
        bench.answer(1, accepted())
        #expect(bench.sent == ["0<2 send m"])
    }

    @Test func proofByAnotherWayLetsMediaGo() {
        var bench = bench()
        bench.create("a")
        bench.create("m", lane: .media)
        bench.fail(1, .serverBusy)
        bench.take(.proven(id("a"), place()))
        #expect(bench.sent == ["0<1 fence a"])
        bench.answer(2, accepted())
        #expect(bench.sent == ["0<2 send m"])
    }

    @Test func itSaysWhatItWaitsFor() {
        var bench = bench()
        bench.create("a")
        bench.create("m", lane: .media)
        bench.create("n", lane: .media)
        #expect(bench.waitReason("m") == .behindLane(.text, id("a")))
        #expect(bench.waitReason("n") == .behind(id("m")))
        #expect(bench.waitReason("m")?.description == "behind message \(id("a")) of the text lane")
        let media = bench.outbox.lanesInWords(at: bench.moment).first { $0.lane == .media }
        #expect(media?.wait == .behindLane(.text, id("a")))
        bench.answer(1, accepted())
        #expect(bench.waitReason("n") == .inFlight(since: Timestamp(milliseconds: 0)))
    }

    @Test func aPauseOfTheMediaLaneThatEndsMeanwhileAsksForNoMoreDeadlines() {
        var bench = bench()
        bench.create("m", lane: .media)
        bench.create("a")
        bench.fail(1, .serverBusy)
        bench.create("n", lane: .media)
        bench.wait(.seconds(5))
        #expect(bench.sent == ["0<1 send m"])
        bench.answer(3, accepted())
        bench.wait(.seconds(60))
        #expect(bench.sent == [] && bench.untilDeadline == nil)
        bench.answer(2, accepted())
        #expect(bench.sent == ["1<3 send n"])
    }
}
