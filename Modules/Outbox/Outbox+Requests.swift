package import CausewayModels
package import CausewayStorage
import DequeModule

/// User requests: deletions and resends. First the mutations are committed, then the event is handled.
extension Outbox {
    /// The changes that a request results in.
    package struct ChangePlan: Sendable, Equatable {
        /// The mutations, committed together.
        package var mutations: [Mutation] = []
        /// The messages to report with ``OutboxEvent/deleted(_:)`` after the commit.
        package var removedUnsent: [MessageID] = []
        /// Messages whose waiters are completed with the stored state after the commit.
        package var ended: [MessageID] = []

        mutating func removeUnsent(_ message: MessageID) {
            mutations.append(.delete(message))
            removedUnsent.append(message)
        }
    }

    /// The mutation for a message whose parent was unknown to the server, or whose refusal arrived without a reason.
    ///
    /// A reply whose parent is on the server may have arrived there before it: a page can contain the parent before the
    /// response about the reply is processed. The reply is sent again; if the parent was removed there, it fails then.
    ///
    /// An edit or a reaction that a later one has overtaken ends: the later one may be on its way already, and a parked
    /// one would be sent, and applied, after it.
    ///
    /// - Parameters:
    ///   - parent: the message that the operation refers to, as stored.
    ///   - operations: for an edit or a reaction, the result of ``Store/dependants(of:)`` for that message.
    /// - Returns: the mutation to commit, and whether it releases the lane from a pause: a reply that waits for its
    ///   parent or is sent again, and an operation that ends, pause none.
    package mutating func decision(
        to park: Mutation, _ operation: QueuedOperation, parent: Message, with operations: [QueuedOperation]
    ) -> (mutation: Mutation, isReleasing: Bool) {
        guard case .park(let id, let failure) = park, operation.related == parent.id, operation.isPending else {
            return (park, false)
        }
        guard operation.createsMessage else {
            return isOvertaken(operation, on: parent, with: operations) ? (.delete(id), true) : (park, false)
        }
        if parent.isUndelivered { return (park, true) }
        guard parent.syncState == .synced, !sentAfterParent.contains(id) else { return (park, false) }
        sentAfterParent.insert(id)
        return (.resend(id, at: failure.at), true)
    }

    /// The mutations that delete a message, wherever it is: in the queue it is never sent; under way it is followed by
    /// a deletion; on the server it is deleted through the outbox.
    ///
    /// Dependent messages are removed with it: operations that cannot have been transmitted are removed, the others end
    /// by themselves; replies that waited for it fail. A reply of which a copy may exist elsewhere gets its lane
    /// sequence instead, and the server decides about it.
    ///
    /// - Parameters:
    ///   - dependants: ``Store/dependants(of:)`` of the message.
    ///   - lane: the lane of the deletion of a message that came from the server; `nil` if it belongs to another user
    ///     and is deleted only here.
    package func deletion(
        of message: StoredItem, with dependants: [QueuedOperation],
        by origin: DeleteAction.Origin, at clock: ClockReading,
        lane: LaneID? = nil
    ) -> ChangePlan {
        var changes = ChangePlan()
        // First, because messages that are still parked for a removed message get their lane sequences.
        give(up: dependants, at: clock, &changes)
        changes.mutations += mutations(toDelete: message, by: origin, at: clock, lane: message.lane ?? lane)
        changes.removedUnsent.append(message.id)
        // It has no slot in a lane, so no other event completes its waiters.
        if message.isParked { changes.ended.append(message.id) }
        return changes
    }

    private func give(
        up dependants: [QueuedOperation], at clock: ClockReading, _ changes: inout ChangePlan
    ) {
        for dependant in dependants {
            if !dependant.createsMessage {
                if canRemoveUnsent(dependant) { changes.removeUnsent(dependant.id) }
            } else if !mayBeElsewhere(dependant.ordinal, in: dependant.lane) {
                let failure = Failure(
                    reason: .refused, code: "parentDeleted",
                    detail: "the message it replies to was deleted before it was sent", at: clock.wall)
                changes.mutations.append(.fail(dependant.id, failure, inDoubt: dependant.isInDoubt))
                changes.ended.append(dependant.id)
            }
        }
    }

    private func mutations(
        toDelete message: StoredItem, by origin: DeleteAction.Origin, at clock: ClockReading,
        lane: LaneID?
    ) -> [Mutation] {
        var mutations: [Mutation] = [.delete(message.id)]
        if let send = sendSlot(of: message.id), lanes[send.lane].slots[send.index].wasTransmitted {
            mutations.append(retraction(at: send))
        }
        let fence = fenceSlot(of: message.id)
        if let fence { mutations.append(retraction(at: fence)) }
        // A retraction bars late copies under this outbox id alone; another copy of the store has one of its own.
        if mayBeElsewhere(message.ordinal, in: message.lane) || (message.syncState == .synced && fence == nil), let lane
        {
            mutations.append(.appendDelete(message.id, lane: lane))
        }
        mutations.append(
            .recordDelete(
                DeleteAction(
                    at: clock.wall, by: origin, kind: message.deletedKind, message: message.id, target: message.target,
                    channel: message.channel, type: message.type, syncState: message.syncState,
                    lastFailure: message.failure)))
        return mutations
    }

    private func retraction(at position: SlotPosition) -> Mutation {
        let lane = lanes[position.lane]
        let slot = lane.slots[position.index]
        return .putMarker(
            ChainMarker(
                kind: .retract, lane: lane.id, sequence: slot.sequence, previous: slot.previous, message: slot.message))
    }

    mutating func deleted(_ messages: [MessageID], _ step: inout OutboxStep) {
        for message in messages {
            pauses.remove(message)
            endUpload(of: message, isAbandoned: true, &step)
            if slotIndex.sends(message) {
                step.perform(.complete(message, .deleted))
            } else if awaitingVerdict.remove(message) != nil {
                step.perform(.completeAsStored(message))
            }
            if let fence = fenceSlot(of: message) { lanes[fence.lane].slots[fence.index].becomeRetract() }
            if let send = sendSlot(of: message) { removeSend(of: message, at: send) }
        }
        dispatchAll(&step)
    }

    /// The message is no longer to be sent: if it was transmitted, its number remains in the chain as a retraction.
    private mutating func removeSend(of message: MessageID, at send: SlotPosition) {
        lanes[send.lane].endHold(ofHead: message)
        if lanes[send.lane].slots[send.index].wasTransmitted {
            lanes[send.lane].slots[send.index].becomeRetract()
            slotIndex.becomeFence(message)
        } else {
            slotIndex.removeSend(message)
            lanes[send.lane].removeUnsent(at: send.index)
        }
    }

    /// The mutations that return a failed message to the queue, at the tail of its lane; empty if it is not `error`.
    /// The store assigns the new number, and the feed reports it.
    package func mutations(toResend message: some Deliverable, at clock: ClockReading) -> [Mutation] {
        message.syncState == .error && !slotIndex.sends(message.id)
            ? [.resend(message.id, at: clock.wall)] : []
    }
}

extension StoredItem {
    /// The kind that a record of its deletion names.
    fileprivate var deletedKind: DeleteAction.Kind {
        switch operation?.payload {
        case nil, .create: .message
        case .edit: .edit
        case .addReaction: .addReaction
        case .removeReaction: .removeReaction
        }
    }
}
