package import CausewayModels

/// What operations do to the message that they are about: the rules that all stores share.
///
/// ``Message/base`` is the message as the server has it, ``Message/face`` the same with every operation applied that
/// waits or is on its way, in the order of their creation. An operation that failed is not applied.
extension Message {
    /// The message with its operations applied.
    ///
    /// - Parameter operations: all operations on it that are in the store, by ascending ordinal.
    package func overlaid(with operations: [Message]) -> Message {
        var known = base ?? face
        if operations.isEmpty { known.clock = FaceClock() }
        var shown = known
        for operation in operations where operation.isPending && !operation.isOutdated(by: known.clock) {
            operation.apply(to: &shown)
        }
        var message = self
        message.face = shown
        message.base = operations.contains { $0.isPending } ? known : nil
        return message
    }

    /// The message after the server has taken an operation on it.
    package func taken(_ operation: Message, _ placement: Placement) -> Message {
        var message = self
        var known = base ?? face
        let word = FaceClock.Word(at: placement.acceptedAt, sequence: operation.laneSequence)
        // What the server has seen later stays.
        switch operation.role {
        case .message, .reply: return self
        case .edit:
            if let editedAt = known.editedAt, editedAt > word.at { return self }
            known.editedAt = word.at
            known.clock.edit = word
        case .addReaction, .removeReaction:
            guard known.clock.admit(word, on: operation.reactionName) else { return self }
        }
        operation.apply(to: &known)
        known.changedAt = max(known.changedAt ?? placement.acceptedAt, placement.acceptedAt)
        if message.base != nil { message.base = known } else { message.face = known }
        return message
    }

    /// True for what waits although one that was wanted later is done: its answer was lost.
    private func isOutdated(by clock: FaceClock) -> Bool {
        let later: FaceClock.Word?
        switch role {
        case .message, .reply: later = nil
        case .edit: later = clock.edit
        case .addReaction, .removeReaction: later = clock.reactions[reactionName]
        }
        return !isParked && laneSequence < later?.sequence ?? 0
    }

    private func apply(to face: inout MessageFace) {
        switch role {
        case .message, .reply: break
        case .edit: face.content = content
        case .addReaction where reactionName.isEmpty, .removeReaction where reactionName.isEmpty: break
        case .addReaction: face.react(with: reactionName, isAdded: true)
        case .removeReaction: face.react(with: reactionName, isAdded: false)
        }
    }

    /// The reaction's name; empty for what is none.
    package var reactionName: String {
        switch (role, content) {
        case (.addReaction, .text(let name)), (.removeReaction, .text(let name)): name
        default: ""
        }
    }

    /// The message that has to be told when this one changes, or that this one waits for; see
    /// ``Store/dependants(of:)``.
    package var dependence: MessageID? { role.isOperation || isParked ? role.related : nil }

    /// True when it may have its place in its lane at once: nothing has to be on the server before it, or what has to
    /// be goes before it in the same lane.
    ///
    /// - Parameter related: the message that it is about; `nil` when the store has none of that id.
    package static func mayGo(_ role: MessageRole, in lane: LaneID, with related: Message?) -> Bool {
        guard let related, related.isUndelivered else { return true }
        guard case .reply = role else { return false }
        return related.isPending && !related.isParked && related.lane == lane
    }
}
