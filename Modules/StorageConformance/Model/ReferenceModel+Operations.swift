import CausewayModels
import CausewayStorage

/// Operations and dependent messages, in the simplest form.
extension ReferenceModel {
    mutating func become(_ state: SyncState, _ id: MessageID, _ time: Timestamp) {
        messages[id]?.syncState = state
        messages[id]?.history.append(StateChange(state: state, at: time))
        if let count = messages[id]?.history.count, count > Limits.historyKeptMax {
            messages[id]?.history.removeFirst()
        }
    }

    /// True if the message that it depends on exists here, is not on the server, and does not precede it in any case.
    func mustWait(_ role: MessageRole, _ lane: LaneID?) -> Bool {
        guard let related = role.related, let other = messages[related], other.syncState != .synced else {
            return false
        }
        if role.isOperation || other.syncState == .error || other.lane != lane { return true }
        return other.syncState == .created && other.laneSequence == 0
    }

    func isParked(_ id: MessageID) -> Bool {
        messages[id].map { $0.syncState == .created && $0.laneSequence == 0 } ?? false
    }

    mutating func deliver(_ id: MessageID, _ serverPosition: ServerPosition, _ time: Timestamp) {
        guard let message = messages[id] else { return }
        guard let target = message.role.target else {
            place(id, serverPosition, time)
            return release(id, time)
        }
        take(message, saying: bodies[id]?.content ?? message.content, on: target, serverPosition.acceptedAt)
        messages[id] = nil
        bodies[id] = nil
    }

    private mutating func take(
        _ operation: Message, saying content: MessageContent, on target: MessageID, _ time: Timestamp
    ) {
        guard var body = bodies[target] else { return }
        switch operation.role {
        case .edit:
            if let editedAt = body.editedAt, editedAt > time { return }
            body.content = content
            body.editedAt = time
            body.clock.edit = VersionClock.Stamp(at: time, sequence: operation.laneSequence)
        case .addReaction, .removeReaction:
            let name = operation.reactionName
            let known = [body.clock.page, body.clock.reactions[name]?.at].compactMap(\.self)
            if known.contains(where: { $0 >= time }) { return }
            body.clock.reactions[name] = VersionClock.Stamp(at: time, sequence: operation.laneSequence)
            if case .addReaction = operation.role {
                Self.react(&body, content, isAdded: true)
            } else {
                Self.react(&body, content, isAdded: false)
            }
        case .message, .reply: return
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
        if let target = messages[id]?.role.target, messages[target] == nil {
            messages[id] = nil
            bodies[id] = nil
            return
        }
        become(.error, id, failure.at)
        messages[id]?.failure = failure
        if messages[id]?.role.isOperation == true { releaseLane(id) }
        messages[id]?.isInDoubt = inDoubt
    }

    mutating func resend(_ id: MessageID, _ isParked: Bool, _ time: Timestamp) {
        guard isUndelivered(id) else { return }
        become(.created, id, time)
        messages[id]?.queuedAt = time
        messages[id]?.laneSequence = isParked ? 0 : Self.gap
        messages[id]?.previousSequence = nil
        messages[id]?.attempts = 0
        if !isParked { append(id) }
    }

    mutating func park(_ id: MessageID, _ failure: Failure) {
        guard let message = messages[id] else { return }
        if let related = message.role.related, isUndelivered(related) {
            if isQueued(id) { resend(id, true, failure.at) }
        } else {
            fail(id, failure, false)
        }
    }

    mutating func merge(_ placed: RemoteMessage, _ time: Timestamp) {
        if messages[placed.id] == nil {
            guard !deletions.contains(where: { $0.message == placed.id }) else { return }
            messages[placed.id] = Message(placed, ordinal: Self.gap)
            bodies[placed.id] = placed.body
        } else {
            let isOlder = bodies[placed.id]?.changedAt.map { known in
                placed.body.changedAt.map { $0 < known } ?? true
            }
            if isOlder != true { read(placed) }
            place(placed.id, placed.serverPosition, time)
        }
        release(placed.id, time)
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
        messages[id]?.serverPosition = serverPosition
        messages[id]?.failure = nil
        messages[id]?.isInDoubt = false
    }

    mutating func release(_ id: MessageID, _ time: Timestamp?) {
        let parked = messages.values.filter { $0.role.related == id && isParked($0.id) }
        // One without a number was created last, in this commit.
        for message in parked.sorted(by: { UInt64(bitPattern: $0.ordinal) < UInt64(bitPattern: $1.ordinal) }) {
            messages[message.id]?.laneSequence = Self.gap
            if let time { messages[message.id]?.queuedAt = time }
            append(message.id)
        }
    }

    /// Notes that the message is the last link of its lane now.
    mutating func append(_ id: MessageID) {
        guard let message = messages[id], let lane = message.lane, let content = bodies[id]?.content else { return }
        appended.append(
            OutboxEntry(
                kind: .send, lane: lane, sequence: Self.gap, previous: nil, message: id, attempts: 0,
                bytes: (try? ContentCoding.encode(content).count) ?? 0, queuedAt: message.queuedAt,
                isOperation: message.role.isOperation))
    }

    /// Displays in each message its pending operations.
    mutating func render() {
        for (id, message) in messages {
            let waiting = messages.values.filter { $0.role.target == id && isQueued($0.id) }
                .sorted { $0.ordinal < $1.ordinal }
            if !messages.values.contains(where: { $0.role.target == id }) { bodies[id]?.clock = VersionClock() }
            guard let body = bodies[id] else { continue }
            var shown = body
            for operation in waiting {
                let content = bodies[operation.id]?.content ?? operation.content
                let later: VersionClock.Stamp?
                if case .edit = operation.role {
                    later = body.clock.edit
                } else {
                    later = body.clock.reactions[operation.reactionName]
                }
                if let later, !isParked(operation.id), operation.laneSequence < later.sequence { continue }
                switch operation.role {
                case .edit: shown.content = content
                case .addReaction: Self.react(&shown, content, isAdded: true)
                case .removeReaction: Self.react(&shown, content, isAdded: false)
                case .message, .reply: break
                }
            }
            if message.displayed != shown { messages[id]?.displayed = shown }
            let confirmed = waiting.isEmpty ? nil : body
            if message.confirmed != confirmed { messages[id]?.confirmed = confirmed }
        }
    }

    /// Checks that released messages got their lane sequences in the order of their creation.
    func checkReleases() throws {
        var last: [MessageID: Message] = [:]
        for message in messages.values.filter({ $0.role.isOperation && isQueued($0.id) && $0.laneSequence > 0 })
            .sorted(by: { $0.ordinal < $1.ordinal })
        where message.attempts == 0 && message.history.isEmpty {
            guard let target = message.role.target else { continue }
            if let before = last[target], before.lane == message.lane {
                try require(before.laneSequence < message.laneSequence, "operations on \(target) change places")
            }
            last[target] = message
        }
    }
}
