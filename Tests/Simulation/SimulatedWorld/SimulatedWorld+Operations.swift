import CausewayModels
import CausewayOutbox
import CausewaySimulationKernel
import CausewayStorage

/// The acts of users on existing messages in any state: they edit, react, and change their minds.
extension SimulatedWorld {
    private static let reactions = ["heart", "laugh"]

    func wishSomething(_ client: Int) {
        guard let account = clients[client].account else { return }
        if strikes(.forbiddenEdit) { return editForbidden(client, by: account) }
        guard let message = randomness.one(of: ownMessages(client, by: account)) else { return }
        for _ in 0..<randomness.number(in: 1..<4) {
            if randomness.isLikely(500), case .text = message.content {
                let content = MessageContent.text("edit \(randomness.number(in: 0..<1000))")
                submit(.operation(.edit(content), message.id), to: client)
            } else {
                let name = Self.reactions[randomness.number(in: 0..<2)]
                submit(.operation(.react(name, isAdded: randomness.isLikely(600)), message.id), to: client)
            }
        }
    }

    /// Sends an edit that every client's API rejects: of a message of another user, or to another type. Here only the
    /// hub checks it.
    private func editForbidden(_ client: Int, by account: UserID) {
        let forbidden = clients[client].store.inOrder.filter { message in
            guard message.syncState == .synced, message.createsMessage else { return false }
            return message.sender != account || message.type != .text
        }
        guard let message = randomness.one(of: forbidden) else { return }
        expected.wanted[message.id]?.isSpoiled = true
        submit(.operation(.edit(.text("forbidden \(randomness.number(in: 0..<1000))")), message.id), to: client)
    }

    /// Messages of this device and account.
    func ownMessages(_ client: Int, by account: UserID) -> [Message] {
        clients[client].store.messages { $0.lane != nil && $0.sender == account }
    }

    func lastOwnMessage(_ client: Int, by account: UserID) -> MessageID? {
        clients[client].store.last { $0.message != nil && $0.lane != nil && $0.sender == account }
    }

    /// Processed in its turn.
    func apply(_ request: Outbox.OperationRequest, on id: MessageID, _ client: Int) {
        guard !clients[client].isDiskFull, let account = clients[client].account,
            let machine = clients[client].machine,
            let message = clients[client].store.message(id)
        else { return }
        let dependants = clients[client].store.dependants(of: id)
        let changes = machine.outbox.changes(for: request, on: message, with: dependants) { payload in
            let operation = WorldNames.message(1_000_000 + nextOperation)
            nextOperation += 1
            return OperationDraft(
                id: operation, channel: message.channel, sender: account, payload: payload,
                createdAt: wall(of: client), lane: plan.ordering.operationLane(in: message.channel))
        }
        // Another account may have logged in since the wish was drawn: its wishes are not those of the author.
        if message.sender == account { note(request, id) } else { expected.wanted[id]?.isSpoiled = true }
        // The decision is based on the displayed state, and the result of a failed operation may appear later.
        if dependants.contains(where: { $0.syncState == .error || $0.isInDoubt }) {
            expected.wanted[id]?.isSpoiled = true
        }
        guard !changes.mutations.isEmpty else { return }
        history.record(now, "client \(client): wants \(request) of \(id.value.low)")
        hash.add(changes.mutations)
        for operation in dependants where changes.removedUnsent.contains(operation.id) {
            expected.records[operation.id]?.isDeleted = true
        }
        clients[client].removedCount += changes.removedUnsent.count
        noteOperations(changes.mutations, client)
        clients[client].store.commit(changes.mutations)
        for case .enqueue(let draft) in changes.mutations {
            guard let made = clients[client].store.items[draft.id] else { continue }
            expected.records[draft.id]?.ordinal = made.ordinal
            expected.records[draft.id]?.sequences = [made.laneSequence]
            expected.records[draft.id]?.turns = [made.laneSequence: made.laneSequence]
        }
        if strikes(.crash) { return crash(client) }
        for case .rewrite(let rewritten, let content) in changes.mutations {
            handle(.rewritten(rewritten, bytes: content.modelBytes), client)
        }
        handle(.deleted(changes.removedUnsent), client)
    }

    private func note(_ request: Outbox.OperationRequest, _ id: MessageID) {
        switch request {
        case .edit(let content): expected.wanted[id]?.content = content
        case .react(let name, isAdded: true): expected.wanted[id]?.reactions.insert(name)
        case .react(let name, isAdded: false): expected.wanted[id]?.reactions.remove(name)
        }
    }

    private func noteOperations(_ mutations: [Mutation], _ client: Int) {
        for case .enqueue(let draft) in mutations {
            expected.records[draft.id] = ExpectedState.Record(
                client: client, channel: draft.channel, sender: draft.sender, change: draft.payload,
                trait: trait(), ordinal: 0)
        }
    }
}
