package import CausewayModels
package import CausewayStorage
import DequeModule

/// What people ask for: deletions and resends. First the mutations, then, when they are committed, the event.
extension Outbox {
    /// What somebody's wish comes to.
    package struct Changes: Sendable, Equatable {
        /// To commit, all at once.
        package var mutations: [Mutation] = []
        /// To be told of by ``OutboxEvent/deleted(_:)`` afterwards.
        package var vanished: [MessageID] = []
        /// Whoever waits for these is to be told what the store says afterwards.
        package var ended: [MessageID] = []

        mutating func vanish(_ message: MessageID) {
            mutations.append(.delete(message))
            vanished.append(message)
        }
    }

    /// The mutation for a message whose parent the server did not know, or whose refusal came without its reason.
    ///
    /// A reply whose parent is on the server may have come there before it: a page can tell of the parent before the
    /// answer about the reply is here. It is sent again; when the parent was taken away there, it fails then.
    ///
    /// - Parameter parent: what it answers, as it is stored.
    package mutating func verdict(_ decided: Mutation, on message: Message, parent: Message) -> Mutation {
        guard case .park(let id, let failure) = decided, message.role.parent == parent.id, message.isPending,
            parent.syncState == .synced, !sentAfterParent.contains(id)
        else { return decided }
        sentAfterParent.insert(id)
        return .resend(id, at: failure.at)
    }

    /// What to commit so that a message is deleted, wherever it is: in the queue it never leaves; on its way a
    /// deletion follows it; on the server it is deleted through the outbox.
    ///
    /// What is about the message goes with it: operations that no copy can be under way of are gone, the others end by
    /// themselves; replies that waited for it are given up.
    ///
    /// - Parameters:
    ///   - dependants: ``Store/dependants(of:)`` of the message.
    ///   - lane: for a message that came from the server: where its deletion travels; `nil` when it is somebody else's
    ///     and is deleted only here.
    package func deletion(
        of message: Message, with dependants: [Message], by origin: DeleteAction.Origin, at moment: Moment,
        lane: LaneID? = nil
    ) -> Changes {
        var changes = Changes()
        // First: what is still parked for a message when it goes gets its places.
        give(up: dependants, at: moment, &changes)
        changes.mutations += mutations(toDelete: message, by: origin, at: moment, lane: message.lane ?? lane)
        changes.vanished.append(message.id)
        // It has no place in a lane, so that nothing else tells who waits for it.
        if message.isParked { changes.ended.append(message.id) }
        return changes
    }

    private func give(up dependants: [Message], at moment: Moment, _ changes: inout Changes) {
        for dependant in dependants {
            if dependant.role.isOperation {
                if mayVanish(dependant) { changes.vanish(dependant.id) }
            } else {
                let failure = Failure(
                    reason: .refused, code: "parentDeleted",
                    detail: "the message that it answers was deleted before it was sent", at: moment.wall)
                changes.mutations.append(.fail(dependant.id, failure, inDoubt: dependant.isInDoubt))
                changes.ended.append(dependant.id)
            }
        }
    }

    private func mutations(
        toDelete message: Message, by origin: DeleteAction.Origin, at moment: Moment, lane: LaneID?
    ) -> [Mutation] {
        var mutations: [Mutation] = [.delete(message.id)]
        if let place = places[message.id], let index = lanes[place.lane].index(of: place.sequence),
            let previous = lanes[place.lane].slots[index].previous
        {
            mutations.append(retraction(of: message.id, place, previous))
        }
        if let place = fences[message.id], let index = lanes[place.lane].index(of: place.sequence) {
            mutations.append(retraction(of: message.id, place, lanes[place.lane].slots[index].previous))
        } else if message.syncState == .synced || isCopied(message), let lane {
            mutations.append(.appendDelete(message.id, lane: lane))
        }
        mutations.append(
            .recordDelete(
                DeleteAction(
                    at: moment.wall, by: origin, message: message.id, channel: message.channel, type: message.type,
                    syncState: message.syncState, lastFailure: message.failure)))
        return mutations
    }

    /// True for what never left here, while another copy of the store may have delivered it.
    private func isCopied(_ message: Message) -> Bool {
        mayBeElsewhere(message.ordinal) && (message.isParked || places[message.id].map(wasTransmitted) != true)
    }

    private func wasTransmitted(_ place: Place) -> Bool {
        lanes[place.lane].index(of: place.sequence).map { lanes[place.lane].slots[$0].wasTransmitted } ?? false
    }

    private func retraction(of message: MessageID, _ place: Place, _ previous: Int64?) -> Mutation {
        .putControl(
            ControlEntry(
                kind: .retract, lane: lanes[place.lane].id, sequence: place.sequence, previous: previous,
                message: message))
    }

    mutating func deleted(_ messages: [MessageID], _ moment: Moment, _ actions: inout [OutboxAction]) {
        for message in messages {
            release(by: message)
            if places[message] != nil {
                actions.append(.complete(message, .deleted))
            } else if undecided.remove(message) != nil {
                actions.append(.completeAsStored(message))
            }
            if let place = fences[message], let index = lanes[place.lane].index(of: place.sequence) {
                lanes[place.lane].slots[index].kind = .retract
            }
            if let place = places[message], lanes[place.lane].headMessage == message {
                lanes[place.lane].hold = nil  // the pause was the head's
            }
            if let place = places.removeValue(forKey: message), let index = lanes[place.lane].index(of: place.sequence)
            {
                if lanes[place.lane].slots[index].wasTransmitted {
                    lanes[place.lane].slots[index].kind = .retract
                    fences[message] = place
                } else {
                    lanes[place.lane].vanish(at: index)
                }
            }
        }
        pumpAll(moment, &actions)
    }

    /// What to commit so that a failed message goes back into the queue, at the tail of its lane; empty when it is
    /// not `error`. The store hands out the new number, and the feed brings it.
    package func mutations(toResend message: Message, at moment: Moment) -> [Mutation] {
        message.syncState == .error && places[message.id] == nil ? [.resend(message.id, at: moment.wall)] : []
    }
}

extension OutboxLane {
    /// Takes a slot out that never left. O(log n) amortised: the gaps are closed when they are as many as what is left,
    /// so that creating and deleting behind a head that waits takes up no memory for good.
    mutating func vanish(at index: Int) {
        slots[index].isGone = true
        vanished += 1
        if vanished > 64, vanished * 2 > slots.count {
            slots.removeAll(where: \.isGone)
            vanished = 0
        }
        dropGoneHead()
    }

    /// Vanished slots at the unsent front are dropped, so that the head is found at once.
    mutating func dropGoneHead() {
        while inFlightCount < slots.count, slots[inFlightCount].isGone { slots.remove(at: inFlightCount) }
    }
}
