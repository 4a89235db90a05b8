import CausewayModels
import CausewayOutbox
import Testing

/// Resending failed messages.
@Suite struct ResendTests {
    @Test func itGoesToTheTailOfItsLane() {
        var bench = Bench()
        bench.create("a")
        bench.answer(1, .forbidden)
        bench.create("b")
        bench.create("c")
        bench.resend("a")
        #expect(bench.written == ["resend a"])
        bench.answer(2, accepted(1))
        #expect(bench.sent == ["2<3 send c, 3<4 send a"])
        bench.answer(3, accepted(2), accepted(3))
        #expect(bench.told == ["c delivered", "a delivered"])
    }

    @Test func aDoubleClickDoesNothingTwice() {
        var bench = Bench()
        bench.create("a")
        bench.answer(1, .forbidden)
        bench.resend("a")
        #expect(bench.outbox.mutations(toResend: bench.message("a", .created), at: bench.moment) == [])
        #expect(bench.outbox.mutations(toResend: bench.message("a", .error), at: bench.moment) == [])
    }

    @Test(arguments: [SyncState.created, .syncing, .synced, .uploading])
    func onlyWhatFailedIsSentAgain(state: SyncState) {
        let bench = Bench()
        #expect(bench.outbox.mutations(toResend: bench.message("a", state), at: bench.moment) == [])
    }

    @Test func itsAttemptsBeginAnew() {
        var bench = Bench()
        bench.create("a")
        for round in 1...4 {
            bench.fail(round, .serverBusy)
            bench.wait(.seconds(5))
        }
        bench.answer(5, .fenced)
        bench.resend("a")
        #expect(bench.written.contains("attempt a after 1 #1"))
    }

    @Test func sentAgainInDoubtAnAcceptedOldCopyIsTheOnlyOne() {
        var bench = Bench { $0.retry.retriesMax = 0 }
        bench.create("a")
        bench.fail(1, .noAnswer)
        bench.resend("a")
        bench.wait(.seconds(1))
        bench.take(.greeted)
        bench.wait(.seconds(1))
        #expect(bench.sent == ["0<1 fence a, 1<2 send a"])
        bench.answer(2, accepted(5), accepted(5))
        #expect(bench.told == ["a delivered"])
        #expect(bench.outbox.depth == 0)
    }
}
