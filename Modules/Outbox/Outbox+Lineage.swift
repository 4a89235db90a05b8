import CausewayModels
import CausewayStorage
import DequeModule

/// Copies of the store: one that was restored from a backup, or that runs elsewhere as well.
///
/// The server remembers which opening of a store delivered last, and each delivery names its opening and the ones
/// before it. If the server knows another one, the store was restored or copied. A server that remembers no openings
/// shows it by a mark that is ahead of everything transmitted. This copy then continues under a new
/// outbox id: every link gets a new number in the order of the old ones, so that none overtakes another, and nothing of
/// the old id is awaited any more. The other copy may have delivered, or may yet deliver, every message of this one;
/// the server knows messages by their ids, so none is stored there twice.
///
/// Until the server has confirmed this opening in a lane, and permanently once a copy was detected, messages of an
/// earlier opening are never treated as if they had not been transmitted: see ``mayBeElsewhere(_:in:)``. One lane says
/// nothing about another: a copy that was taken while the program ran may have delivered in that one only.
extension Outbox {
    /// True for the ordinal of an item that a copy of the store has, too, so that the copy may have delivered it, or
    /// that the history which the server has returned to may contain. Its sequence would not show that: a message that
    /// waited for another one meanwhile, or that was resent, has a new one.
    ///
    /// - Parameter lane: the lane of the item; `nil` if it was never queued here.
    func mayBeElsewhere(_ ordinal: Int64, in lane: LaneID?) -> Bool {
        guard lineage.opening != nil else { return false }
        return ordinal < lineage.sharedBelow || ordinal < lineage.openedAt && !isConfirmed(lane)
    }

    /// True if the server has admitted this opening in the lane, at an operation of this store: it admits no other copy
    /// from then on. It knows only the last operation of the lane, so that one of a copy's before it, which this store
    /// left out, stays unseen.
    private func isConfirmed(_ lane: LaneID?) -> Bool {
        guard let lane else { return isConfirmed }
        return laneIndices[lane].map { lanes[$0].isConfirmed } ?? false
    }

    /// Processes a response that names the opening that the server has admitted.
    mutating func confirm(_ batch: Batch, _ report: DeliveryReport) {
        guard batch.outbox == outboxID, let opening = lineage.opening, report.opening == opening else { return }
        isConfirmed = true
        // A mark behind the batch may be one of a copy's: the next batches show whether it is one of this store's.
        if let lane = laneIndices[batch.lane], let last = batch.operations.last, report.mark <= last.sequence {
            lanes[lane].isConfirmed = true
        }
        forks = 0
    }

    /// The server has received from another copy: everything under way is taken back, and the store renumbers the
    /// outbox in creation order, including messages that no feed has reported yet.
    mutating func noteFork(_ step: inout OutboxStep) {
        startOver(with: .fork, &step)
        pauseBeforeStartingOver(step.clock)
    }

    /// Takes back everything under way; then the store determines the contents of the outbox.
    mutating func startOver(with action: OutboxAction, _ step: inout OutboxStep) {
        storeView = .outdated
        interruptUploads(&step)
        for lane in lanes.indices {
            guard let batch = lanes[lane].inFlightBatches.first?.batch else { continue }
            refundAttempt(batch)
            lanes[lane].markInDoubt { _ in true }
            takeBack(lane, judged: batch, &step)
        }
        step.perform(action)
    }

    /// The server has another history than the deliveries name: probes it for its history and the marks of the lanes.
    mutating func noteOtherHistory(_ step: inout OutboxStep) {
        switch connection.state {
        case .unknown: return  // another lane's response arrived first
        case .online: connection.state = .unknown
        case .offline, .settling:
            // After an outage the connection settles, whatever the server has lost; a probe under way sees it, too.
            if connection.isProbing { return }
        }
        startProbe(&step)
        pauseBeforeStartingOver(step.clock)
        forks += 1
    }

    /// The longest pause before the outbox continues after it has started over again and again. A server that always
    /// gives this response is queried no more often; nothing else shows that it is repaired, so it ends by time alone.
    private static let startOverPauseMax: Duration = .seconds(15)

    /// A server that repeats this response must not be queried in a tight loop: the first time costs no pause, every
    /// further one doubles it.
    private mutating func pauseBeforeStartingOver(_ clock: ClockReading) {
        guard forks > 0 else { return }
        let pause = configuration.retry.interval * (1 << min(forks - 1, 6))
        startOverUntil = clock.now + jittered(pause, atMost: Self.startOverPauseMax)
    }

    /// Replaces the outbox with a snapshot of the store, which has a new outbox id and new numbers, or changes that the
    /// feed did not report.
    mutating func forked(_ snapshot: OutboxSnapshot, _ step: inout OutboxStep) {
        var anew = Outbox(
            snapshot, configuration: configuration, seed: 0, firstBatch: nextBatch, firstUpload: uploads.nextNumber)
        anew.generator = generator
        anew.forks = forks + (snapshot.outboxID == outboxID ? 0 : 1)
        anew.marksAhead = marksAhead
        anew.isConfirmed = isConfirmed && snapshot.outboxID == outboxID
        // The feed may not have reported that one of them was resent.
        anew.awaitingVerdict.formUnion(awaitingVerdict.filter { !anew.slotIndex.sends($0) })
        anew.confirmedBeforeKnown = confirmedBeforeKnown
        anew.sentAfterParent = sentAfterParent
        anew.connection = connection
        anew.hasSession = hasSession
        anew.isPaused = isPaused
        anew.actionRequired = actionRequired
        anew.rateLimitedUntil = rateLimitedUntil
        anew.startOverUntil = startOverUntil
        anew.uploads.heldUntil = uploads.heldUntil
        anew.start = start
        anew.keepAges(of: self, step.clock)
        if snapshot.outboxID == outboxID { anew.keepPauses(of: self) }
        self = anew
        dispatchAll(&step)
    }

    /// An outbox that was read again keeps its numbers: everything known about its lanes is kept.
    private mutating func keepPauses(of old: Outbox) {
        turns = old.turns.startingOver()
        uploads.keepPauses(of: old.uploads)
        for lane in lanes.indices {
            lanes[lane].base = 0
            guard let index = old.laneIndices[lanes[lane].id] else { continue }
            let former = old.lanes[index]
            lanes[lane].base = former.base
            lanes[lane].isConfirmed = former.isConfirmed
            lanes[lane].hold = former.hold
            lanes[lane].caution = former.caution
            lanes[lane].emptyBatchFailures = former.emptyBatchFailures
            if former.hold?.isOfQuestions == true { questionHolds.insert(lane) }
            for slot in lanes[lane].slots.indices {
                guard let known = former.index(of: lanes[lane].slots[slot].sequence),
                    former.slots[known].message == lanes[lane].slots[slot].message, !former.slots[known].isInDoubt
                else { continue }
                lanes[lane].slots[slot].clearDoubt()
            }
        }
    }

    /// A new number does not reset a message's age. A message that no feed has reported entered the queue during this
    /// run: its age counts from now, whatever the wall clock was set to meanwhile.
    private mutating func keepAges(of old: Outbox, _ clock: ClockReading) {
        guard configuration.expiry != nil else { return }
        for lane in lanes.indices {
            for index in lanes[lane].slots.indices {
                let message = lanes[lane].slots[index].message
                let former = old.sendSlot(of: message).map { old.lanes[$0.lane].slots[$0.index] }
                lanes[lane].slots[index].queuedAt = former?.queuedAt ?? aging.undisturbedWall(clock)
            }
            lanes[lane].listAges()
        }
    }
}
