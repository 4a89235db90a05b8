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
        let known = base ?? face
        var shown = known
        for operation in operations where operation.isPending { operation.apply(to: &shown) }
        var message = self
        message.face = shown
        message.base = operations.contains { $0.isPending } ? known : nil
        return message
    }

    /// The message after the server has taken an operation on it.
    package func taken(_ operation: Message, _ placement: Placement) -> Message {
        var message = self
        var known = base ?? face
        if case .edit = operation.role {
            // What the server has seen later stays.
            if let editedAt = known.editedAt, editedAt > placement.acceptedAt { return self }
            known.editedAt = placement.acceptedAt
        }
        // The answer to a later operation may have come first.
        known.changedAt = max(known.changedAt ?? placement.acceptedAt, placement.acceptedAt)
        operation.apply(to: &known)
        if message.base != nil { message.base = known } else { message.face = known }
        return message
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
