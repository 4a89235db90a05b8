import CausewayModels
import CausewayStorage
import DequeModule

/// Expiry of messages that waited too long: ``OutboxConfiguration/expiry``.
///
/// **Age.** Counts from the time when the message entered the queue. The age of a message that is enqueued during this
/// run is measured by the monotonic clock. A message that the store held at the start has an initial age by the wall
/// clock, read at the first event (never negative, even if the clock was set back meanwhile), which then grows by the
/// monotonic clock. So setting the wall clock while the program runs neither causes nor prevents an expiry.
///
/// **Order.** Within a lane the order of sequences is the order of entering, so the oldest message is the first that is
/// still to be sent. ``OutboxLane/aging`` holds the sequences of messages in that order; those that were delivered or
/// deleted meanwhile are dropped when they reach its front. O(log n) for each message, amortised; nothing is scanned.
///
/// **In batch in flight.** An attempt under way may succeed: it is not expired before it has ended, nor are the
/// messages behind it, which could not leave earlier either. A batch never includes a message that is too old.
extension Outbox {
    /// Determines the initial age of stored messages, at the first event of a run.
    mutating func beginAging(_ clock: ClockReading) {
        guard start == nil, configuration.expiry != nil else { return }
        start = clock
        for lane in lanes.indices {
            for index in lanes[lane].slots.indices {
                lanes[lane].slots[index].queuedAt = min(lanes[lane].slots[index].queuedAt, clock.wall)
            }
        }
    }

    /// The time when a message that was queued at `queuedAt` expires; `nil` if it does not.
    private func expiry(of queuedAt: Timestamp) -> MonotonicTime? {
        guard let expiry = configuration.expiry, let start else { return nil }
        let (age, overflow) = start.wall.milliseconds.subtractingReportingOverflow(queuedAt.milliseconds)
        return start.now + (expiry - .milliseconds(overflow ? .max : age))
    }

    /// Messages queued at this time or earlier have expired; `nil` if nothing expires.
    func expiredUntil(_ clock: ClockReading) -> Timestamp? {
        configuration.expiry.map { undisturbedWall(clock).advanced(by: .zero - $0) }
    }

    /// The time of the next possible expiry in the lane; `nil` while there is none, or the oldest message is in batch
    /// in flight.
    func nextExpiry(_ lane: Int) -> MonotonicTime? {
        guard let sequence = lanes[lane].aging.first, let index = lanes[lane].index(of: sequence),
            index >= lanes[lane].inFlightCount
        else { return nil }
        return expiry(of: lanes[lane].slots[index].queuedAt)
    }

    /// The wall clock time at `clock`, ignoring changes of the wall clock since the start.
    func undisturbedWall(_ clock: ClockReading) -> Timestamp {
        guard let start else { return clock.wall }
        return start.wall.advanced(by: clock.now - start.now)
    }

    /// Fails the messages of the lane that are too old.
    mutating func expire(_ lane: Int, _ step: inout OutboxStep) {
        guard let limit = configuration.expiry else { return }
        dropAged(lane)
        guard hasSession else { return }
        while let due = nextExpiry(lane), due <= step.clock.now, let sequence = lanes[lane].aging.first,
            let index = lanes[lane].index(of: sequence)
        {
            let detail = "waited longer than \(limit.components.seconds) s"
            let failure = finalFailure(.expired, code: "expired", detail: detail, at: step.clock)
            if lanes[lane].headMessage == lanes[lane].slots[index].message {
                lanes[lane].hold = nil  // the pause belonged to the head
            }
            if lanes[lane].slots[index].wasTransmitted || mayBeElsewhere(sequence) {
                giveUp(lane, index, failure, &step)
            } else {
                expireUnsent(lane, index, failure, &step)
            }
            dropAged(lane)
            if step.mutationCount >= Self.expiredPerCommitMax {
                step.commit()
            }
        }
        step.commit()
    }

    /// Mutations in one commit that expires many messages.
    private static let expiredPerCommitMax = 500

    /// Drops the front of the ages of messages that are no longer to be sent.
    mutating func dropAged(_ lane: Int) {
        while let sequence = lanes[lane].aging.first {
            if let index = lanes[lane].index(of: sequence), lanes[lane].slots[index].isToBeSent { return }
            lanes[lane].aging.removeFirst()
        }
    }

    /// Fails a message that was never transmitted: its number leaves no gap, and needs no fence.
    private mutating func expireUnsent(_ lane: Int, _ index: Int, _ failure: Failure, _ step: inout OutboxStep) {
        let slot = lanes[lane].slots.remove(at: index)  // near the front: what is before it was transmitted or is new
        lanes[lane].dropGoneHead()
        locations[slot.message] = nil
        noteFailure(of: slot, failure, lane, &step)
    }
}
