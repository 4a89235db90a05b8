import CausewayModels
import CausewayOutbox
import CausewayStorage
import Testing

/// The result of an edit or a reaction, for every state of its message.
@Suite struct OperationTests {
    private let harness = OutboxHarness()

    private func changes(
        _ request: Outbox.OperationRequest, on message: Message, with operations: [QueuedOperation] = []
    ) -> [String] {
        let changes = harness.outbox.changes(for: request, on: message, with: operations) { payload in
            OperationDraft(
                id: id("z"), channel: message.channel, sender: message.sender, payload: payload,
                createdAt: message.createdAt, lane: .operations)
        }
        return changes.mutations.map { mutation in
            switch mutation {
            case .rewrite(let id, _): "rewrite \(id.name)"
            case .enqueue(let draft): "enqueue \(draft.payload.name)"
            case .delete(let id): "delete \(id.name)"
            default: "\(mutation)"
            }
        }
    }

    /// An operation on message `a`.
    private func operation(
        _ name: String, _ payload: OperationPayload, _ state: SyncState = .created, isSent: Bool = false
    ) -> QueuedOperation {
        let message = harness.message("a", .created)
        return QueuedOperation(
            id: id(name), channel: message.channel, sender: message.sender, payload: payload,
            createdAt: message.createdAt, ordinal: 2,
            delivery: DeliveryProgress(
                syncState: state, lane: .operations, laneSequence: isSent ? 5 : 0,
                previousSequence: isSent ? 0 : nil,
                queuedAt: message.createdAt))
    }

    private func message(_ state: SyncState, isSent: Bool = false, isInDoubt: Bool = false) -> Message {
        let message = harness.message("a", state)
        return Message(
            id: message.id, channel: message.channel, sender: message.sender, content: .text("old"),
            createdAt: message.createdAt, ordinal: 1, lane: .text, laneSequence: 1, syncState: state,
            isInDoubt: isInDoubt, previousSequence: isSent ? 0 : nil)
    }

    @Test func onlyWhatCannotBeElsewhereIsRewritten() {
        let edit = Outbox.OperationRequest.edit(.text("new"))
        #expect(changes(edit, on: message(.created)) == ["rewrite a"])
        #expect(changes(edit, on: message(.created, isSent: true)) == ["enqueue edit"])
        #expect(changes(edit, on: message(.created, isInDoubt: true)) == ["enqueue edit"])
        #expect(changes(edit, on: message(.syncing, isSent: true)) == ["enqueue edit"])
        #expect(changes(edit, on: message(.error, isSent: true)) == ["rewrite a"])
        #expect(changes(edit, on: message(.error, isSent: true, isInDoubt: true)) == ["enqueue edit"])
        #expect(changes(edit, on: message(.synced, isSent: true)) == ["enqueue edit"])
        #expect(changes(.edit(.text("old")), on: message(.synced)) == [])
    }

    @Test func theLastEditWins() {
        let edit = Outbox.OperationRequest.edit(.text("new"))
        let waiting = operation("e", .edit(id("a"), .text("x")))
        let sent = operation("e", .edit(id("a"), .text("x")), .syncing, isSent: true)
        let failed = operation("f", .edit(id("a"), .text("x")), .error, isSent: true)
        #expect(changes(edit, on: message(.synced), with: [waiting]) == ["rewrite e"])
        #expect(changes(edit, on: message(.synced), with: [sent]) == ["enqueue edit"])
        #expect(changes(edit, on: message(.synced), with: [failed]) == ["delete f", "enqueue edit"])
    }

    @Test func oppositeReactionsCancelAndRepeatsDoNothing() {
        let added = operation("r", .addReaction(id("a"), name: "wave"))
        let addedAndSent = operation("r", .addReaction(id("a"), name: "wave"), .syncing, isSent: true)
        let removed = operation("s", .removeReaction(id("a"), name: "wave"))
        var shown = message(.synced)
        shown.displayed.react(with: "wave", isAdded: true)
        let add = Outbox.OperationRequest.react("wave", isAdded: true)
        let remove = Outbox.OperationRequest.react("wave", isAdded: false)
        #expect(changes(add, on: message(.synced)) == ["enqueue addReaction"])
        #expect(changes(add, on: shown, with: [added]) == [])
        #expect(changes(remove, on: shown, with: [added]) == ["delete r"])
        #expect(changes(remove, on: shown, with: [addedAndSent]) == ["enqueue removeReaction"])
        #expect(changes(add, on: message(.synced), with: [removed]) == ["delete s"])
        #expect(changes(remove, on: message(.synced)) == [])
        // Another reaction is independent.
        #expect(changes(.react("+1", isAdded: true), on: shown, with: [added]) == ["enqueue addReaction"])
    }

