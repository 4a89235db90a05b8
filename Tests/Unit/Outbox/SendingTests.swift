import CausewayModels
import CausewayOutbox
import CausewayStorage
import Testing

/// The order of sending without any failure.
@Suite struct SendingTests {
    @Test func aMessageOnAnIdleLaneLeavesAtOnce() {
        var harness = OutboxHarness()
        harness.create("a")
        #expect(harness.sent == ["0<1 send a"])
        #expect(harness.written == ["attempt a after 0 #1"])
        harness.answer(1, accepted())
        #expect(harness.written == ["deliver a"])
        #expect(harness.told == ["a delivered"])
        #expect(harness.untilDeadline == nil)
    }

    @Test func whatWaitsGoesTogether() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.create("b")
        harness.create("c", "d")
        #expect(harness.sent == [])
        harness.answer(1, accepted(1))
        #expect(harness.sent == ["1<2 send b, 2<3 send c, 3<4 send d"])
        #expect(harness.written.contains("attempt b after 1 #1"))
        #expect(harness.written.contains("attempt c after 2 #0"), "only the first of a round is charged")
    }

    @Test func aRoundIsBoundByCount() {
        var harness = OutboxHarness { $0.batchOperationsMax = 2 }
        harness.create("a", "b", "c")
        #expect(harness.sent == ["0<1 send a, 1<2 send b"])
        harness.answer(1, accepted(1), accepted(2))
        #expect(harness.sent == ["2<3 send c"])
    }

    @Test func aRoundIsBoundByBytes() {
        var harness = OutboxHarness { $0.batchBytesMax = 25 }
        harness.create("a", "b", "c", bytes: 10)
        #expect(harness.sent == ["0<1 send a, 1<2 send b"])
    }

    @Test func oneMessageAloneMayBeLarger() {
        var harness = OutboxHarness { $0.batchBytesMax = 25 }
        harness.create("a", bytes: 100)
        #expect(harness.sent == ["0<1 send a"])
    }

    @Test func lanesDoNotWaitForEachOther() {
        var harness = OutboxHarness()
        harness.create("a", lane: .media)
        harness.create("b", lane: .text)
        #expect(harness.sent == ["0<2 send b"])
        harness.fail(1, .serverBusy)
        harness.answer(2, accepted())
        harness.create("c", lane: .text)
        #expect(harness.sent == ["2<3 send c"])
    }

    @Test func aMessageDeletedBeforeItLeftLeavesNoHole() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.create("b", "c")
        harness.delete("b", .created)
        harness.answer(1, accepted())
        #expect(harness.sent == ["1<3 send c"])
    }

    @Test func theChainGoesOnWhereTheLastRunEnded() {
        var harness = OutboxHarness(lastTransmitted: [.text: 7])
        harness.create("a")
        #expect(harness.sent == ["7<8 send a"])
    }

    @Test func whatTheSnapshotHeldIsNotTakenInTwice() {
        let entry = OutboxEntry(
            kind: .send, lane: .text, sequence: 3, previous: nil, message: id("a"), attempts: 0, bytes: 10)
        var harness = OutboxHarness([entry])
        #expect(harness.sent == ["0<3 send a"])
        harness.take(.enqueued([entry]))
        harness.answer(1, accepted())
        #expect(harness.sent == [])
    }

    @Test func nothingLeavesWithoutASession() {
        var harness = OutboxHarness(isOnline: false)
        harness.create("a")
        harness.wait(.seconds(1000))
        #expect(harness.sent == [] && harness.probes == 0)
        harness.take(.sessionBegan)
        #expect(harness.probes == 1)
        harness.take(.authenticated)
        #expect(harness.sent == ["0<1 send a"])
    }

    @Test func nothingLeavesWhilePaused() {
        var harness = OutboxHarness()
        harness.take(.paused)
        harness.create("a")
        #expect(harness.sent == [])
        harness.take(.resumed)
        #expect(harness.sent == ["0<1 send a"])
    }
}
