import CausewayModels
import CausewayOutbox
import CausewayStorage
import Testing

/// Deletion at any moment: six different correct results.
@Suite struct DeletionTests {
    @Test func createdItNeverLeaves() {
        var bench = Bench()
        bench.take(.paused)
        bench.create("a", "b")
        bench.delete("a", .created)
        #expect(bench.written == ["delete a"])
        #expect(bench.told == ["a deleted"])
        bench.take(.resumed)
        #expect(bench.sent == ["0<2 send b"])
    }

    @Test func inFlightADeletionFollowsIt() {
        var bench = Bench()
        bench.create("a")
        bench.delete("a", .syncing)
        #expect(bench.written == ["delete a", "retract a at 1"])
        #expect(bench.told == ["a deleted"])
        bench.answer(1, accepted())
        #expect(bench.written == ["done 1", "append delete a"])
        #expect(bench.told == [])
        bench.take(.enqueued([bench.entry("a", kind: .delete)]))
        #expect(bench.sent == ["1<2 delete a"])
        bench.answer(2, .deleted)
        #expect(bench.written == ["done 2"])
        #expect(bench.outbox.depth == 0)
    }

    @Test func inFlightAndRefusedNothingFollows() {
        var bench = Bench()
        bench.create("a")
        bench.delete("a", .syncing)
        bench.answer(1, .forbidden)
        #expect(bench.written == ["done 1"])
        #expect(bench.told == [] && bench.outbox.depth == 0)
    }

    @Test func inDoubtTheServerIsAskedFirst() {
        var bench = Bench()
        bench.create("a")
        bench.create("b")
        bench.fail(1, .noAnswer)
        bench.delete("a", .created)
        #expect(bench.written == ["delete a", "retract a at 1"])
        bench.wait(.seconds(2))
        bench.take(.greeted)
        bench.wait(.seconds(1))
        #expect(bench.sent == ["0<1 retract a, 1<2 send b"], "and nobody waits for the deleted one's pause")
        bench.answer(2, .fenced, accepted())
        #expect(bench.written == ["done 1", "deliver b"])
    }

    /// A copy of the store may deliver it in an outbox of its own, in which the retraction bars nothing.
    @Test func inDoubtAndCopiedItIsDeletedUnderEveryOutboxID() {
        var bench = Bench(lineage: Lineage(opening: OpeningID(UUIDv7(high: 2, low: 2)), sharedBelow: 10))
        bench.create("a")
        bench.fail(1, .noAnswer)
        bench.delete("a", .created)
        #expect(bench.written == ["delete a", "retract a at 1", "append delete a"])
    }

    @Test func failedWithItsVerdictNothingIsSent() {
        var bench = Bench()
        bench.create("a")
        bench.answer(1, .forbidden)
        bench.delete("a", .error)
        #expect(bench.written == ["delete a"])
        #expect(bench.sent == [] && bench.told == [])
    }

    @Test func failedWithTheQuestionStillOpenTheQuestionBecomesARetraction() {
        var bench = Bench { $0.retry.retriesMax = 0 }
        bench.create("a")
        bench.fail(1, .noAnswer)
        bench.delete("a", .error)
        #expect(bench.written == ["delete a", "retract a at 1"])
        #expect(bench.told == ["a as stored"])
        bench.wait(.seconds(1))
        bench.take(.greeted)
        bench.wait(.seconds(1))
        bench.answer(2, accepted())
        #expect(bench.written == ["done 1", "append delete a"])
        #expect(bench.told == [])
    }

    @Test func sentAgainWithTheOldQuestionOpenBothPlacesAreTakenBack() {
        var bench = Bench { $0.retry.retriesMax = 0 }
        bench.create("a")
        bench.fail(1, .noAnswer)
        bench.resend("a")
        bench.wait(.seconds(1))
        bench.take(.greeted)
        bench.wait(.seconds(1))
        #expect(bench.sent == ["0<1 fence a, 1<2 send a"])
        bench.delete("a", .syncing)
        #expect(bench.written == ["delete a", "retract a at 2", "retract a at 1"])
        #expect(bench.told == ["a deleted"])
        bench.answer(2, .fenced, accepted())
        #expect(bench.written == ["done 1", "done 2", "append delete a"])
    }

    @Test func sentAgainButNotYetOnItsWayOnlyTheOldPlaceIsTakenBack() {
        var bench = Bench { $0.retry.retriesMax = 0 }
        bench.create("a")
        bench.fail(1, .noAnswer)
        bench.resend("a")
        bench.delete("a", .created)
        #expect(bench.written == ["delete a", "retract a at 1"])
        bench.wait(.seconds(1))
        bench.take(.greeted)
        bench.wait(.seconds(1))
        #expect(bench.sent == ["0<1 retract a"])
    }

    @Test func syncedADeletionIsSent() {
        var bench = Bench()
        bench.create("a")
        bench.answer(1, accepted())
        bench.delete("a", .synced)
        #expect(bench.written == ["delete a", "append delete a"])
        #expect(bench.told == [])
        bench.take(.enqueued([bench.entry("a", kind: .delete)]))
        #expect(bench.sent == ["1<2 delete a"])
    }

    @Test func aProofAfterTheDeletionBringsNothingBack() {
        var bench = Bench()
        bench.create("a")
        bench.delete("a", .syncing)
        bench.take(.proven(id("a"), place()))
        #expect(bench.written == [] && bench.told == [])
    }

    @Test func manyAreDeletedAtOnce() {
        var bench = Bench()
        bench.create("a")
        bench.create("b", "c", "d")
        bench.take(.deleted([id("b"), id("d"), id("z")]))
        #expect(bench.told == ["b deleted", "d deleted"])
        bench.answer(1, accepted())
        #expect(bench.sent == ["1<3 send c"])
    }
}
