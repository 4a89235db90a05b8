import CausewayModels
import CausewayStorage

/// Operations and dependent messages, in the simplest form.
extension ReferenceModel {
    mutating func become(_ state: SyncState, _ id: MessageID, _ time: Timestamp) {
        items[id]?.syncState = state
        items[id]?.history.append(StateChange(state: state, at: time))
        if let count = items[id]?.history.count, count > Limits.historyKeptMax {
            items[id]?.history.removeFirst()
        }
    }

    /// True if the message that it depends on exists here, is not on the server, and does not precede it in any case.
    func mustWait(_ payload: OperationPayload, _ lane: LaneID?) -> Bool {
        guard let related = payload.related, let other = items[related], other.syncState != .synced
        else {
            return false
        }
        if !payload.createsMessage || other.syncState == .error || other.lane != lane { return true }
        return other.syncState == .created && other.laneSequence == 0
    }

    func isParked(_ id: MessageID) -> Bool {
        items[id].map { $0.syncState == .created && $0.laneSequence == 0 } ?? false
    }

    mutating func deliver(_ id: MessageID, _ serverPosition: ServerPosition, _ time: Timestamp) {
        guard let message = items[id] else { return }
        guard let target = message.target else {
            place(id, serverPosition, time)
            return release(id, time)
        }
        take(
            message, saying: bodies[id]?.content ?? message.content, on: target, serverPosition.acceptedAt
        )
        items[id] = nil
        bodies[id] = nil
    }

    private mutating func take(
        _ operation: ReferenceItem, saying content: MessageContent, on target: MessageID,
        _ time: Timestamp
    ) {
        guard var body = bodies[target] else { return }
        switch operation.change {
        case .edit:
            if let editedAt = body.editedAt, editedAt > time { return }
            body.content = content
            body.editedAt = time
            body.clock.edit = VersionClock.Stamp(at: time, sequence: operation.laneSequence)
        case .addReaction(_, let name), .removeReaction(_, let name):
            let known = [body.clock.page, body.clock.reactions[name]?.at].compactMap(\.self)
            if known.contains(where: { $0 >= time }) { return }
            body.clock.reactions[name] = VersionClock.Stamp(at: time, sequence: operation.laneSequence)
            if case .addReaction = operation.change {
                Self.react(&body, content, isAdded: true)
            } else {
                Self.react(&body, content, isAdded: false)
            }
        case .create, nil: return
        }
        if body.changedAt.map({ $0 < time }) ?? true { body.changedAt = time }
        bodies[target] = body
    }

    private static func react(_ body: inout MessageBody, _ content: MessageContent, isAdded: Bool) {
        guard case .text(let name) = content, body.myReactions.contains(name) != isAdded else { return }
        if isAdded { body.myReactions.insert(name) } else { body.myReactions.remove(name) }
        let count = max(0, (body.reactions[name] ?? (isAdded ? 0 : 1)) + (isAdded ? 1 : -1))
        body.reactions[name] = count == 0 ? nil : count
    }

    mutating func fail(_ id: MessageID, _ failure: Failure, _ inDoubt: Bool) {
        guard isUndelivered(id) else { return }
        if let target = items[id]?.target, items[target] == nil {
            items[id] = nil
            bodies[id] = nil
            return
        }
        become(.error, id, failure.at)
        items[id]?.failure = failure
        if items[id]?.isOperation == true { releaseLane(id) }
        items[id]?.isInDoubt = inDoubt
        if failure.code == "attachmentUnknown" { forgetUpload(id) }
    }

    mutating func resend(_ id: MessageID, _ isParked: Bool, _ time: Timestamp) {
        guard isUndelivered(id) else { return }
        become(.created, id, time)
        items[id]?.queuedAt = time
        items[id]?.laneSequence = isParked ? 0 : Self.gap
        items[id]?.previousSequence = nil
        items[id]?.attempts = 0
        forgetUploadAttempts(id)
        if !isParked { append(id) }
    }

    mutating func park(_ id: MessageID, _ failure: Failure) {
        guard let message = items[id] else { return }
        if let related = message.related, isUndelivered(related) {
            if isQueued(id) { resend(id, true, failure.at) }
        } else {
            fail(id, failure, false)
        }
    }

