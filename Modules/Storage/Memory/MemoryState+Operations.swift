import CausewayModels

/// Dependencies between messages: operations are displayed in their target, and parked messages wait for the message
/// that they refer to.
extension MemoryState {
    /// Refuses drafts that cannot be accepted, before anything is changed.
    func admit(_ mutations: [Mutation], _ sizes: [Int], _ bounds: OutboxBounds) throws(StoreError) {
        var counts = counts
        for (mutation, bytes) in zip(mutations, sizes) {
            guard case .enqueue(let draft) = mutation else { continue }
            try admit(draft, as: account)
            guard self[draft.id] == nil else { throw .duplicate(draft.id) }
            try bounds.admit(bytes: bytes, to: counts)
            counts.count(.created, bytes: bytes)
        }
    }

    mutating func enqueue(_ draft: MessageDraft, bytes: Int, _ changes: inout CommitChanges) {
        let ordinal = takeSequence()
        let mayGo = Message.mayGo(draft.role, in: draft.lane, with: related(draft.role))
        let message = Message(draft, ordinal: ordinal, laneSequence: mayGo ? ordinal : 0)
        save(message, bytes: bytes, over: nil, &changes)
    }

    mutating func deliver(
        _ id: MessageID, _ serverPosition: ServerPosition, at time: Timestamp, _ changes: inout CommitChanges
    ) {
        guard let old = self[id] else { return }
        guard let target = old.message.role.target else {
            change(id, &changes) { $0.delivered(serverPosition, at: time) }
            return release(id, at: time, &changes)
        }
        // Only an edit changes the content, and with it the size.
        let isEdit = old.message.role == .edit(of: target)
        change(target, bytes: isEdit ? old.bytes : nil, &changes) { $0.taken(old.message, serverPosition) }
        delete(id, &changes)
    }

    mutating func fail(_ id: MessageID, _ failure: Failure, inDoubt: Bool, _ changes: inout CommitChanges) {
        if let target = self[id]?.message.role.target, self[target] == nil { return delete(id, &changes) }
        change(id, &changes) { $0.failed(failure, inDoubt: inDoubt) }
    }

    mutating func resend(_ id: MessageID, at time: Timestamp, _ changes: inout CommitChanges) {
        guard let old = self[id]?.message, old.isUndelivered, let lane = old.lane else { return }
        let mayGo = Message.mayGo(old.role, in: lane, with: related(old.role))
        let sequence = mayGo ? takeSequence() : 0
        change(id, &changes) { $0.resent(sequence: sequence, at: time) }
    }

    mutating func park(_ id: MessageID, _ failure: Failure, _ changes: inout CommitChanges) {
        guard let old = self[id]?.message else { return }
        if related(old.role)?.isUndelivered == true {
            change(id, &changes) { $0.parked(at: failure.at) }
        } else {
            fail(id, failure, inDoubt: false, &changes)
        }
    }

    mutating func delete(_ id: MessageID, _ changes: inout CommitChanges) {
        guard let old = self[id] else { return }
        remove(id)
        changes.add(message: old.message, nil, bytes: old.bytes)
        if let target = old.message.role.target { overlay(target, &changes) }
    }

    /// Assigns lane sequences to the messages parked for this one, if it is on the server or no longer exists.
    mutating func release(_ id: MessageID, at time: Timestamp?, _ changes: inout CommitChanges) {
        if let message = self[id]?.message, message.syncState != .synced { return }
        for dependant in allDependants(of: id) where dependant.isParked {
            let sequence = takeSequence()
            change(dependant.id, &changes) { $0.released(sequence: sequence, at: time) }
        }
    }

    /// Updates the displayed body of a message with its pending operations.
    mutating func overlay(_ id: MessageID, _ changes: inout CommitChanges) {
        guard let message = self[id]?.message else { return }
        let shown = overlaid(message)
        change(id, &changes) { _ in shown }
    }

    /// The message with its pending operations applied.
    func overlaid(_ message: Message) -> Message {
        message.overlaid(with: allDependants(of: message.id).filter(\.role.isOperation))
    }

    private func related(_ role: MessageRole) -> Message? { role.related.flatMap { self[$0]?.message } }
}
