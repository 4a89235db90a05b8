package import CausewayModels

/// The effect of operations on their target: the rules shared by all stores.
///
/// ``Message/confirmed`` is the message as confirmed by the server, ``Message/displayed`` the same with every pending
/// operation applied, in the order of their creation. An operation that failed is not applied.
extension Message {
    /// The message with its operations applied.
    ///
    /// - Parameter operations: all operations on it that are in the store, by ascending ordinal.
    package func overlaid(with operations: [QueuedOperation]) -> Message {
        var known = confirmed ?? displayed
        if operations.isEmpty { known.clock = VersionClock() }
        var shown = known
        for operation in operations where operation.isPending && !operation.isOutdated(by: known.clock) {
            operation.apply(to: &shown)
        }
        var message = self
        message.displayed = shown
        message.confirmed = operations.contains { $0.isPending } ? known : nil
        return message
    }

    /// The message after the server has accepted an operation on it.
    package func taken(_ operation: QueuedOperation, _ serverPosition: ServerPosition) -> Message {
        var message = self
        var known = confirmed ?? displayed
        let word = VersionClock.Stamp(at: serverPosition.acceptedAt, sequence: operation.laneSequence)
        // Changes that the server accepted later are kept.
        switch operation.payload {
        case .create: return self
        case .edit:
            if let editedAt = known.editedAt, editedAt > word.at { return self }
            known.editedAt = word.at
            known.clock.edit = word
        case .addReaction(_, let name), .removeReaction(_, let name):
            guard known.clock.admit(word, on: name) else { return self }
        }
        operation.apply(to: &known)
        known.changedAt = max(known.changedAt ?? serverPosition.acceptedAt, serverPosition.acceptedAt)
        if message.confirmed != nil { message.confirmed = known } else { message.displayed = known }
        return message
    }
}

extension QueuedOperation {
    /// True for a pending operation although a later request has been confirmed: its response was lost.
    fileprivate func isOutdated(by clock: VersionClock) -> Bool {
        let later: VersionClock.Stamp?
        switch payload {
        case .create: later = nil
        case .edit: later = clock.edit
        case .addReaction(_, let name), .removeReaction(_, let name): later = clock.reactions[name]
        }
        return !isParked && laneSequence < later?.sequence ?? 0
    }

    fileprivate func apply(to body: inout MessageBody) {
        switch payload {
        case .create: break
        case .edit(_, let content): body.content = content
        case .addReaction(_, let name): if !name.isEmpty { body.react(with: name, isAdded: true) }
        case .removeReaction(_, let name): if !name.isEmpty { body.react(with: name, isAdded: false) }
        }
    }
}

extension OperationPayload {
    /// True if the operation may get its lane sequence at once: it depends on no message that is not on the server, or
    /// on one that precedes it in the same lane.
    ///
    /// - Parameter related: the message that it refers to; `nil` if the store has none of that id.
    package func mayGo(in lane: LaneID, with related: Message?) -> Bool {
        guard let related, related.isUndelivered else { return true }
        guard createsMessage else { return false }
        return related.isPending && !related.isParked && related.lane == lane
    }
}
