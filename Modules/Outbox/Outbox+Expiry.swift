import CausewayModels
import CausewayStorage
import DequeModule

/// Expiry of messages that waited too long: ``OutboxConfiguration/expiry``, by the clock of ``MessageAging``.
///
/// A batch never includes a message that is too old, and no message expires while it is in flight.
extension Outbox {
    var aging: MessageAging { MessageAging(limit: configuration.expiry, start: start) }

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

    /// The time of the next possible expiry in the lane; `nil` while there is none, or the oldest message is in flight.
    func nextExpiry(_ lane: Int) -> MonotonicTime? {
        lanes[lane].oldestWaiting.flatMap { aging.expiry(of: lanes[lane].slots[$0].queuedAt) }
    }

    /// Fails the messages of the lane that are too old.
    mutating func expire(_ lane: Int, _ step: inout OutboxStep) {
        guard let limit = configuration.expiry else { return }
        lanes[lane].dropAged()
        guard hasSession else { return }
        while let index = lanes[lane].oldestWaiting, let due = aging.expiry(of: lanes[lane].slots[index].queuedAt),
            due <= step.clock.now
        {
            let slot = lanes[lane].slots[index]
            let failure = finalFailure(
                of: slot, .expired, code: "expired", detail: "waited longer than \(limit.components.seconds) s",
                at: step.clock)
            lanes[lane].endHold(ofHead: slot.message)
            if slot.wasTransmitted || mayBeElsewhere(slot.ordinal, in: lanes[lane].id) {
                giveUp(lane, index, failure, &step)
            } else {
                expireUnsent(lane, index, failure, &step)
            }
            lanes[lane].dropAged()
            if step.mutationCount >= Self.expiredPerCommitMax { step.commit() }
        }
        step.commit()
    }

    /// Mutations in one commit that expires many messages.
    private static let expiredPerCommitMax = 500

    /// Fails a message that was never transmitted: its number leaves no gap, and needs no fence.
    private mutating func expireUnsent(
        _ lane: Int, _ index: Int, _ failure: Failure, _ step: inout OutboxStep
    ) {
        // Near the front: what is before it was transmitted, lost by the server, or is new.
        let slot = lanes[lane].slots.remove(at: index)
        lanes[lane].dropRemovedHead()
        slotIndex.removeSend(slot.message)
        noteFailure(of: slot, failure, lane, &step)
    }
}
