package import CausewayModels
package import CausewayStorage
import DequeModule

/// A state machine that decides which message is sent when, how to interpret a response, and how to proceed after a
/// failure.
///
/// A value without clock, task, socket or disk: an event and the time go in, actions come out. The driver performs the
/// actions in order and reports their results as events. All decisions about order, retry, restart and deletion are
/// made here.
///
/// **Chain.** Each lane is a chain of links with ascending sequences. A link that is transmitted for the first time
/// names the sequence transmitted before it, and keeps that name for all its attempts; the server applies it only if
/// its lane's mark is that sequence. So nothing arrives out of order, whatever the network does, and a message that was
/// deleted before it was transmitted leaves no gap. A message that was transmitted and then fails or is deleted leaves
/// a `fence` or `retract` under its sequence, which asks the server for a verdict and keeps the chain contiguous.
///
/// **Attempts.** Only the first message of a batch is charged with an attempt, which is stored before the batch is
/// sent. Messages behind it wait without a counted attempt. If the server is unreachable, asks to wait or requires user
/// action, the attempt is refunded, and likewise for batches that the client itself refuses or cancels. After a failure
/// the head is sent alone until something is accepted, so that no message is charged for another; after a crash with an
/// attempt under way as well, and then nothing of another lane is under way with it. A batch of several that the server
/// refuses as a whole is halved until the message that it cannot read is found.
///
/// **Outlook.** A state that only time or the network can change always has a next probe, at most 15 s away. A fence
/// delays no message.
///
/// **Verdicts.** A message whose attempts all had responses becomes `error` as soon as they are used up. One that is in
/// doubt becomes `error` too, but its waiters are completed only after the server has reported whether it has it.
///
/// **Cost.** O(log n) per message, n the length of its lane; nothing sorts or scans a lane per send.
package struct Outbox: Sendable, Hashable {
    /// The configuration that the client requested, within the limits of the transport.
    package var configuration: OutboxConfiguration
    package let outboxID: OutboxID
    package let epoch: Int64
    let lineage: Lineage
    /// True once the server has admitted this opening as the newest one of the store.
    var isConfirmed = false
    /// The number of consecutive times that another copy was detected without any confirmation by the server in
    /// between.
    var forks = 0

    /// True from the time when the store's outbox differs, or must differ, from this machine until it was read: nothing
    /// more is done under the old numbers.
    var isForking = false

    /// In the order in which they were first used, so that equal histories produce equal actions.
    var lanes: [OutboxLane] = []
    var laneIndices: [LaneID: Int] = [:]
    /// The slots of messages that are to be sent.
    var locations: [MessageID: SlotLocation] = [:]
    /// The slots of fences, for messages that are `error` or sent again.
    var fences: [MessageID: SlotLocation] = [:]
    /// Messages that are `error` in doubt: their waiters are not completed before the verdict.
    var awaitingVerdict: Set<MessageID> = []
    /// Messages that were confirmed before they had a slot: the feed may still report one that the store had enqueued
    /// before.
    var confirmedBeforeKnown = RecentIDs()
    /// Replies that were sent again because their parent is on the server after all; each only once.
    var sentAfterParent = RecentIDs()
    /// Failed messages that pause a lane, and the lane of each.
    var pausing: [MessageID: Int] = [:]
    /// The time of the first event of this run. Only set if messages expire.
    var start: ClockReading?
    var connection = ConnectionState()
    var hasSession = false
    package internal(set) var isPaused = false
    package internal(set) var actionRequired: ActionRequired?
    /// Lanes with something to send that found no room among the batches under way, in the order of arrival; each at
    /// most once. Empty whenever there is room for the first.
    var lanesInTurn: Deque<Int> = []
    /// Batches under way in all lanes.
    var inFlightBatchCount = 0
    /// The lane that sent last, if nothing else may be under way with that batch: see
    /// ``OutboxLane/sendsAfterCrashMax``.
    var laneByItself: Int?
    /// The lanes whose fences pause; may include lanes whose pause has ended.
    var questionHolds: Set<Int> = []
    /// Nothing is sent before this time, at the server's request.
    var rateLimitedUntil: MonotonicTime?
    var generator: SplitMix64
    /// Increases over the whole run of the process, also across ``init(_:configuration:seed:firstBatch:)``.
    package internal(set) var nextBatch: Int

    struct SlotLocation: Sendable, Hashable {
        /// Index into `lanes`, which never shrinks.
        var lane: Int
        var sequence: Int64
    }

    /// Creates the machine from a snapshot of the store. Cost: linear in the outbox.
    ///
    /// - Parameters:
    ///   - seed: for jitter.
    ///   - firstRound: above the number of every batch of this run of the process, so that late responses are
    ///     recognised.
    package init(
        _ snapshot: OutboxSnapshot, configuration: OutboxConfiguration, seed: UInt64, firstBatch: Int = 1
    ) {
        nextBatch = firstBatch
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
            // Waiters of a message that is sent again follow the new attempt, wherever its fence is.
            if entry.kind == .fence, locations[entry.message] == nil { awaitingVerdict.insert(entry.message) }
        }
        for pause in snapshot.pauses where pausing.updateValue(laneIndex(pause.lane), forKey: pause.message) == nil {
            lanes[laneIndex(pause.lane)].pausing.append(pause.message)
        }
        for lane in lanes.indices {
            lanes[lane].knownUntil = max(lanes[lane].lastTransmitted, lanes[lane].slots.last?.sequence ?? 0)
            // An orderly end refunds the attempt under way: a stored attempt was cut off, or failed.
            if lanes[lane].slots.contains(where: { $0.isToBeSent && $0.attempts > 0 }) {
                lanes[lane].sendsAfterCrashMax = 1
            }
        }
    }

    /// Handles an event and returns the actions to perform.
    package mutating func handle(_ event: OutboxEvent, at clock: ClockReading) -> [OutboxAction] {
        beginAging(clock)
        var step = OutboxStep(at: clock)
        switch event {
        case .enqueued(let entries): enqueue(entries, &step)
        case .responded(let batch, let report):
            noteHeard(clock)
            responded(batch, report, &step)
        case .failed(let batch, let error): failed(batch, error, &step)
        case .unsendable(let batch, let messages, let detail):
            let failure = finalFailure(.unsendable, code: "unsendable", detail: detail, at: clock)
            unsendable(batch, messages, failure, &step)
        case .foreign(let batch, let messages):
            let detail = "created by another account, which has logged out; log in with that account to resend it"
            let failure = Failure(reason: .sessionEnded, code: "otherAccount", detail: detail, at: clock.wall)
            unsendable(batch, messages, failure, &step)
        case .interrupted(let batch): interrupted(batch, &step)
        case .historyChanged(let history, let marks):
            startOver(with: .follow(history, marks: marks), &step)
            confirmedBeforeKnown = RecentIDs()  // confirmations in the former history
        case .feedReset: startOver(with: .reload, &step)
        case .forked(let snapshot): forked(snapshot, &step)
        case .authenticated: authenticated(&step)
        case .probeFailed(let error):
            probeFailed(error, clock)
            // Messages behind a required user action may wait only for this probe.
            dispatchAll(&step)
        case .confirmed(let message, let serverPosition):
            confirmed(message, serverPosition, &step)
            dispatchAll(&step)
        case .rewritten(let message, let bytes): rewritten(message, bytes)
        case .deleted(let messages): deleted(messages, &step)
        case .unpaused(let messages):
            for message in messages { release(by: message) }
            dispatchAll(&step)
        case .sessionBegan:
            hasSession = true
            startProbe(&step)
        case .actionResolved:
            actionRequired = nil
            connection.isProbing = false  // a probe under way knows only the old token
            startProbe(&step)
        case .paused:
            isPaused = true
            forgetIdleProbe()
        case .resumed:
            isPaused = false
            dispatchAll(&step)
        case .probeRequested: startProbe(&step)
        case .deadline: deadlineReached(&step)
        }
        grantTurns(&step)
        planIdleProbe(clock)
        return step.actions
    }

    /// The time at which ``OutboxEvent/deadline`` is due; `nil` if nothing waits for time to pass.
    package var nextDeadline: MonotonicTime? {
        guard hasSession else { return nil }
        var deadlines: [MonotonicTime] = []
        if let nextProbe = connection.nextProbe, !connection.isProbing { deadlines.append(nextProbe) }
        if case .settling(let until) = connection.state { deadlines.append(until) }
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

    /// False while new links cannot lead to any action: no user is logged in, or the outbox is paused or requires user
    /// action. If messages expire every new link counts, because its age starts when it is reported.
    package var canUseNews: Bool {
        hasSession && (configuration.expiry != nil || (!isPaused && actionRequired == nil))
    }

    /// The number of links that the server has not confirmed.
    package var depth: Int { lanes.reduce(0) { $0 + $1.slots.count } }

    /// The number of indexed messages: those in the chains, and those that await a verdict.
    package var indexedCount: Int { locations.count + fences.count + awaitingVerdict.count }

    // MARK: - Chains

    mutating func append(_ entry: OutboxEntry) {
        let lane = laneIndex(entry.lane)
        let location = SlotLocation(lane: lane, sequence: entry.sequence)
        switch entry.kind {
        case .send:
            if confirmedBeforeKnown.contains(entry.message) { return }
            if let old = locations[entry.message] { removeUnsent(old) }
            locations[entry.message] = location
            release(by: entry.message)
            if configuration.expiry != nil { lanes[lane].aging.append(entry.sequence) }
            awaitingVerdict.remove(entry.message)  // sent again: its waiters follow the new attempt
        case .fence, .retract: fences[entry.message] = location
        case .delete: break
        }
        lanes[lane].slots.append(
            OutboxLane.Slot(
                kind: entry.kind, message: entry.message, sequence: entry.sequence, previous: entry.previous,
                attempts: entry.attempts, bytes: entry.bytes, queuedAt: entry.queuedAt,
                isOperation: entry.isOperation,
                // Another run of the process transmitted it, with an unknown result.
                isInDoubt: entry.previous != nil))
    }

    /// Removes the slot of a message that was renumbered before it was transmitted from the old slot.
    private mutating func removeUnsent(_ location: SlotLocation) {
        guard let index = lanes[location.lane].index(of: location.sequence),
            !lanes[location.lane].slots[index].wasTransmitted
        else { return }
        lanes[location.lane].removeUnsent(at: index)
    }

    /// False for an entry that a snapshot contained already: the feed may report it again.
    private mutating func isNew(_ entry: OutboxEntry) -> Bool {
        let lane = laneIndex(entry.lane)
        return entry.sequence > max(lanes[lane].knownUntil, lanes[lane].slots.last?.sequence ?? 0)
    }

    /// The index of a lane, which is added if it is new.
    mutating func laneIndex(_ id: LaneID) -> Int {
        if let index = laneIndices[id] { return index }
        lanes.append(OutboxLane(id: id, lastTransmitted: 0))
        laneIndices[id] = lanes.count - 1
        return lanes.count - 1
    }

    private mutating func enqueue(_ entries: [OutboxEntry], _ step: inout OutboxStep) {
        var touched: [Int] = []
        for var entry in entries {
            guard isNew(entry) else { continue }
            entry.queuedAt = undisturbedWall(step.clock)
            let lane = laneIndex(entry.lane)
            if entry.kind == .send, entry.sequence <= lanes[lane].lastTransmitted {
                // It got its number while the lane was renumbered above it: it needs a later one.
                step.perform(.commit([.resend(entry.message, at: step.clock.wall)]))
                continue
            }
            append(entry)
            if touched.last != lane { touched.append(lane) }
        }
        hurryProbe(&step)
        for lane in touched { dispatch(lane, &step) }
    }

    // MARK: - ActionRequired

    mutating func requireAction(_ actionRequired: ActionRequired, _ clock: ClockReading) {
        self.actionRequired = actionRequired
        connection.nextProbe = nil
        planRecoveryProbe(clock)
    }

    /// Plans the next probe, whatever the result of the last one: as long as user action is required there is a next
    /// probe, unless only the user can change the state. A server's request to wait is obeyed.
    mutating func planRecoveryProbe(_ clock: ClockReading) {
        guard let actionRequired, actionRequired.cause != .superseded, !connection.isProbing,
            connection.nextProbe == nil
        else { return }
        let soonest = clock.now + configuration.recoveryProbeInterval
        connection.nextProbe = max(soonest, rateLimitedUntil ?? soonest)
    }

    mutating func clearActionRequired() { actionRequired = nil }
}
