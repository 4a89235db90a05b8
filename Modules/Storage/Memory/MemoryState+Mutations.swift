import CausewayModels

extension MemoryState {
    /// Applies one mutation. Nothing in here can fail, so a commit is never applied in part.
    ///
    /// - Parameter bytes: the size of the coded content of a `merge`.
    mutating func apply(_ mutation: Mutation, bytes: Int, to changes: inout CommitChanges) {
        switch mutation {
        case .attempt(let id, let previous, let attempts, let time):
            change(id, &changes) { $0.attempted(previous: previous, attempts: attempts, at: time) }
        case .requeue(let id, let attempts, let time):
            change(id, &changes) { $0.requeued(attempts: attempts, at: time) }
        case .deliver(let id, let serverPosition, let time):
            deliver(id, serverPosition, at: time, &changes)
        case .fail(let id, let failure, let inDoubt):
            fail(id, failure, inDoubt: inDoubt, &changes)
        case .settle(let id):
            change(id, &changes) { $0.settled() }
        case .resend(let id, let time):
            resend(id, at: time, &changes)
        case .park(let id, let failure):
            park(id, failure, &changes)
        case .enqueue(let draft):
            enqueue(draft, bytes: bytes, &changes)
        case .rewrite(let id, let content):
            change(id, bytes: bytes, &changes) { $0.rewritten(content) }
            overlay(id, &changes)
        case .delete(let id):
            delete(id, &changes)
            release(id, at: nil, &changes)
        case .merge(let placed, let time):
            merge(placed, bytes: bytes, at: time, &changes)
        case .putMarker, .appendDelete, .attemptMarker, .removeMarker, .rebase:
            applyToChain(mutation, &changes)
        case .setLastTransmitted(let lane, let sequence):
            lastTransmitted[lane] = sequence
        case .raiseSequence(let mark):
            raiseSequence(above: mark)
        case .forkOutbox(let id, let time):
            forkOutbox(id, at: time)
            changes.isReset = true
        case .keepHistory(let history):
            self.history = history
        case .followHistory(let history, let id, let marks, let time):
            followHistory(history, id, marks: marks, at: time)
            changes.isReset = true
        case .recordDelete(let action):
            record(action, &changes)
        case .saveSession(let session):
            save(session, &changes)
        case .endSession(let failure):
            endSession(failure)
            for old in allUndelivered() where old.message.pause != nil { put(old.message.unpaused(), bytes: old.bytes) }
            changes.isReset = true
        }
    }

    /// The effect of ``Store/begin(_:)`` on the messages.
    mutating func sweep(_ restart: RestartPolicy, _ failure: Failure) {
        switch restart {
        case .fail:
            endSession(failure)
        case .resume:
            for old in allUndelivered() { put(old.message.resumed(at: failure.at), bytes: old.bytes) }
        }
    }

    /// - Parameter bytes: the size of the coded content, if the step may change it.
    mutating func change(
        _ id: MessageID, bytes: Int? = nil, _ changes: inout CommitChanges, _ step: (Message) -> Message
    ) {
        guard let old = self[id] else { return }
        save(step(old.message), bytes: bytes ?? old.bytes, over: old.message, &changes)
    }

    /// Saves a message that changed; the target of an operation is updated with it.
    mutating func save(_ message: Message, bytes: Int, over old: Message?, _ changes: inout CommitChanges) {
        guard message != old else { return }
        put(message, bytes: bytes)
        changes.add(message: old, message, bytes: bytes)
        if let target = message.role.target { overlay(target, &changes) }
    }

    private mutating func merge(
        _ placed: RemoteMessage, bytes: Int, at time: Timestamp, _ changes: inout CommitChanges
    ) {
        let old = self[placed.id]
        guard old != nil || deletionCounts[placed.id] == nil else { return }
        if let old {
            let merged = old.message.merged(with: placed, at: time)
            let size = merged.sentContent == placed.content ? bytes : old.bytes
            save(overlaid(merged), bytes: size, over: old.message, &changes)
        } else {
            save(Message(placed, ordinal: takeSequence()), bytes: bytes, over: nil, &changes)
            overlay(placed.id, &changes)
        }
        release(placed.id, at: time, &changes)
    }

    private mutating func applyToChain(_ mutation: Mutation, _ changes: inout CommitChanges) {
        switch mutation {
        case .putMarker(let entry):
            raiseSequence(above: entry.sequence)
            setMarker(entry.sequence, entry, &changes)
        case .appendDelete(let id, let lane):
            let entry = ChainMarker(
                kind: .delete, lane: lane, sequence: takeSequence(), previous: nil, message: id)
            setMarker(entry.sequence, entry, &changes)
        case .attemptMarker(let sequence, let previous):
            guard var entry = controls[sequence] else { return }
            entry.previous = previous
            setMarker(sequence, entry, &changes)
        case .removeMarker(let sequence):
            setMarker(sequence, nil, &changes)
        case .rebase(let sequence, let previous):
            if var entry = controls[sequence] {
                entry.previous = previous
                setMarker(sequence, entry, &changes)
            } else if let id = pendingMessage(sequence: sequence) {
                change(id, &changes) { $0.rebased(previous: previous) }
            }
        default:
            preconditionFailure("not a mutation of the chain")
        }
    }

    private mutating func setMarker(_ sequence: Int64, _ entry: ChainMarker?, _ changes: inout CommitChanges) {
        let old = controls[sequence]
        guard entry != old else { return }
        controls[sequence] = entry
        changes.add(marker: old, entry)
    }

    private mutating func raiseSequence(above mark: Int64) {
        nextSequence = max(nextSequence, min(mark, Limits.sequenceMax) + 1)
    }

    private mutating func record(_ action: DeleteAction, _ changes: inout CommitChanges) {
        var action = action
        action.sequence = takeSequence()
        deletions[action.sequence] = action
        deletionOrder.insert(action.sequence)
        deletionCounts[action.message, default: 0] += 1
        if deletions.count > Limits.deleteActionsKeptMax, let oldest = deletionOrder.first {
            if let message = deletions.removeValue(forKey: oldest)?.message {
                let count = deletionCounts[message, default: 1] - 1
                deletionCounts[message] = count == 0 ? nil : count
            }
            deletionOrder.remove(oldest)
        }
        changes.add(action)
    }

    private mutating func endSession(_ failure: Failure) {
        let sharedBelow = lineage.sharedBelow
        for old in allUndelivered() where old.message.isPending {
            let fence = old.message.fence(sharedBelow: sharedBelow) { takeSequence() }
            if let fence { controls[fence.sequence] = fence }
            put(old.message.sessionEnded(failure, sharedBelow: sharedBelow), bytes: old.bytes)
        }
        overlayAll()
    }

    /// Updates every message with an operation; failed operations are no longer displayed.
    private mutating func overlayAll() {
        var unlisted = CommitChanges()
        for old in allUndelivered() { if let target = old.message.role.target { overlay(target, &unlisted) } }
    }
}
