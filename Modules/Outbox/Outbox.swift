package import CausewayModels
package import CausewayStorage
import DequeModule

/// The outbox: which message is sent when, what an answer means, and what to do after a failure.
///
/// A value without clock, task, socket or disk: an event and the time go in, actions come out. Whoever drives it
/// performs the actions in order and feeds back what happened. Everything that must be right about order, retry,
/// restart and deletion is decided here.
///
/// **Chain.** Each lane is a chain of links with ascending sequences. A link that is transmitted for the first time
/// names the sequence transmitted before it, and keeps that name for all its attempts; the server applies it only
/// if that is where its lane stands. So nothing arrives out of order, whatever the network does, and a message that
/// was deleted before it ever left leaves no hole. A message that was transmitted and is then given up or deleted
/// leaves a `fence` or `retract` in its place, which asks the server for a verdict and keeps the chain whole.
///
/// **Attempts.** Only the first message of a round is charged with an attempt; it is written down before the round
/// leaves. What stands behind it waits, uncharged. Being unreachable, a rate limit or a need for attention give the
/// attempt back, and so do deliveries that the client itself refuses or breaks off. After a failure the head goes alone
/// until something is accepted, so that no message pays for another; after a crash with an attempt under way too, and
/// then nothing of another lane is under way with it. A delivery of several that the server refuses whole is halved
/// until the message is found that it cannot read.
///
/// **Outlook.** What only time or the network can change always has a next look, 15 s away at the most. A question
/// holds up no message.
///
/// **Verdicts.** A message whose attempts all had answers is `error` as soon as they are used up. One that is in doubt
/// is `error` too, but who waits for it is told only when the server has said whether it has it.
///
/// **Cost.** O(log n) per message, n the length of its lane; nothing sorts or scans a lane per send.
package struct Outbox: Sendable, Hashable {
    /// What the client asked for, within what the transport allows.
    package var configuration: OutboxConfiguration
    package let outboxID: OutboxID
    package let epoch: Int64
    let lineage: Lineage
    /// True once the server has admitted this opening as the newest one of the store.
    var isConfirmed = false
    /// Times in a row that another copy was noticed without the server having confirmed anything in between.
    var forks = 0

    /// True from the moment when the store holds, or must hold, something else than this machine until it was read:
    /// nothing more is done under the old numbers.
    var isForking = false

    /// In the order in which they were first seen, so that the same history gives the same actions.
    var lanes: [OutboxLane] = []
    var laneIndices: [LaneID: Int] = [:]
    /// Where the messages that are to be sent stand.
    var places: [MessageID: Place] = [:]
    /// Where the fences stand, of messages that are `error` or sent again.
    var fences: [MessageID: Place] = [:]
    /// Messages that are `error` in doubt: who waits for them is not told before the verdict.
    var undecided: Set<MessageID> = []
    /// Messages that were proven without a place: the feed may still bring one that the store gave them before.
    var provenBeforePlaced = RecentMessages()
    /// Replies that were sent again because what they answer is on the server after all; each is once.
    var sentAfterParent = RecentMessages()
    /// Failed messages that pause a lane, and which.
    var pausing: [MessageID: Int] = [:]
    /// When this run began: the first event. Only kept where messages expire.
    var start: Moment?
    var link = OutboxLink()
    var hasSession = false
    package internal(set) var isPaused = false
    package internal(set) var attention: Attention?
    /// Lanes with something to send that found no room among the deliveries under way, first come, first served; each
    /// is in it once. Empty whenever there is room for the first.
    var lanesInTurn: Deque<Int> = []
    /// Deliveries under way in all lanes.
    var flightCount = 0
    /// The lane that sent last, when nothing else may be under way with that delivery: see
    /// ``OutboxLane/sendsAfterCrashMax``.
    var laneByItself: Int?
    /// The lanes whose questions pause, and perhaps such as pause no longer.
    var questionHolds: Set<Int> = []
    /// Nothing is sent before this moment: the server asked for it.
    var rateLimitedUntil: MonotonicTime?
    var generator: SplitMix64
    /// Grows over the whole run of the process, also across ``init(_:configuration:seed:firstRound:)``.
    package internal(set) var nextRound: Int

    struct Place: Sendable, Hashable {
        /// Index into `lanes`, which never shrinks.
        var lane: Int
        var sequence: Int64
    }

    /// Starts from what the store holds. Cost: linear in the outbox.
    ///
    /// - Parameters:
    ///   - seed: for jitter.
    ///   - firstRound: above every round of this run of the process, so that late answers are known as such.
    package init(
        _ snapshot: OutboxSnapshot, configuration: OutboxConfiguration, seed: UInt64, firstRound: Int = 1
    ) {
        nextRound = firstRound
        self.configuration = configuration
        outboxID = snapshot.outboxID
        epoch = snapshot.epoch
        lineage = snapshot.lineage
        generator = SplitMix64(seed: seed)
        for (lane, sequence) in snapshot.lastTransmitted.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            lanes[laneIndex(lane)].lastTransmitted = sequence
            lanes[laneIndex(lane)].base = sequence
        }
        for entry in snapshot.entries {
            append(entry)
            if entry.kind == .fence { undecided.insert(entry.message) }
        }
        for pause in snapshot.pauses where pausing.updateValue(laneIndex(pause.lane), forKey: pause.message) == nil {
            lanes[laneIndex(pause.lane)].pausing.append(pause.message)
        }
        for lane in lanes.indices {
            lanes[lane].knownUntil = max(lanes[lane].lastTransmitted, lanes[lane].slots.last?.sequence ?? 0)
            // An orderly end gives the attempt under way back: one that is written down was cut off, or failed.
            if lanes[lane].slots.contains(where: { $0.isToBeSent && $0.attempts > 0 }) {
                lanes[lane].sendsAfterCrashMax = 1
            }
        }
    }

    /// Takes an event in and says what to do.
    package mutating func handle(_ event: OutboxEvent, at moment: Moment) -> [OutboxAction] {
        beginAging(moment)
        var actions: [OutboxAction] = []
        switch event {
        case .enqueued(let entries): enqueue(entries, moment, &actions)
        case .answered(let round, let report): answered(round, report, moment, &actions)
        case .failed(let round, let error): failed(round, error, moment, &actions)
        case .unsendable(let round, let messages, let detail):
            let failure = finalFailure(.unsendable, code: "unsendable", detail: detail, at: moment)
            unsendable(round, messages, failure, moment, &actions)
        case .foreign(let round, let messages):
            let detail = "another account created it and logged out meanwhile; log in as that one to resend it"
            let failure = Failure(reason: .sessionEnded, code: "otherAccount", detail: detail, at: moment.wall)
            unsendable(round, messages, failure, moment, &actions)
        case .interrupted(let round): interrupted(round, moment, &actions)
        case .historyChanged(let history, let marks):
            startOver(with: .follow(history, marks: marks), moment, &actions)
            provenBeforePlaced = RecentMessages()  // what was proven in the former history
        case .feedReset: startOver(with: .reload, moment, &actions)
        case .forked(let snapshot): forked(snapshot, moment, &actions)
        case .greeted: greeted(moment, &actions)
        case .probeFailed(let error):
            probeFailed(error, moment)
            // Messages behind a need for attention may wait for nothing but this look.
            pumpAll(moment, &actions)
        case .proven(let message, let placement):
            proven(message, placement, moment, &actions)
            pumpAll(moment, &actions)
        case .rewritten(let message, let bytes): rewritten(message, bytes)
        case .deleted(let messages): deleted(messages, moment, &actions)
        case .unpaused(let messages):
            for message in messages { release(by: message) }
            pumpAll(moment, &actions)
        case .sessionBegan:
            hasSession = true
            startProbe(moment, &actions)
        case .attentionResolved:
            attention = nil
            link.isProbing = false  // a probe under way knows only the old token
            startProbe(moment, &actions)
        case .paused: isPaused = true
        case .resumed:
            isPaused = false
            pumpAll(moment, &actions)
        case .probeRequested: startProbe(moment, &actions)
        case .deadline: deadlineReached(moment, &actions)
        }
        grantTurns(moment, &actions)
        return actions
    }

    /// When ``OutboxEvent/deadline`` is due; `nil` when nothing waits for time to pass.
    package var nextDeadline: MonotonicTime? {
        guard hasSession else { return nil }
        var deadlines: [MonotonicTime] = []
        if let nextProbe = link.nextProbe, !link.isProbing { deadlines.append(nextProbe) }
        if case .settling(let until) = link.state { deadlines.append(until) }
        if mayTransmitButForTime {
            if let rateLimitedUntil {
                deadlines.append(rateLimitedUntil)  // pauses that end before it change nothing
            } else {
                for lane in lanes {
                    if let hold = lane.hold, !lane.slots.isEmpty { deadlines.append(hold.until) }
                }
            }
        }
        if configuration.expiry != nil { deadlines += lanes.indices.compactMap(nextExpiry) }
        return deadlines.min()
    }

    /// False while new links could lead to nothing: nobody is logged in, or the outbox is paused or needs attention.
    /// Where messages expire each one is news, for its age counts from when it is seen.
    package var canUseNews: Bool {
        hasSession && (configuration.expiry != nil || (!isPaused && attention == nil))
    }

    /// Links that still have to be said to the server.
    package var depth: Int { lanes.reduce(0) { $0 + $1.slots.count } }

    /// Messages that can be found in the chains, or that are owed a verdict.
    package var indexedCount: Int { places.count + fences.count + undecided.count }

    // MARK: - Chains

    mutating func append(_ entry: OutboxEntry) {
        let lane = laneIndex(entry.lane)
        let place = Place(lane: lane, sequence: entry.sequence)
        switch entry.kind {
        case .send:
            if provenBeforePlaced.contains(entry.message) { return }
            if let old = places[entry.message] { vanish(old) }
            places[entry.message] = place
            release(by: entry.message)
            if configuration.expiry != nil { lanes[lane].aging.append(entry.sequence) }
            undecided.remove(entry.message)  // sent again: its waiters follow the new attempt
        case .fence, .retract: fences[entry.message] = place
        case .delete: break
        }
        lanes[lane].slots.append(
            OutboxLane.Slot(
                kind: entry.kind, message: entry.message, sequence: entry.sequence, previous: entry.previous,
                attempts: entry.attempts, bytes: entry.bytes, queuedAt: entry.queuedAt,
                // Another run of the process transmitted it, and what became of that is not known.
                isInDoubt: entry.previous != nil))
    }

    /// The message got another place in its lane before it ever left the old one.
    private mutating func vanish(_ place: Place) {
        guard let index = lanes[place.lane].index(of: place.sequence), !lanes[place.lane].slots[index].wasTransmitted
        else { return }
        lanes[place.lane].vanish(at: index)
    }

    /// False for what a snapshot held already: the feed may bring it again.
    private mutating func isNew(_ entry: OutboxEntry) -> Bool {
        let lane = laneIndex(entry.lane)
        return entry.sequence > max(lanes[lane].knownUntil, lanes[lane].slots.last?.sequence ?? 0)
    }

    /// The index of a lane, which is made when it is new.
    mutating func laneIndex(_ id: LaneID) -> Int {
        if let index = laneIndices[id] { return index }
        lanes.append(OutboxLane(id: id, lastTransmitted: 0))
        laneIndices[id] = lanes.count - 1
        return lanes.count - 1
    }

    private mutating func enqueue(_ entries: [OutboxEntry], _ moment: Moment, _ actions: inout [OutboxAction]) {
        var touched: [Int] = []
        for var entry in entries {
            guard isNew(entry) else { continue }
            entry.queuedAt = undisturbedWall(moment)
            let lane = laneIndex(entry.lane)
            if entry.kind == .send, entry.sequence <= lanes[lane].lastTransmitted {
                // It got its number while the lane started anew above it: it needs a later one.
                actions.append(.commit([.resend(entry.message, at: moment.wall)]))
                continue
            }
            append(entry)
            if touched.last != lane { touched.append(lane) }
        }
        hurryProbe(moment, &actions)
        for lane in touched { pump(lane, moment, &actions) }
    }

    // MARK: - Attention

    mutating func needAttention(_ attention: Attention, _ moment: Moment) {
        self.attention = attention
        link.nextProbe = nil
        planAttentionProbe(moment)
    }

    /// Whatever came of the last look: as long as something needs attention there is a next one, unless only a person
    /// can change it. A server that asked to wait is obeyed.
    mutating func planAttentionProbe(_ moment: Moment) {
        guard let attention, attention.cause != .superseded, !link.isProbing, link.nextProbe == nil else { return }
        let soonest = moment.now + configuration.attentionProbeInterval
        link.nextProbe = max(soonest, rateLimitedUntil ?? soonest)
    }

    mutating func resolveAttention() { attention = nil }
}
