import CausewayModels
import CausewayOutbox
import Testing

/// Resending failed messages.
@Suite struct ResendTests {
    @Test func itGoesToTheTailOfItsLane() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.answer(1, .forbidden)
        harness.create("b")
        harness.create("c")
        harness.resend("a")
        #expect(harness.written == ["resend a"])
        harness.answer(2, accepted(1))
        #expect(harness.sent == ["2<3 send c, 3<4 send a"])
        harness.answer(3, accepted(2), accepted(3))
        #expect(harness.told == ["c delivered", "a delivered"])
    }

    @Test func aDoubleClickDoesNothingTwice() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.answer(1, .forbidden)
        harness.resend("a")
        #expect(harness.outbox.mutations(toResend: harness.message("a", .created), at: harness.clock) == [])
        #expect(harness.outbox.mutations(toResend: harness.message("a", .error), at: harness.clock) == [])
    }

    @Test(arguments: [SyncState.created, .syncing, .synced, .uploading])
    func onlyWhatFailedIsSentAgain(state: SyncState) {
        let harness = OutboxHarness()
        #expect(harness.outbox.mutations(toResend: harness.message("a", state), at: harness.clock) == [])
    }

    @Test func itsAttemptsBeginAnew() {
        var harness = OutboxHarness()
        harness.create("a")
        for batch in 1...4 {
            harness.fail(batch, .serverBusy)
            harness.wait(.seconds(5))
        }
        harness.answer(5, .fenced)
        harness.resend("a")
        #expect(harness.written.contains("attempt a after 1 #1"))
    }

    @Test func sentAgainInDoubtAnAcceptedOldCopyIsTheOnlyOne() {
        var harness = OutboxHarness { $0.retry.retriesMax = 0 }
        harness.create("a")
        harness.fail(1, .noAnswer)
        harness.resend("a")
        harness.wait(.seconds(1))
        harness.take(.authenticated)
        harness.wait(.seconds(1))
        #expect(harness.sent == ["0<1 fence a, 1<2 send a"])
        harness.answer(2, accepted(5), accepted(5))
        #expect(harness.told == ["a delivered"])
        #expect(harness.outbox.depth == 0)
    }
}
