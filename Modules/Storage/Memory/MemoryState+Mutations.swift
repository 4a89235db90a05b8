import CausewayModels

extension MemoryState {
    /// What one commit changed, as it is gathered.
    struct Changes {
        var listed: [RecordChange] = []
        var isReset = false
    }

    /// Applies one mutation. Nothing in here can fail, so a commit cannot stop half-way.
    ///
    /// - Parameter bytes: the size of the coded content that a `merge` brings.
    mutating func apply(_ mutation: Mutation, bytes: Int, to changes: inout Changes) {
        switch mutation {
        case .attempt(let id, let previous, let attempts, let time):
            change(id, &changes) { $0.attempted(previous: previous, attempts: attempts, at: time) }
        case .requeue(let id, let attempts):
            change(id, &changes) { $0.requeued(attempts: attempts) }
        case .deliver(let id, let placement):
            change(id, &changes) { $0.delivered(placement) }
        case .fail(let id, let failure, let inDoubt):
            change(id, &changes) { $0.failed(failure, inDoubt: inDoubt) }
        case .settle(let id):
            change(id, &changes) { $0.settled() }
        case .resend(let id):
            guard let message = self[id]?.message, message.isUndelivered else { return }
            let sequence = takeSequence()
            change(id, &changes) { $0.resent(sequence: sequence) }
        case .delete(let id):
            guard let old = self[id] else { return }
            remove(id)
            changes.listed.append(.message(before: old.message, after: nil, bytes: old.bytes))
        case .merge(let placed):
            merge(placed, bytes: bytes, &changes)
        case .putControl, .appendDelete, .attemptControl, .removeControl, .rebase:
            applyToChain(mutation, &changes)
        case .setLastTransmitted(let lane, let sequence):
            lastTransmitted[lane] = sequence
        case .raiseSequence(let mark):
            raiseSequence(above: mark)
        case .recordDelete(let action):
            record(action, &changes)
        case .saveSession(let session):
            self.session = session
            changes.listed.append(.session(session))
        case .endSession(let failure):
            endSession(failure)
            for old in allUndelivered() where old.message.pause != nil { put(old.message.released(), bytes: old.bytes) }
            changes.isReset = true
        case .forgetAccount:
            forgetAccount()
            changes.isReset = true
        }
    }

    /// What ``Store/begin(_:)`` does to the messages.
    mutating func sweep(_ restart: RestartPolicy, _ failure: Failure) {
        switch restart {
        case .fail:
            endSession(failure)
        case .resume:
            for old in allUndelivered() { put(old.message.resumed(), bytes: old.bytes) }
        }
    }

    private mutating func change(_ id: MessageID, _ changes: inout Changes, _ step: (Message) -> Message) {
        guard let old = self[id] else { return }
        let message = step(old.message)
        guard message != old.message else { return }
        put(message, bytes: old.bytes)
        changes.listed.append(.message(before: old.message, after: message, bytes: old.bytes))
    }

    private mutating func merge(_ placed: PlacedMessage, bytes: Int, _ changes: inout Changes) {
        let old = self[placed.id]?.message
        guard old != nil || deletionCounts[placed.id] == nil else { return }
        let message = old?.merged(with: placed) ?? Message(placed, ordinal: takeSequence())
        guard message != old else { return }
        put(message, bytes: bytes)
        changes.listed.append(.message(before: old, after: message, bytes: bytes))
    }

    private mutating func applyToChain(_ mutation: Mutation, _ changes: inout Changes) {
        switch mutation {
        case .putControl(let entry):
            raiseSequence(above: entry.sequence)
            setControl(entry.sequence, entry, &changes)
        case .appendDelete(let id, let lane):
            let entry = ControlEntry(
                kind: .delete, lane: lane, sequence: takeSequence(), previous: nil, message: id)
            setControl(entry.sequence, entry, &changes)
        case .attemptControl(let sequence, let previous):
            guard var entry = controls[sequence] else { return }
            entry.previous = previous
            setControl(sequence, entry, &changes)
        case .removeControl(let sequence):
            setControl(sequence, nil, &changes)
        case .rebase(let sequence, let previous):
            if var entry = controls[sequence] {
                entry.previous = previous
                setControl(sequence, entry, &changes)
            } else if let id = pendingMessage(sequence: sequence) {
                change(id, &changes) { $0.rebased(previous: previous) }
            }
        default:
            preconditionFailure("not a mutation of the chain")
        }
    }

    private mutating func setControl(_ sequence: Int64, _ entry: ControlEntry?, _ changes: inout Changes) {
        let old = controls[sequence]
        guard entry != old else { return }
        controls[sequence] = entry
        changes.listed.append(.control(before: old, after: entry))
    }

    private mutating func raiseSequence(above mark: Int64) {
        nextSequence = max(nextSequence, min(mark, Limits.sequenceMax) + 1)
    }

    private mutating func record(_ action: DeleteAction, _ changes: inout Changes) {
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
        changes.listed.append(.deleteAction(action))
    }

    private mutating func endSession(_ failure: Failure) {
        for old in allUndelivered() where old.message.isPending {
            if let fence = old.message.fence { controls[fence.sequence] = fence }
            put(old.message.sessionEnded(failure), bytes: old.bytes)
        }
    }

    private mutating func forgetAccount() {
        controls = [:]
        lastTransmitted = [:]
        for old in allUndelivered() { put(old.message.forgotten(), bytes: old.bytes) }
    }
}