    mutating func merge(_ placed: RemoteMessage, _ time: Timestamp) {
        if items[placed.id] == nil {
            guard !deletions.contains(where: { $0.message == placed.id }) else { return }
            deleted[placed.id] = nil
            items[placed.id] = ReferenceItem(Message(placed, ordinal: Self.gap))
            bodies[placed.id] = placed.body
        } else {
            let isOlder = bodies[placed.id]?.changedAt.map { known in
                placed.body.changedAt.map { $0 < known } ?? true
            }
            if isOlder != true { read(placed) }
            let isOfLane = items[placed.id].map { isPassedByItsLane($0) } ?? true
            place(placed.id, placed.serverPosition, time)
            if !isOfLane { items[placed.id]?.laneSequence = 0 }
        }
        release(placed.id, time)
    }

    /// True if the server can have the item only because the item's lane delivered it. A failed one, or one that
    /// another copy of the store has too, may have come another way.
    private func isPassedByItsLane(_ item: ReferenceItem) -> Bool {
        guard isUndelivered(item.id) else { return true }
        return item.syncState != .error && (item.ordinal == Self.gap || item.ordinal >= sharedBelow)
    }

    /// The page includes everything up to its last change.
    private mutating func read(_ placed: RemoteMessage) {
        let clock = bodies[placed.id]?.clock
        bodies[placed.id] = placed.body
        bodies[placed.id]?.clock = clock ?? VersionClock()
        bodies[placed.id]?.clock.page = placed.body.changedAt
    }

    private mutating func place(_ id: MessageID, _ serverPosition: ServerPosition, _ time: Timestamp) {
        if isUndelivered(id) { become(.synced, id, time) }
        items[id]?.serverPosition = serverPosition
        items[id]?.failure = nil
        items[id]?.isInDoubt = false
    }

    mutating func release(_ id: MessageID, _ time: Timestamp?) {
        let parked = items.values.filter { $0.related == id && isParked($0.id) }
        // One without a number was created last, in this commit.
        for message in parked.sorted(by: {
            UInt64(bitPattern: $0.ordinal) < UInt64(bitPattern: $1.ordinal)
        }) {
            items[message.id]?.laneSequence = Self.gap
            if let time { items[message.id]?.queuedAt = time }
            append(message.id)
        }
    }

    /// Notes that the message is the last link of its lane now.
    mutating func append(_ id: MessageID) {
        guard let message = items[id], let lane = message.lane, let content = bodies[id]?.content else {
            return
        }
        appended.append(
            OutboxEntry(
                kind: .send, lane: lane, sequence: Self.gap, previous: nil, message: id, attempts: 0,
                bytes: (try? ContentCoding.encode(content).count) ?? 0, queuedAt: message.queuedAt,
                isOperation: message.isOperation, upload: message.upload))
    }

    /// Displays in each message its pending operations.
    mutating func render() {
        for (id, message) in items {
            let waiting = items.values.filter { $0.target == id && isQueued($0.id) }
                .sorted { $0.ordinal < $1.ordinal }
            if !items.values.contains(where: { $0.target == id }) { bodies[id]?.clock = VersionClock() }
            guard let body = bodies[id] else { continue }
            var shown = body
            for operation in waiting {
                let content = bodies[operation.id]?.content ?? operation.content
                let later: VersionClock.Stamp?
                if let name = operation.change?.reaction {
                    later = body.clock.reactions[name]
                } else {
                    later = body.clock.edit
                }
                if let later, !isParked(operation.id), operation.laneSequence < later.sequence { continue }
                switch operation.change {
                case .edit: shown.content = content
                case .addReaction: Self.react(&shown, content, isAdded: true)
                case .removeReaction: Self.react(&shown, content, isAdded: false)
                case .create, nil: break
                }
            }
            if message.displayed != shown { items[id]?.displayed = shown }
            let confirmed = waiting.isEmpty ? nil : body
            if message.confirmed != confirmed { items[id]?.confirmed = confirmed }
        }
    }

    /// Checks that released messages got their lane sequences in the order of their creation.
    func checkReleases() throws {
        var last: [MessageID: ReferenceItem] = [:]
        for message in items.values.filter({ $0.isOperation && isQueued($0.id) && $0.laneSequence > 0 })
            .sorted(by: { $0.ordinal < $1.ordinal })
        where message.attempts == 0 && message.history.isEmpty {
            guard let target = message.target else { continue }
            if let before = last[target], before.lane == message.lane {
                try require(before.laneSequence < message.laneSequence, "operations on \(target) change places")
            }
            last[target] = message
        }
    }
}
