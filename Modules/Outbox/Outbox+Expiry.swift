import CausewayModels
import CausewayStorage
import DequeModule

/// Messages that are given up because they waited too long: ``OutboxConfiguration/expiry``.
///
/// **Age.** It counts since the message entered the queue. What enters during this run is seen entering, and its age is
/// that of the monotonic clock. What the store held at the start had an age by the wall clock then, which is taken
/// as it was at the first event (a clock that was set back meanwhile makes nobody younger than new) and grows by the
/// monotonic clock. So no wall clock that is set while the program runs makes anything expire, or keeps it from it.
///
/// **Order.** In a lane the order of sequences is the order of entering, so the oldest message is the first that is
/// still to be sent. ``OutboxLane/aging`` holds the sequences of messages in that order; those that were delivered or
/// deleted meanwhile are dropped when they come to its front. O(log n) for each message, amortised; nothing is scanned.
///
/// **In flight.** An attempt under way may succeed: it is not touched before it has ended, nor is what stands behind
/// it, which could not leave before either. In a round, nothing leaves that is too old.
extension Outbox {
    /// The first event of a run: what the store held has an age now.
    mutating func beginAging(_ moment: Moment) {
        guard start == nil, configuration.expiry != nil else { return }
        start = moment
        for lane in lanes.indices {
            for index in lanes[lane].slots.indices {
                lanes[lane].slots[index].queuedAt = min(lanes[lane].slots[index].queuedAt, moment.wall)
            }
        }
    }

    /// When what entered the queue at this moment expires; `nil` when it does not.
    private func expiry(of queuedAt: Timestamp) -> MonotonicTime? {
        guard let expiry = configuration.expiry, let start else { return nil }
        let (age, overflow) = start.wall.milliseconds.subtractingReportingOverflow(queuedAt.milliseconds)
        return start.now + (expiry - .milliseconds(overflow ? .max : age))
    }

    /// What entered the queue then or before has expired; `nil` where nothing expires.
    func expiredUntil(_ moment: Moment) -> Timestamp? {
        configuration.expiry.map { undisturbedWall(moment).advanced(by: .zero - $0) }
    }

    /// When something in the lane may expire next; `nil` while nothing can, or what is oldest is in flight.
    func nextExpiry(_ lane: Int) -> MonotonicTime? {
        guard let sequence = lanes[lane].aging.first, let index = lanes[lane].index(of: sequence),
            index >= lanes[lane].inFlightCount
        else { return nil }
        return expiry(of: lanes[lane].slots[index].queuedAt)
    }

    /// The moment as a wall clock would name it that was not set since the start.
    func undisturbedWall(_ moment: Moment) -> Timestamp {
        guard let start else { return moment.wall }
        return start.wall.advanced(by: moment.now - start.now)
    }

    /// Gives up what waits in the lane and is too old.
    mutating func expire(_ lane: Int, _ moment: Moment, _ actions: inout [OutboxAction]) {
        guard let limit = configuration.expiry else { return }
        dropAged(lane)
        guard hasSession else { return }
        var settlement = Settlement()
        while let due = nextExpiry(lane), due <= moment.now, let sequence = lanes[lane].aging.first,
            let index = lanes[lane].index(of: sequence)
        {
            let detail = "it waited longer than \(limit.components.seconds) s"
            let failure = finalFailure(.expired, code: "expired", detail: detail, at: moment)
            if lanes[lane].headMessage == lanes[lane].slots[index].message {
                lanes[lane].hold = nil  // the pause was the head's
            }
            if lanes[lane].slots[index].wasTransmitted || mayBeElsewhere(sequence) {
                giveUp(lane, index, failure, &settlement)
            } else {
                lapse(lane, index, failure, &settlement)
            }
            dropAged(lane)
            if settlement.mutations.count >= Self.expiredPerCommitMax {
                commit(settlement, &actions)
                settlement = Settlement()
            }
        }
        commit(settlement, &actions)
    }

    /// Steps of one commit that gives up many.
    private static let expiredPerCommitMax = 500

    /// Forgets the ages of what is not to be sent any more, from the oldest on.
    mutating func dropAged(_ lane: Int) {
        while let sequence = lanes[lane].aging.first {
            if let index = lanes[lane].index(of: sequence), lanes[lane].slots[index].isToBeSent { return }
            lanes[lane].aging.removeFirst()
        }
    }

    /// A message that never left becomes `error`: its number leaves no hole, and there is nothing to ask about it.
    private mutating func lapse(_ lane: Int, _ index: Int, _ failure: Failure, _ settlement: inout Settlement) {
        let slot = lanes[lane].slots.remove(at: index)  // near the front: what is before it was transmitted or is new
        lanes[lane].dropGoneHead()
        places[slot.message] = nil
        noteFailure(of: slot, failure, lane, &settlement)
    }
}
