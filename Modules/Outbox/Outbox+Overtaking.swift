package import CausewayModels
import CausewayStorage

/// Edits and reactions that a later one on the same message replaced.
///
/// The later one is the last word, whatever becomes of it: an operation that it overtakes and that fails has ended. It
/// is not kept among the failed, and a resend never brings it back. One that is in doubt is kept until the server has
/// said whether it has it, for what the server has shows in the message.
extension Outbox {
    /// True when a later operation on the same message replaces what this one does: one that waits, is on its way or
    /// failed, or one that the server has taken.
    ///
    /// - Parameters:
    ///   - target: the message that it is about; `nil` when it is not here.
    ///   - operations: what ``Store/dependants(of:)`` returns for that message.
    func isOvertaken(_ operation: Message, on target: Message?, with operations: [Message]) -> Bool {
        if operations.contains(where: { $0.ordinal > operation.ordinal && $0.replaces(operation) }) { return true }
        guard let clock = (target?.base ?? target?.face)?.clock else { return false }
        let taken: FaceClock.Word? =
            switch operation.role {
            case .message, .reply: nil
            case .edit: clock.edit
            case .addReaction, .removeReaction: clock.reactions[operation.reactionName]
            }
        return taken.map { $0.sequence > operation.laneSequence } ?? false
    }

    /// What to commit when an operation is `error`: it is gone when it was overtaken and no copy can be anywhere else.
    package func changes(
        afterFailureOf operation: Message, on target: Message?, with operations: [Message]
    ) -> Changes {
        var changes = Changes()
        if operation.role.isOperation, operation.syncState == .error, mayVanish(operation),
            isOvertaken(operation, on: target, with: operations)
        {
            changes.vanish(operation.id)
        }
        return changes
    }

    /// What to commit so that a failed message or operation goes back into the queue, at the tail of its lane; nothing
    /// when it is not `error`. An operation that was overtaken is not resent; it ends instead. The store hands out the
    /// new number, and the feed brings it.
    ///
    /// - Parameters:
    ///   - target: the message that an operation is about; `nil` when it is not here.
    ///   - operations: what ``Store/dependants(of:)`` returns for that message.
    package func changes(
        toResend message: Message, on target: Message?, with operations: [Message], at moment: Moment
    ) -> Changes {
        guard message.role.isOperation, isOvertaken(message, on: target, with: operations) else {
            var changes = Changes()
            changes.mutations = mutations(toResend: message, at: moment)
            return changes
        }
        return changes(afterFailureOf: message, on: target, with: operations)
    }
}

extension Message {
    /// True when both are about the same thing of the same message.
    fileprivate func replaces(_ other: Message) -> Bool {
        guard role.target == other.role.target else { return false }
        switch (role, other.role) {
        case (.edit, .edit): return true
        case (.addReaction, .addReaction), (.addReaction, .removeReaction), (.removeReaction, .addReaction),
            (.removeReaction, .removeReaction):
            return reactionName == other.reactionName
        default: return false
        }
    }
}
