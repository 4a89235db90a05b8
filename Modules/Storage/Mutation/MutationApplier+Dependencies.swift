import CausewayModels

/// Dependencies between messages: operations are displayed in their target, and parked messages wait for the message
/// that they refer to.
extension MutationApplier {
    /// Assigns lane sequences to the messages parked for this one, if it is on the server or no longer exists.
    mutating func release(_ id: MessageID, at time: Timestamp?) throws(Rows.Failure) {
        let parked = try rows.parked(for: id)
        if parked.isEmpty { return }
        if let message = try message(id), message.isUndelivered { return }
        for dependant in parked {
            let sequence = rows.takeSequence()
            try save(dependant.item.released(sequence: sequence, at: time), over: dependant)
        }
    }

    /// Updates the displayed body of a message with its pending operations.
    mutating func overlay(_ id: MessageID) throws(Rows.Failure) {
        guard let old = try rows.item(id), let message = old.message else { return }
        try save(.message(try overlaid(message)), over: old)
    }

    /// The message with its pending operations applied.
    func overlaid(_ message: Message) throws(Rows.Failure) -> Message {
        message.overlaid(with: try rows.operations(on: message.id))
    }

    /// Updates the displayed bodies of messages in a commit whose changes are not listed.
    mutating func overlayUnlisted(_ targets: Set<MessageID>) throws(Rows.Failure) {
        let listed = changes
        changes = CommitChanges()
        for target in targets { try overlay(target) }
        changes = listed
    }
}
