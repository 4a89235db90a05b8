import CausewayModels
import CausewayOutbox
import CausewayStorage
import Testing

/// The order of sending without any failure.
@Suite struct SendingTests {
    @Test func aMessageOnAnIdleLaneLeavesAtOnce() {
        var bench = Bench()
        bench.create("a")
        #expect(bench.sent == ["0<1 send a"])
        #expect(bench.written == ["attempt a after 0 #1"])
        bench.answer(1, accepted())
        #expect(bench.written == ["deliver a"])
        #expect(bench.told == ["a delivered"])
        #expect(bench.untilDeadline == nil)
    }

    @Test func whatWaitsGoesTogether() {
        var bench = Bench()
        bench.create("a")
        bench.create("b")
        bench.create("c", "d")
        #expect(bench.sent == [])
        bench.answer(1, accepted(1))
        #expect(bench.sent == ["1<2 send b, 2<3 send c, 3<4 send d"])
        #expect(bench.written.contains("attempt b after 1 #1"))
        #expect(bench.written.contains("attempt c after 2 #0"), "only the first of a round is charged")
    }

    @Test func aRoundIsBoundByCount() {
        var bench = Bench { $0.batchOperationsMax = 2 }
        bench.create("a", "b", "c")
        #expect(bench.sent == ["0<1 send a, 1<2 send b"])
        bench.answer(1, accepted(1), accepted(2))
        #expect(bench.sent == ["2<3 send c"])
    }

    @Test func aRoundIsBoundByBytes() {
        var bench = Bench { $0.batchBytesMax = 25 }
        bench.create("a", "b", "c", bytes: 10)
        #expect(bench.sent == ["0<1 send a, 1<2 send b"])
    }

    @Test func oneMessageAloneMayBeLarger() {
        var bench = Bench { $0.batchBytesMax = 25 }
        bench.create("a", bytes: 100)
        #expect(bench.sent == ["0<1 send a"])
    }

    @Test func lanesDoNotWaitForEachOther() {
        var bench = Bench()
        bench.create("a", lane: .media)
        bench.create("b", lane: .text)
        #expect(bench.sent == ["0<2 send b"])
        bench.fail(1, .serverBusy)
        bench.answer(2, accepted())
        bench.create("c", lane: .text)
        #expect(bench.sent == ["2<3 send c"])
    }

    @Test func aMessageDeletedBeforeItLeftLeavesNoHole() {
        var bench = Bench()
        bench.create("a")
        bench.create("b", "c")
        bench.delete("b", .created)
        bench.answer(1, accepted())
        #expect(bench.sent == ["1<3 send c"])
    }

    @Test func theChainGoesOnWhereTheLastRunEnded() {
        var bench = Bench(lastTransmitted: [.text: 7])
        bench.create("a")
        #expect(bench.sent == ["7<8 send a"])
    }

    @Test func whatTheSnapshotHeldIsNotTakenInTwice() {
        let entry = OutboxEntry(
            kind: .send, lane: .text, sequence: 3, previous: nil, message: id("a"), attempts: 0, bytes: 10)
        var bench = Bench([entry])
        #expect(bench.sent == ["0<3 send a"])
        bench.take(.enqueued([entry]))
        bench.answer(1, accepted())
        #expect(bench.sent == [])
    }

    @Test func nothingLeavesWithoutASession() {
        var bench = Bench(isOnline: false)
        bench.create("a")
        bench.wait(.seconds(1000))
        #expect(bench.sent == [] && bench.probes == 0)
        bench.take(.sessionBegan)
        #expect(bench.probes == 1)
        bench.take(.greeted)
        #expect(bench.sent == ["0<1 send a"])
    }

    @Test func nothingLeavesWhilePaused() {
        var bench = Bench()
        bench.take(.paused)
        bench.create("a")
        #expect(bench.sent == [])
        bench.take(.resumed)
        #expect(bench.sent == ["0<1 send a"])
    }
}
