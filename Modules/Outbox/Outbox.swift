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
/// # Guarantees
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
/// attempt under way as well, and then nothing of another lane is under way with it, nor a batch that was taken back
/// before the driver has reported its end. A batch of several that the server
/// refuses as a whole is halved until the message that it cannot read is found.
///
/// **Outlook.** A state that only time or the network can change always has a next probe, at most 15 s away. A fence
/// delays no message.
///
/// **Verdicts.** A message whose attempts all had responses becomes `error` as soon as they are used up. One that is in
/// doubt becomes `error` too, but its waiters are completed only after the server has reported whether it has it.
///
/// **Waiting.** A lane sends unless something blocks it: a ``Standstill`` of the whole outbox, a ``LaneBlock`` of its
/// own, or missing room among the batches under way (``DeliveryTurns``). A waiting message shows the same reason.
///
/// **Attachments.** A message with an attachment is sent after the server has the file. Uploads run ahead, a few at
/// once; the messages keep the order of their lanes (``UploadQueue``).
///
/// **Cost.** O(log n) per message, n the length of its lane; nothing sorts or scans a lane per send.
///
/// # Invariants
///
/// They hold between any two events; ``brokenInvariant()`` checks them.
///
/// 1. The sequences of a lane ascend, and its links in flight are its first ones: ``append(_:)``,
///    ``OutboxLane/fill(_:within:at:)``, ``OutboxLane/takeBack(_:)``.
/// 2. A transmitted link names the one transmitted before it, and leaves its lane only with a verdict:
///    ``resolveHead(_:_:of:_:_:)``, ``becomeFence(_:_:_:)``, ``OutboxLane/removeUnsent(at:)``,
///    ``follow(_:_:_:)``, ``noteFork(_:)``.
/// 3. A message that is to be sent has one slot that sends it, which ``SlotIndex`` names, and awaits no verdict on an
///    earlier failure: ``append(_:)``, ``noteFailure(of:_:_:_:)``, ``delivered(_:_:_:)``.
/// 4. No message is in flight before one that it waits for: ``messageBlock(of:)``, ``dispatch(_:_:)``.
/// 5. A lane is paused only by messages that failed and do not wait: ``notePause(by:_:_:)``, ``LanePauses``.
/// 6. No lane waits for room while there is some, and a batch that goes by itself is the only one under way:
///    ``grantTurns(_:)``, ``DeliveryTurns``.
/// 7. A state that only time or the network can change has a next probe: ``goOffline(_:_:)``,
///    ``planRecoveryProbe(_:)``. The server's next sign of life ends each pause of fences:
///    ``backOff(_:isOfQuestions:_:)``, ``endQuestionPauses(_:)``.
/// 8. A pending upload belongs to a message that is to be sent and is not in flight, at its sequence:
///    ``append(_:)``, ``endUpload(of:isAbandoned:_:)``, ``messageBlock(of:)``.
/// 9. If messages expire, each one that is to be sent ages: ``append(_:)``, ``OutboxLane/dropAged()``.
package struct Outbox: Sendable, Hashable {
    /// The configuration that the client requested, within the limits of the transport.
    package var configuration: OutboxConfiguration
    package let outboxID: OutboxID
    package let epoch: Int64
    package let lineage: Lineage
    /// True once the server has admitted this opening, in any lane, as the newest one of the store.
    var isConfirmed = false
    /// The number of consecutive times that another copy was detected without any confirmation by the server in
    /// between.
    var forks = 0
    /// The number of consecutive times that a mark of the server's was ahead of everything transmitted, without any
    /// progress in between.
    var marksAhead = 0

    /// Whether this machine and the store's outbox agree.
    var storeView = StoreView.current

    /// In the order in which they were first used, so that equal histories produce equal actions.
    var lanes: [OutboxLane] = []
    var laneIndices: [LaneID: Int] = [:]
    var slotIndex = SlotIndex()
    /// Messages that are `error` in doubt: their waiters are not completed before the verdict.
    var awaitingVerdict: Set<MessageID> = []
    /// Messages that were confirmed before they had a slot: the feed may still report one that the store had enqueued
    /// before.
    var confirmedBeforeKnown = RecentIDs()
    /// Replies that were sent again because their parent is on the server after all; each only once.
    var sentAfterParent = RecentIDs()
    var pauses = LanePauses()
    /// The time of the first event of this run. Only set if messages expire.
    var start: ClockReading?
    var connection = ConnectionState()
    var hasSession = false
    package internal(set) var isPaused = false
    package internal(set) var actionRequired: ActionRequired?
    var turns = DeliveryTurns()
    package internal(set) var uploads = UploadQueue()
    /// The lanes whose fences pause; may include lanes whose pause has ended.
    var questionHolds: Set<Int> = []
    /// Nothing is sent before this time, at the server's request.
    var rateLimitedUntil: MonotonicTime?
    /// Nothing is sent before this time, because the outbox had to start over repeatedly.
    var startOverUntil: MonotonicTime?
    var generator: SplitMix64
    /// Increases over the whole run of the process, also across ``init(_:configuration:seed:firstBatch:)``.
    package internal(set) var nextBatch: Int

    /// The relation between this machine and the store's outbox.
    enum StoreView: Sendable, Hashable {
        /// Every commit of the store is known here, or will be reported by the feed.
        case current
        /// The store's outbox differs, or must differ, from this machine until it was read: nothing more is sent under
        /// the old numbers. Reached by ``startOver(with:_:)``; ends with ``OutboxEvent/forked(_:)``.
        case outdated
    }

    /// Creates the machine from a snapshot of the store. Cost: linear in the outbox.
    ///
    /// - Parameters:
    ///   - seed: for jitter.
    ///   - firstBatch: above the number of every batch of this run of the process, so that late responses are
    ///     recognised.
    ///   - firstUpload: likewise, for attempts to upload.
    package init(
        _ snapshot: OutboxSnapshot, configuration: OutboxConfiguration, seed: UInt64, firstBatch: Int = 1,
        firstUpload: Int = 1
    ) {
        nextBatch = firstBatch
        uploads.nextNumber = firstUpload
        self.configuration = configuration
        outboxID = snapshot.outboxID
        epoch = snapshot.epoch
        lineage = snapshot.lineage
        generator = SplitMix64(seed: seed)
        connection.isServerKnown = snapshot.history != nil
        for (lane, sequence) in snapshot.lastTransmitted.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            lanes[laneIndex(lane)].lastTransmitted = sequence
            lanes[laneIndex(lane)].base = sequence
        }
        for entry in snapshot.entries {
            append(entry)
            // Waiters of a message that is sent again follow the new attempt, wherever its fence is.
            if entry.kind == .fence, !slotIndex.sends(entry.message) { awaitingVerdict.insert(entry.message) }
        }
        // A deleted message has no waiters, whatever becomes of an older fence.
        for entry in snapshot.entries where entry.kind == .retract { awaitingVerdict.remove(entry.message) }
        for pause in snapshot.pauses { pauses.insert(pause.message, in: laneIndex(pause.lane)) }
        for lane in lanes.indices {
            lanes[lane].knownUntil = max(lanes[lane].lastTransmitted, lanes[lane].slots.last?.sequence ?? 0)
            if configuration.expiry != nil { lanes[lane].listAges() }
            // An orderly end refunds the attempt under way: a stored attempt was cut off, or failed.
            if lanes[lane].slots.contains(where: { $0.isMessage && $0.attempts > 0 }) {
                lanes[lane].caution.afterCrashMax = 1
            }
        }
    }

    /// Handles an event and returns the actions to perform.
    package mutating func handle(_ event: OutboxEvent, at clock: ClockReading) -> [OutboxAction] {
        // A page lists mostly messages that nothing here waits for.
        if case .confirmed(let message, _) = event, !awaitsConfirmation(of: message) { return [] }
        beginAging(clock)
        if let batch = event.endedBatch { turns.noteEnd(of: batch.id) }
        var step = OutboxStep(at: clock)
        switch event {
        case .enqueued(let entries): enqueue(entries, &step)
        case .responded(let batch, let report):
            noteHeard(clock)
            responded(batch, report, &step)
        case .failed(let batch, let error): failed(batch, error, &step)
        case .unsendable(let batch, let messages, let detail):
            unsendable(batch, messages, .unsendable, code: "unsendable", detail: detail, &step)
        case .foreign(let batch, let messages):
            unsendable(
                batch, messages, .sessionEnded, code: FailureCode.otherAccount, detail: Self.foreignDetail, &step)
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
        case .upload(let number, let event): uploadReported(number, event, &step)
        case .unpaused(let messages):
            for message in messages { pauses.remove(message) }
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
        case .probeRequested: requestProbe(&step)
        case .heard: noteHeard(clock)
        case .networkChanged: networkChanged(&step)
        case .networkLost: networkLost(clock)
        case .deadline: deadlineReached(&step)
        }
        beginUploads(&step)
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
            if let pause = [rateLimitedUntil, startOverUntil].compactMap(\.self).max() {
                deadlines.append(pause)  // pauses that end before it change nothing
            } else {
                for lane in lanes {
                    if let hold = lane.hold, !lane.slots.isEmpty { deadlines.append(hold.until) }
                }
                if let upload = uploads.nextDeadline { deadlines.append(upload) }
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
    package var indexedCount: Int { slotIndex.count + awaitingVerdict.count }
}
