import CausewayModels
import CausewayOutbox
import CausewayStorage
import Testing

/// Deletion at any moment: six different correct results.
@Suite struct DeletionTests {
    @Test func createdItNeverLeaves() {
        var harness = OutboxHarness()
        harness.take(.paused)
        harness.create("a", "b")
        harness.delete("a", .created)
        #expect(harness.written == ["delete a"])
        #expect(harness.told == ["a deleted"])
        harness.take(.resumed)
        #expect(harness.sent == ["0<2 send b"])
    }

    @Test func inFlightADeletionFollowsIt() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.delete("a", .syncing)
        #expect(harness.written == ["delete a", "retract a at 1"])
        #expect(harness.told == ["a deleted"])
        harness.answer(1, accepted())
        #expect(harness.written == ["done 1", "append delete a"])
        #expect(harness.told == [])
        harness.take(.enqueued([harness.entry("a", kind: .delete)]))
        #expect(harness.sent == ["1<2 delete a"])
        harness.answer(2, .deleted)
        #expect(harness.written == ["done 2"])
        #expect(harness.outbox.depth == 0)
    }

    @Test func inFlightAndRefusedNothingFollows() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.delete("a", .syncing)
        harness.answer(1, .forbidden)
        #expect(harness.written == ["done 1"])
        #expect(harness.told == [] && harness.outbox.depth == 0)
    }

    @Test func inDoubtTheServerIsAskedFirst() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.create("b")
        harness.fail(1, .noAnswer)
        harness.delete("a", .created)
        #expect(harness.written == ["delete a", "retract a at 1"])
        harness.wait(.seconds(2))
        harness.take(.authenticated)
        harness.wait(.seconds(1))
        #expect(harness.sent == ["0<1 retract a, 1<2 send b"], "and nobody waits for the deleted one's pause")
        harness.answer(2, .fenced, accepted())
        #expect(harness.written == ["done 1", "deliver b"])
    }

    /// A copy of the store may deliver it in an outbox of its own, in which the retraction bars nothing.
    @Test func inDoubtAndCopiedItIsDeletedUnderEveryOutboxID() {
        var harness = OutboxHarness(lineage: Lineage(opening: OpeningID(UUIDv7(high: 2, low: 2)), sharedBelow: 10))
        harness.create("a")
        harness.fail(1, .noAnswer)
        harness.delete("a", .created)
        #expect(harness.written == ["delete a", "retract a at 1", "append delete a"])
    }

    /// Only the server knows whether a copy of the store, or a history that it lost, delivered the reply.
    @Test(arguments: [(ordinal: Int64(9), isDecidedHere: false), (ordinal: 10, isDecidedHere: true)])
    func aReplyThatMayBeElsewhereIsLeftToTheServer(ordinal: Int64, isDecidedHere: Bool) throws {
        let harness = OutboxHarness(lineage: Lineage(opening: OpeningID(UUIDv7(high: 2, low: 2)), sharedBelow: 10))
        let parent = harness.message("a", .error)
        let reply = QueuedOperation(
            id: id("b"), channel: parent.channel, sender: parent.sender,
            payload: .create(.text("b"), parent: parent.id), createdAt: parent.createdAt,
            ordinal: ordinal,
            delivery: DeliveryProgress(lane: .text, laneSequence: 0, queuedAt: parent.createdAt))
        let plan = harness.outbox.deletion(of: .message(parent), with: [reply], by: .api, at: harness.clock)
        let isFailed = plan.mutations.contains { if case .fail(reply.id, _, _) = $0 { true } else { false } }
        #expect(isFailed == isDecidedHere)
        #expect(plan.ended.contains(reply.id) == isDecidedHere)
    }

    @Test(arguments: [
        (OperationPayload.edit(id("a"), .text("b")), DeleteAction.Kind.edit),
        (.addReaction(id("a"), name: "like"), .addReaction), (.removeReaction(id("a"), name: "like"), .removeReaction),
    ])
    func aDeletionSaysWhatWasDeleted(_ payload: OperationPayload, _ kind: DeleteAction.Kind) {
        let harness = OutboxHarness()
        let message = harness.message("a", .error)
        let operation = QueuedOperation(
            id: id("b"), channel: message.channel, sender: message.sender, payload: payload,
            createdAt: message.createdAt, ordinal: 2,
            delivery: DeliveryProgress(lane: .operations, laneSequence: 2, queuedAt: message.createdAt))
        let items: [(StoredItem, DeleteAction.Kind, MessageID?)] = [
            (.operation(operation), kind, message.id), (.message(message), .message, nil),
        ]
        for (item, kind, target) in items {
            let plan = harness.outbox.deletion(of: item, with: [], by: .cli, at: harness.clock)
            let recorded = plan.mutations.compactMap { if case .recordDelete(let action) = $0 { action } else { nil } }
            #expect(recorded.map(\.message) == [item.id])
            #expect(recorded.map(\.kind) == [kind] && recorded.map(\.target) == [target])
        }
    }

    @Test func failedWithItsVerdictNothingIsSent() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.answer(1, .forbidden)
        harness.delete("a", .error)
        #expect(harness.written == ["delete a"])
        #expect(harness.sent == [] && harness.told == [])
    }

    @Test func failedWithTheQuestionStillOpenTheQuestionBecomesARetraction() {
        var harness = OutboxHarness { $0.retry.retriesMax = 0 }
        harness.create("a")
        harness.fail(1, .noAnswer)
        harness.delete("a", .error)
        #expect(harness.written == ["delete a", "retract a at 1"])
        #expect(harness.told == ["a as stored"])
        harness.wait(.seconds(1))
        harness.take(.authenticated)
        harness.wait(.seconds(1))
        harness.answer(2, accepted())
        #expect(harness.written == ["done 1", "append delete a"])
        #expect(harness.told == [])
    }

    @Test func sentAgainWithTheOldQuestionOpenBothPlacesAreTakenBack() {
        var harness = OutboxHarness { $0.retry.retriesMax = 0 }
        harness.create("a")
        harness.fail(1, .noAnswer)
        harness.resend("a")
        harness.wait(.seconds(1))
        harness.take(.authenticated)
        harness.wait(.seconds(1))
        #expect(harness.sent == ["0<1 fence a, 1<2 send a"])
        harness.delete("a", .syncing)
        #expect(harness.written == ["delete a", "retract a at 2", "retract a at 1"])
        #expect(harness.told == ["a deleted"])
        harness.answer(2, .fenced, accepted())
        #expect(harness.written == ["done 1", "done 2", "append delete a"])
    }

    @Test func sentAgainButNotYetOnItsWayOnlyTheOldPlaceIsTakenBack() {
        var harness = OutboxHarness { $0.retry.retriesMax = 0 }
        harness.create("a")
        harness.fail(1, .noAnswer)
        harness.resend("a")
        harness.delete("a", .created)
        #expect(harness.written == ["delete a", "retract a at 1"])
        harness.wait(.seconds(1))
        harness.take(.authenticated)
        harness.wait(.seconds(1))
        #expect(harness.sent == ["0<1 retract a"])
    }

    @Test func syncedADeletionIsSent() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.answer(1, accepted())
        harness.delete("a", .synced)
        #expect(harness.written == ["delete a", "append delete a"])
        #expect(harness.told == [])
        harness.take(.enqueued([harness.entry("a", kind: .delete)]))
        #expect(harness.sent == ["1<2 delete a"])
    }

    @Test func aProofAfterTheDeletionBringsNothingBack() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.delete("a", .syncing)
        harness.take(.confirmed(id("a"), place()))
        #expect(harness.written == [] && harness.told == [])
    }

    @Test func manyAreDeletedAtOnce() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.create("b", "c", "d")
        harness.take(.deleted([id("b"), id("d"), id("z")]))
        #expect(harness.told == ["b deleted", "d deleted"])
        harness.answer(1, accepted())
        #expect(harness.sent == ["1<3 send c"])
    }
}