    @Test func aMessageWithAQuestionOpenIsNotRewritten() {
        var harness = OutboxHarness()
        harness.create("a")
        harness.fail(1, .noAnswer)
        harness.take(.authenticated)
        harness.wait(.seconds(60))
        for batch in 2...4 {
            harness.fail(batch, .noAnswer)
            harness.take(.authenticated)
            harness.wait(.seconds(60))
        }
        // Failed in doubt: the fence is under way.
        let changes = harness.outbox.changes(
            for: .edit(.text("new")), on: message(.error, isSent: true), with: []
        ) { payload in
            OperationDraft(
                id: id("z"), channel: message(.error).channel, sender: message(.error).sender,
                payload: payload,
                createdAt: Timestamp(milliseconds: 0), lane: .operations)
        }
        guard case .enqueue = changes.mutations.first else {
            Issue.record("rewritten: \(changes)")
            return
        }
    }

    @Test func deletionTakesAlongWhatHasNotLeft() {
        let sent = operation("r", .addReaction(id("a"), name: "wave"), .syncing, isSent: true)
        let waiting = operation("e", .edit(id("a"), .text("x")))
        let reply = operation("p", .create(.text("re"), parent: id("a")))
        let changes = harness.outbox.deletion(
            of: .message(message(.error)), with: [sent, waiting, reply], by: .api, at: harness.clock)
        #expect(changes.removedUnsent == [id("e"), id("a")])
        #expect(changes.ended == [id("p")])
    }

    // MARK: - Overtaken ones

    private func isResent(
        _ operation: QueuedOperation, _ others: [QueuedOperation] = [], on target: Message? = nil
    ) -> [String] {
        harness.outbox.changes(
            toResend: operation, on: target ?? message(.synced), with: [operation] + others, at: harness.clock
        ).mutations.map {
            switch $0 {
            case .resend(let id, at: _): "resend \(id.name)"
            case .delete(let id): "delete \(id.name)"
            default: "\($0)"
            }
        }
    }

    private func later(_ name: String, _ payload: OperationPayload, _ state: SyncState)
        -> QueuedOperation
    {
        let first = operation(name, payload, state, isSent: true)
        return QueuedOperation(
            id: first.id, channel: first.channel, sender: first.sender, payload: payload,
            createdAt: first.createdAt,
            ordinal: 9,
            delivery: DeliveryProgress(
                syncState: state, lane: .operations, laneSequence: 9, previousSequence: 5,
                queuedAt: first.createdAt))
    }

    @Test func anEditThatALaterOneReplacesIsNotResent() {
        let failed = operation("e", .edit(id("a"), .text("x")), .error, isSent: true)
        #expect(isResent(failed) == ["resend e"])
        for state in [SyncState.created, .syncing, .error] {
            #expect(isResent(failed, [later("f", .edit(id("a"), .text("y")), state)]) == ["delete e"])
        }
        // A reaction replaces no edit.
        #expect(
            isResent(failed, [later("r", .addReaction(id("a"), name: "y"), .syncing)]) == ["resend e"])
    }

    @Test func anEditThatTheServerTookALaterOneOfIsNotResent() {
        let failed = operation("e", .edit(id("a"), .text("x")), .error, isSent: true)
        var target = message(.synced)
        target.displayed.clock.edit = VersionClock.Stamp(at: Timestamp(milliseconds: 1), sequence: 6)
        #expect(isResent(failed, on: target) == ["delete e"])
        target.displayed.clock.edit = VersionClock.Stamp(at: Timestamp(milliseconds: 1), sequence: 4)
        #expect(isResent(failed, on: target) == ["resend e"], "that one was wanted before")
    }

    @Test func aReactionThatWasTakenBackDoesNotReturn() {
        let failed = operation("r", .addReaction(id("a"), name: "wave"), .error, isSent: true)
        var target = message(.synced)
        target.displayed.clock.reactions["wave"] = VersionClock.Stamp(at: Timestamp(milliseconds: 1), sequence: 6)
        #expect(isResent(failed, on: target) == ["delete r"])
        #expect(
            isResent(failed, [later("s", .removeReaction(id("a"), name: "wave"), .syncing)]) == [
                "delete r"
            ])
        #expect(
            isResent(failed, [later("s", .removeReaction(id("a"), name: "+1"), .syncing)]) == ["resend r"]
        )
    }

    @Test func whatIsInDoubtIsNeitherResentNorGoneBeforeItsVerdict() {
        var failed = operation("e", .edit(id("a"), .text("x")), .error, isSent: true)
        failed.isInDoubt = true
        #expect(isResent(failed, [later("f", .edit(id("a"), .text("y")), .syncing)]) == [])
        #expect(isResent(failed) == ["resend e"])
    }

    /// The server may have an operation that failed in doubt: the last request follows it, even if it equals the
    /// displayed state.
    @Test func theLastWordFollowsWhatFailedInDoubt() {
        var edit = operation("e", .edit(id("a"), .text("x")), .error, isSent: true)
        edit.isInDoubt = true
        #expect(changes(.edit(.text("old")), on: message(.synced), with: [edit]) == ["enqueue edit"])
        var added = operation("r", .addReaction(id("a"), name: "wave"), .error, isSent: true)
        added.isInDoubt = true
        let remove = Outbox.OperationRequest.react("wave", isAdded: false)
        #expect(changes(remove, on: message(.synced), with: [added]) == ["enqueue removeReaction"])
        let removed = later("s", .removeReaction(id("a"), name: "wave"), .created)
        #expect(changes(remove, on: message(.synced), with: [added, removed]) == [])
    }
}
