import CausewayModels
import CausewayStorage

/// A store without disk or threads: what the mutations mean, as plainly as it can be said.
///
/// A value. A crash takes nothing away from it, for each call takes effect as a whole or not at all.
struct ModelStore {
    let outboxID: OutboxID
    private(set) var epoch: Int64 = 0
    private var nextSequence: Int64 = 1
    private var lastTransmitted: [LaneID: Int64] = [:]
    private(set) var messages: [MessageID: Message] = [:]
    private(set) var controls: [Int64: ControlEntry] = [:]
    private(set) var deletions: [DeleteAction] = []
    /// New links that the machine has not been told of yet: the change feed.
    private(set) var feed: [OutboxEntry] = []

    let sabotage: Sabotage?

    init(outboxID: OutboxID, sabotage: Sabotage?) {
        self.outboxID = outboxID
        self.sabotage = sabotage
    }

    mutating func takeFeed() -> [OutboxEntry] {
        defer { feed = [] }
        return feed
    }

    /// In the order of creation.
    var inOrder: [Message] { messages.values.sorted { $0.ordinal < $1.ordinal } }

    /// The links, by ascending sequence.
    var entries: [OutboxEntry] {
        let sends = messages.values.compactMap(Self.entry)
        return (sends + controls.values.map(\.entry)).sorted { $0.sequence < $1.sequence }
    }

    var snapshot: OutboxSnapshot {
        OutboxSnapshot(outboxID: outboxID, epoch: epoch, lastTransmitted: lastTransmitted, entries: entries)
    }

    // MARK: - Commits

    mutating func begin(_ restart: RestartPolicy, _ failure: Failure) -> OutboxSnapshot {
        epoch += 1
        feed = []
        switch restart {
        case .fail: endSession(failure)
        case .resume:
            for (id, message) in messages where message.isQueued { messages[id]?.syncState = .created }
        }
        return snapshot
    }

    mutating func enqueue(
        _ id: MessageID, _ content: MessageContent, role: MessageRole = .message, lane: LaneID, at time: Timestamp
    ) -> Message {
        enqueue(
            MessageDraft(
                id: id, channel: SimulatedWorld.channel, sender: SimulatedWorld.user, role: role, content: content,
                createdAt: time, lane: lane))
    }

    private mutating func enqueue(_ draft: MessageDraft) -> Message {
        let ordinal = takeSequence()
        let mayGo = Message.mayGo(draft.role, in: draft.lane, with: draft.role.related.flatMap { messages[$0] })
        let message = Message(draft, ordinal: ordinal, laneSequence: mayGo ? ordinal : 0)
        messages[draft.id] = message
        tellFeed(message)
        overlay(message.role.target)
        return messages[draft.id] ?? message
    }

    /// Operations on a message, and what is parked for it.
    func dependants(of id: MessageID) -> [Message] {
        messages.values.filter { $0.dependence == id }.sorted { $0.ordinal < $1.ordinal }
    }

    mutating func commit(_ mutations: [Mutation]) {
        for mutation in mutations { apply(mutation) }
    }

    private mutating func apply(_ mutation: Mutation) {
        switch mutation {
        case .attempt(let id, let previous, let attempts, let time):
            guard messages[id]?.isQueued == true else { return }
            messages[id]?.syncState = .syncing
            messages[id]?.previousSequence = previous
            messages[id]?.attempts = attempts
            messages[id]?.lastAttemptAt = time
        case .requeue(let id, let attempts, at: _):
            guard messages[id]?.isQueued == true else { return }
            messages[id]?.syncState = .created
            messages[id]?.attempts = attempts
            if sabotage == .requeueForgetsPrevious { messages[id]?.previousSequence = nil }
        case .deliver(let id, let placement, at: _): deliver(id, placement)
        case .fail(let id, let failure, let inDoubt): fail(id, failure, inDoubt)
        case .settle(let id): messages[id]?.isInDoubt = false
        case .resend(let id, let time): resend(id, at: time)
        case .park(let id, let failure): park(id, failure)
        case .enqueue(let draft): _ = enqueue(draft)
        case .rewrite(let id, let content):
            messages[id] = messages[id]?.rewritten(content)
            overlay(id)
            overlay(messages[id]?.role.target)
        case .delete(let id):
            let target = messages[id]?.role.target
            messages[id] = nil
            overlay(target)
        case .putControl, .appendDelete, .attemptControl, .removeControl, .rebase, .setLastTransmitted, .raiseSequence:
            applyToChain(mutation)
        case .recordDelete(let action): deletions.append(action)
        case .endSession(let failure): endSession(failure)
        case .saveSession: break
        case .forgetAccount, .merge: preconditionFailure("the simulator has one account and no queries")
        }
    }

