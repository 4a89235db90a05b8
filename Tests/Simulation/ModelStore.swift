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

    mutating func enqueue(_ id: MessageID, _ content: MessageContent, lane: LaneID, at time: Timestamp) -> Message {
        let sequence = takeSequence()
        let message = Message(
            id: id, channel: SimulatedWorld.channel, sender: SimulatedWorld.user, content: content, createdAt: time,
            ordinal: sequence, lane: lane, laneSequence: sequence)
        messages[id] = message
        tellFeed(message)
        return message
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
        case .requeue(let id, let attempts):
            guard messages[id]?.isQueued == true else { return }
            messages[id]?.syncState = .created
            messages[id]?.attempts = attempts
            if sabotage == .requeueForgetsPrevious { messages[id]?.previousSequence = nil }
        case .deliver(let id, let placement):
            messages[id]?.syncState = .synced
            messages[id]?.placement = placement
            messages[id]?.failure = nil
            messages[id]?.isInDoubt = false
        case .fail(let id, let failure, let inDoubt):
            guard messages[id]?.isUndelivered == true else { return }
            messages[id]?.syncState = .error
            messages[id]?.failure = failure
            messages[id]?.isInDoubt = inDoubt
        case .settle(let id): messages[id]?.isInDoubt = false
        case .resend(let id): resend(id)
        case .delete(let id): messages[id] = nil
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

    private mutating func resend(_ id: MessageID) {
        guard messages[id]?.isUndelivered == true else { return }
        let sequence = takeSequence()
        messages[id]?.syncState = .created
        messages[id]?.laneSequence = sequence
        messages[id]?.previousSequence = nil
        messages[id]?.attempts = 0
        if let message = messages[id] { tellFeed(message) }
    }

    private mutating func endSession(_ failure: Failure) {
        for (id, message) in messages where message.isQueued {
            messages[id]?.syncState = .error
            messages[id]?.failure = failure
            guard let previous = message.previousSequence, let lane = message.lane else { continue }
            messages[id]?.isInDoubt = true
            controls[message.laneSequence] = ControlEntry(
                kind: .fence, lane: lane, sequence: message.laneSequence, previous: previous, message: id)
        }
    }

    private mutating func takeSequence() -> Int64 {
        defer { nextSequence += 1 }
        return nextSequence
    }

    private mutating func tellFeed(_ message: Message) {
        if let entry = Self.entry(message) { feed.append(entry) }
    }

    private static func entry(_ message: Message) -> OutboxEntry? {
        guard message.isQueued, let lane = message.lane else { return nil }
        return OutboxEntry(
            kind: .send, lane: lane, sequence: message.laneSequence, previous: message.previousSequence,
            message: message.id, attempts: message.attempts, bytes: SimulatedWorld.bytes(of: message.content))
    }
}

extension Message {
    /// In the queue or on its way.
    var isQueued: Bool { syncState != .synced && syncState != .error }
}
