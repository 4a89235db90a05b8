package import CausewayModels
package import CausewayStorage
import DequeModule

/// Edits and reactions: changes requested for messages that may be anywhere between here and the server.
///
/// Requests that have not been transmitted are merged: the last edit wins, opposite reactions cancel each other, and an
/// edit of a message of which no copy can exist elsewhere changes that message itself. A transmitted message is
/// followed by an operation of its own, in a separate lane, so that it delays no message. An operation on a message
/// that is not on the server waits for it (see `Store`).
extension Outbox {
    /// A change that the user requests for a message.
    package enum OperationRequest: Sendable, Hashable {
        case edit(MessageContent)
        case react(String, isAdded: Bool)
    }

    /// The mutations for a request; none if it is already fulfilled.
    ///
    /// - Parameters:
    ///   - operations: the result of ``Store/dependants(of:)`` for the message.
    ///   - makeDraft: creates the operation, if one is needed.
    package func changes(
        for request: OperationRequest, on message: Message, with operations: [QueuedOperation],
        makeDraft: (OperationPayload) -> OperationDraft
    ) -> ChangePlan {
        switch request {
        case .edit(let content): changes(toEdit: message, content, operations, makeDraft)
        case .react(let name, let isAdded): changes(toReact: name, isAdded, message, operations, makeDraft)
        }
    }

    private func changes(
        toEdit message: Message, _ content: MessageContent, _ operations: [QueuedOperation],
        _ makeDraft: (OperationPayload) -> OperationDraft
    ) -> ChangePlan {
        var changes = ChangePlan()
        let edits = operations.filter(\.payload.isEdit)
        // An edit that failed is obsolete now.
        for edit in edits where edit.syncState == .error && canRemoveUnsent(edit) { changes.removeUnsent(edit.id) }
        let last = edits.last(where: \.isPending)
        if message.content == content, last != nil || !edits.contains(where: mayShowYet) { return changes }
        if let last {
            if canRemoveUnsent(last) {
                changes.mutations.append(.rewrite(last.id, content))
            } else {
                changes.mutations.append(.enqueue(makeDraft(.edit(message.id, content))))
            }
        } else if message.isUndelivered, canRemoveUnsent(message), content.hasSameFile(as: message.sentContent) {
            changes.mutations.append(.rewrite(message.id, content))
        } else {
            changes.mutations.append(.enqueue(makeDraft(.edit(message.id, content))))
        }
        return changes
    }

    private func changes(
        toReact name: String, _ isAdded: Bool, _ message: Message, _ operations: [QueuedOperation],
        _ makeDraft: (OperationPayload) -> OperationDraft
    ) -> ChangePlan {
        var changes = ChangePlan()
        let about = operations.filter { $0.payload.reaction == name }
        for old in about where old.syncState == .error && canRemoveUnsent(old) {
            changes.removeUnsent(old.id)
        }
        let last = about.last(where: \.isPending)
        let isUncertain = about.contains(where: mayShowYet)
        guard message.myReactions.contains(name) != isAdded || isUncertain && last == nil else {
            return changes
        }
        if let last, !isUncertain, last.payload.addsReaction != isAdded, canRemoveUnsent(last) {
            changes.removeUnsent(last.id)
        } else {
            let payload =
                isAdded
                ? OperationPayload.addReaction(message.id, name: name)
                : .removeReaction(message.id, name: name)
            changes.mutations.append(.enqueue(makeDraft(payload)))
        }
        return changes
    }

    /// True for an operation that failed in doubt: it is not displayed here, and the server may have it. The requested
    /// change has to follow it, even if it equals the displayed state.
    private func mayShowYet(_ operation: QueuedOperation) -> Bool {
        operation.syncState == .error && !canRemoveUnsent(operation)
    }

    /// True while no copy of the item can exist outside the store, and no fence for one: it may still be changed, or
    /// removed without a request to the server.
    func canRemoveUnsent(_ item: some Deliverable) -> Bool {
        guard !item.isInDoubt, !slotIndex.hasFence(for: item.id), !mayBeElsewhere(item.ordinal, in: item.lane) else {
            return false
        }
        return item.syncState == .error || item.isPending && item.previousSequence == nil
    }
}

extension MessageContent {
    /// True unless the attachment is another one, or only one of both has any: its upload may be under way.
    fileprivate func hasSameFile(as other: MessageContent) -> Bool {
        attachment?.sha256 == other.attachment?.sha256 && attachment?.size == other.attachment?.size
    }
}

extension OperationPayload {
    fileprivate var isEdit: Bool {
        if case .edit = self { true } else { false }
    }

    fileprivate var addsReaction: Bool {
        if case .addReaction = self { true } else { false }
    }
}
