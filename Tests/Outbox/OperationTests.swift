import CausewayModels
import CausewayOutbox
import CausewayStorage
import Testing

/// What an edit or a reaction comes to, for every situation of its message.
@Suite struct OperationTests {
    private let bench = Bench()

    private func changes(
        _ wish: Outbox.Wish, on message: Message, with operations: [Message] = []
    ) -> [String] {
        let changes = bench.outbox.changes(for: wish, on: message, with: operations) { role, content in
            MessageDraft(
                id: id("z"), channel: message.channel, sender: message.sender, role: role, content: content,
                createdAt: message.createdAt, lane: .operations)
        }
        return changes.mutations.map { mutation in
            switch mutation {
            case .rewrite(let id, _): "rewrite \(id.name)"
            case .enqueue(let draft): "enqueue \(draft.role.name)"
            case .delete(let id): "delete \(id.name)"
            default: "\(mutation)"
            }
        }
    }

    /// An operation on message `a`.
    private func operation(
        _ name: String, _ role: MessageRole, _ text: String, _ state: SyncState = .created, isSent: Bool = false
    ) -> Message {
        let message = bench.message("a", .created)
        return Message(
            id: id(name), channel: message.channel, sender: message.sender, role: role,
            face: MessageFace(content: .text(text)), createdAt: message.createdAt, ordinal: 2, lane: .operations,
            laneSequence: isSent ? 5 : 0, syncState: state, previousSequence: isSent ? 0 : nil)
    }

    private func message(_ state: SyncState, isSent: Bool = false, isInDoubt: Bool = false) -> Message {
        let message = bench.message("a", state)
        return Message(
            id: message.id, channel: message.channel, sender: message.sender, content: .text("old"),
            createdAt: message.createdAt, ordinal: 1, lane: .text, laneSequence: 1, syncState: state,
            isInDoubt: isInDoubt, previousSequence: isSent ? 0 : nil)
    }

    @Test func onlyWhatCannotBeElsewhereIsRewritten() {
        let edit = Outbox.Wish.edit(.text("new"))
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
        let edit = Outbox.Wish.edit(.text("new"))
        let waiting = operation("e", .edit(of: id("a")), "x")
        let sent = operation("e", .edit(of: id("a")), "x", .syncing, isSent: true)
        let failed = operation("f", .edit(of: id("a")), "x", .error, isSent: true)
        #expect(changes(edit, on: message(.synced), with: [waiting]) == ["rewrite e"])
        #expect(changes(edit, on: message(.synced), with: [sent]) == ["enqueue edit"])
        #expect(changes(edit, on: message(.synced), with: [failed]) == ["delete f", "enqueue edit"])
    }

    @Test func oppositeReactionsCancelAndRepeatsDoNothing() {
        let added = operation("r", .addReaction(to: id("a")), "wave")
        let addedAndSent = operation("r", .addReaction(to: id("a")), "wave", .syncing, isSent: true)
        let removed = operation("s", .removeReaction(from: id("a")), "wave")
        var shown = message(.synced)
        shown.face.react(with: "wave", isAdded: true)
        let add = Outbox.Wish.react("wave", isAdded: true)
        let remove = Outbox.Wish.react("wave", isAdded: false)
        #expect(changes(add, on: message(.synced)) == ["enqueue addReaction"])
        #expect(changes(add, on: shown, with: [added]) == [])
        #expect(changes(remove, on: shown, with: [added]) == ["delete r"])
        #expect(changes(remove, on: shown, with: [addedAndSent]) == ["enqueue removeReaction"])
        #expect(changes(add, on: message(.synced), with: [removed]) == ["delete s"])
        #expect(changes(remove, on: message(.synced)) == [])
        // Another reaction is another matter.
        #expect(changes(.react("+1", isAdded: true), on: shown, with: [added]) == ["enqueue addReaction"])
    }

    @Test func aMessageWithAQuestionOpenIsNotRewritten() {
        var bench = Bench()
        bench.create("a")
        bench.fail(1, .noAnswer)
        bench.take(.greeted)
        bench.wait(.seconds(60))
        for round in 2...4 {
            bench.fail(round, .noAnswer)
            bench.take(.greeted)
            bench.wait(.seconds(60))
        }
        // Given up in doubt: the fence is out.
        let changes = bench.outbox.changes(
            for: .edit(.text("new")), on: message(.error, isSent: true), with: []
        ) { role, content in
            MessageDraft(
                id: id("z"), channel: message(.error).channel, sender: message(.error).sender, role: role,
                content: content, createdAt: Timestamp(milliseconds: 0), lane: .operations)
        }
        guard case .enqueue = changes.mutations.first else {
            Issue.record("rewritten: \(changes)")
            return
        }
    }

    @Test func deletionTakesAlongWhatHasNotLeft() {
        let sent = operation("r", .addReaction(to: id("a")), "wave", .syncing, isSent: true)
        let waiting = operation("e", .edit(of: id("a")), "x")
        let reply = operation("p", .reply(to: id("a")), "re")
        let changes = bench.outbox.deletion(
            of: message(.error), with: [sent, waiting, reply], by: .api, at: bench.moment)
        #expect(changes.vanished == [id("e"), id("a")])
        #expect(changes.ended == [id("p")])
    }
}