    private mutating func applyToChain(_ mutation: Mutation) {
        switch mutation {
        case .putControl(let entry): controls[entry.sequence] = entry
        case .appendDelete(let id, let lane):
            let entry = ControlEntry(kind: .delete, lane: lane, sequence: takeSequence(), previous: nil, message: id)
            controls[entry.sequence] = entry
            feed.append(entry.entry)
        case .attemptControl(let sequence, let previous): controls[sequence]?.previous = previous
        case .removeControl(let sequence): controls[sequence] = nil
        case .rebase(let sequence, let previous):
            if controls[sequence] != nil {
                controls[sequence]?.previous = previous
            } else if let message = messages.values.first(where: { $0.isQueued && $0.laneSequence == sequence }) {
                messages[message.id]?.previousSequence = previous
            }
        case .setLastTransmitted(let lane, let sequence): lastTransmitted[lane] = sequence
        case .raiseSequence(let mark): nextSequence = max(nextSequence, mark + 1)
        default: preconditionFailure("not a mutation of the chain")
        }
    }

    private mutating func deliver(_ id: MessageID, _ placement: Placement) {
        guard let message = messages[id] else { return }
        if let target = message.role.target {
            messages[target] = messages[target]?.taken(message, placement)
            messages[id] = nil
            return overlay(target)
        }
        messages[id]?.syncState = .synced
        messages[id]?.placement = placement
        messages[id]?.failure = nil
        messages[id]?.isInDoubt = false
        for dependant in dependants(of: id) where dependant.isParked {
            let sequence = takeSequence()
            messages[dependant.id]?.laneSequence = sequence
            if let released = messages[dependant.id] { tellFeed(released) }
        }
    }

    private mutating func fail(_ id: MessageID, _ failure: Failure, _ inDoubt: Bool) {
        guard let message = messages[id], message.isUndelivered else { return }
        if let target = message.role.target, messages[target] == nil {
            messages[id] = nil
            return
        }
        messages[id]?.syncState = .error
        messages[id]?.failure = failure
        messages[id]?.isInDoubt = inDoubt
        overlay(message.role.target)
    }

    private mutating func park(_ id: MessageID, _ failure: Failure) {
        guard let message = messages[id] else { return }
        if message.role.related.flatMap({ messages[$0] })?.isUndelivered == true {
            resend(id, at: failure.at)
        } else {
            fail(id, failure, false)
        }
    }

    private mutating func resend(_ id: MessageID, at time: Timestamp) {
        guard let message = messages[id], message.isUndelivered, let lane = message.lane else { return }
        let mayGo = Message.mayGo(message.role, in: lane, with: message.role.related.flatMap { messages[$0] })
        messages[id]?.syncState = .created
        let sequence = mayGo ? takeSequence() : 0
        messages[id]?.laneSequence = sequence
        messages[id]?.queuedAt = time
        messages[id]?.previousSequence = nil
        messages[id]?.attempts = 0
        if let message = messages[id] { tellFeed(message) }
        overlay(message.role.target)
    }

    /// The message shows what waits to be applied to it.
    private mutating func overlay(_ id: MessageID?) {
        guard let id, let message = messages[id] else { return }
        messages[id] = message.overlaid(with: dependants(of: id).filter(\.role.isOperation))
    }

    private mutating func endSession(_ failure: Failure) {
        for (id, message) in messages where message.isQueued && !message.isWaitingOperation {
            messages[id]?.syncState = .error
            messages[id]?.failure = failure
            guard let previous = message.previousSequence, let lane = message.lane else { continue }
            messages[id]?.isInDoubt = true
            controls[message.laneSequence] = ControlEntry(
                kind: .fence, lane: lane, sequence: message.laneSequence, previous: previous, message: id)
        }
        for id in messages.keys where messages[id]?.base != nil { overlay(id) }
    }

    private mutating func takeSequence() -> Int64 {
        defer { nextSequence += 1 }
        return nextSequence
    }

    private mutating func tellFeed(_ message: Message) {
        if let entry = Self.entry(message) { feed.append(entry) }
    }

    private static func entry(_ message: Message) -> OutboxEntry? {
        guard message.isQueued, !message.isParked, let lane = message.lane else { return nil }
        return OutboxEntry(
            kind: .send, lane: lane, sequence: message.laneSequence, previous: message.previousSequence,
            message: message.id, attempts: message.attempts, bytes: SimulatedWorld.bytes(of: message.sentContent),
            queuedAt: message.queuedAt)
    }
}

extension Message {
    /// In the queue or on its way.
    var isQueued: Bool { syncState != .synced && syncState != .error }
}
