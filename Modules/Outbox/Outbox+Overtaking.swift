package import CausewayModels
import CausewayStorage

/// Edits and reactions that a later one on the same message replaced.
///
/// The later one wins, whatever becomes of it: an operation that it overtakes and that fails has ended. It is not kept
/// among the failed ones, and a resend never restores it. One that is in doubt is kept until the server has reported
/// whether it has it, because the server's state is displayed in the message.
extension Outbox {
    /// True if a later operation on the same message replaces this one: one that waits, is being sent or failed, or one
    /// that the server has accepted.
    ///
    /// - Parameters:
    ///   - target: the message that it refers to; `nil` if it does not exist here.
    ///   - operations: the result of ``Store/dependants(of:)`` for that message.
    func isOvertaken(
        _ operation: QueuedOperation, on target: Message?, with operations: [QueuedOperation]
    ) -> Bool {
        if operations.contains(where: { $0.ordinal > operation.ordinal && $0.replaces(operation) }) {
            return true
        }
        return isOvertakenByAccepted(operation, on: target)
    }

    /// True if the server has accepted a later operation that replaces this one.
    private func isOvertakenByAccepted(_ operation: QueuedOperation, on target: Message?) -> Bool {
        guard let clock = (target?.confirmed ?? target?.displayed)?.clock else { return false }
        let taken: VersionClock.Stamp? =
            switch operation.payload {
            case .create: nil
            case .edit: clock.edit
            case .addReaction(_, let name), .removeReaction(_, let name): clock.reactions[name]
            }
        return taken.map { $0.sequence > operation.laneSequence } ?? false
    }

    // MARK: Under another outbox id

    /// The edits and reactions that were transmitted under this outbox id and whose results are not known. O(n) for a
    /// queue of n links.
    package var unresolvedOperations: [OperationID] {
        lanes.flatMap { lane in
            lane.slots.lazy.filter { $0.isMessage && $0.isOperation && $0.wasTransmitted }.map(\.message)
        }
    }

    /// True for one of ``unresolvedOperations`` that the server has processed before it accepted a later one on the
    /// same message: only its response is missing.
    ///
    /// Under another outbox id it would be sent with a new number, which no longer shows that it is the older one: a
    /// server that lost both would apply it to the message that the later one had changed. So it ends.
    package func endsUnderOtherID(_ operation: QueuedOperation, on target: Message?) -> Bool {
        operation.isPending && !operation.isParked && isOvertakenByAccepted(operation, on: target)
    }

    /// The mutations after an operation became `error`: it is removed if it was overtaken and no copy can exist
    /// elsewhere.
    package func changes(
        afterFailureOf operation: QueuedOperation, on target: Message?,
        with operations: [QueuedOperation]
    ) -> ChangePlan {
        var changes = ChangePlan()
        if !operation.createsMessage, operation.syncState == .error, canRemoveUnsent(operation),
            isOvertaken(operation, on: target, with: operations)
        {
            changes.removeUnsent(operation.id)
        }
        return changes
    }

    /// The mutations that return a failed operation to the queue, at the tail of its lane; none if it is not `error`.
    /// An operation that was overtaken is not resent but removed. The store assigns the new number, and the
    /// feed reports it.
    ///
    /// - Parameters:
    ///   - target: the message that the operation changes; `nil` if it does not exist here.
    ///   - operations: the result of ``Store/dependants(of:)`` for that message.
    package func changes(
        toResend operation: QueuedOperation, on target: Message?, with operations: [QueuedOperation],
        at clock: ClockReading
    ) -> ChangePlan {
        guard !operation.createsMessage, isOvertaken(operation, on: target, with: operations) else {
            var changes = ChangePlan()
            changes.mutations = mutations(toResend: operation, at: clock)
            return changes
        }
        return changes(afterFailureOf: operation, on: target, with: operations)
    }
}

extension QueuedOperation {
    /// True if both change the same aspect of the same message.
    fileprivate func replaces(_ other: QueuedOperation) -> Bool {
        guard target == other.target else { return false }
        switch (payload, other.payload) {
        case (.edit, .edit): return true
        default: return payload.reaction != nil && payload.reaction == other.payload.reaction
        }
    }
}
