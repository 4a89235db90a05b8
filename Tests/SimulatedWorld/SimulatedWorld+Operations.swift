import CausewayModels
import CausewayOutbox
import CausewayStorage

/// The acts of users on existing messages in any state: they edit, react, and change their minds.
extension SimulatedWorld {
    private static let reactions = ["heart", "laugh"]

    func wishSomething(_ client: Int) {
        guard let account = clients[client].account else { return }
        if strikes(.forbiddenEdit) { return editForbidden(client, by: account) }
        guard let message = chance.one(of: ownMessages(client, by: account)) else { return }
        for _ in 0..<chance.number(in: 1..<4) {
            if chance.isLikely(500), case .text = message.content {
                let content = MessageContent.text("edit \(chance.number(in: 0..<1000))")
                submit(.wish(.edit(content), message.id), to: client)
            } else {
                let name = Self.reactions[chance.number(in: 0..<2)]
                submit(.wish(.react(name, isAdded: chance.isLikely(600)), message.id), to: client)
            }
        }
    }

    /// Sends an edit that every client's API rejects: of a message of another user, or to another type. Here only the
    /// hub checks it.
    private func editForbidden(_ client: Int, by account: UserID) {
        let forbidden = clients[client].store.inOrder.filter { message in
            guard message.syncState == .synced, !message.role.isOperation else { return false }
            return message.sender != account || message.type != .text
        }
        guard let message = chance.one(of: forbidden) else { return }
        ledger.wishes[message.id]?.isSpoiled = true
        submit(.wish(.edit(.text("forbidden \(chance.number(in: 0..<1000))")), message.id), to: client)
    }

    /// Messages of this device and account.
    func ownMessages(_ client: Int, by account: UserID) -> [Message] {
        clients[client].store.inOrder.filter { !$0.role.isOperation && $0.lane != nil && $0.sender == account }
    }

    /// Processed in its turn.
    func carryOut(_ wish: Outbox.Wish, on id: MessageID, _ client: Int) {
        guard !clients[client].isDiskFull, let account = clients[client].account, let outbox = clients[client].outbox,
            let message = clients[client].store.messages[id]
        else { return }
        let dependants = clients[client].store.dependants(of: id)
        let changes = outbox.changes(for: wish, on: message, with: dependants) { role, content in
            let operation = Cast.message(1_000_000 + nextOperation)
            nextOperation += 1
            return MessageDraft(
                id: operation, channel: message.channel, sender: account, role: role, content: content,
                createdAt: wall(of: client), lane: plan.ordering.operationLane(in: message.channel))
        }
        // Another account may have logged in since the wish was drawn: its wishes are not those of the author.
        if message.sender == account { note(wish, id) } else { ledger.wishes[id]?.isSpoiled = true }
        // The decision is based on the displayed state, and the result of a failed operation may appear later.
        if dependants.contains(where: { $0.syncState == .error || $0.isInDoubt }) {
            ledger.wishes[id]?.isSpoiled = true
        }
        guard !changes.mutations.isEmpty else { return }
        story.tell(now, "client \(client): wants \(wish) of \(id.value.low)")
        hash.add(changes.mutations)
        for operation in dependants where changes.vanished.contains(operation.id) {
            ledger.records[operation.id]?.isDeleted = true
        }
        clients[client].vanishedCount += changes.vanished.count
        noteOperations(changes.mutations, client)
        clients[client].store.commit(changes.mutations)
        for case .enqueue(let draft) in changes.mutations {
            guard let made = clients[client].store.messages[draft.id] else { continue }
            ledger.records[draft.id]?.ordinal = made.ordinal
            ledger.records[draft.id]?.sequences = [made.laneSequence]
            ledger.records[draft.id]?.turns = [made.laneSequence: made.laneSequence]
        }
        if strikes(.crash) { return crash(client) }
        for case .rewrite(let rewritten, let content) in changes.mutations {
            handle(.rewritten(rewritten, bytes: content.modelBytes), client)
        }
        handle(.deleted(changes.vanished), client)
    }

    private func note(_ wish: Outbox.Wish, _ id: MessageID) {
        switch wish {
        case .edit(let content): ledger.wishes[id]?.content = content
        case .react(let name, isAdded: true): ledger.wishes[id]?.reactions.insert(name)
        case .react(let name, isAdded: false): ledger.wishes[id]?.reactions.remove(name)
        }
    }

    private func noteOperations(_ mutations: [Mutation], _ client: Int) {
        for case .enqueue(let draft) in mutations {
            ledger.records[draft.id] = Ledger.Record(
                client: client, channel: draft.channel, sender: draft.sender, role: draft.role, trait: trait(),
                ordinal: 0)
        }
    }
}
