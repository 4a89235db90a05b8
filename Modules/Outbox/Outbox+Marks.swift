import CausewayModels
import CausewayStorage
import DequeModule

/// A mark of the server that differs from the one expected here.
extension Outbox {
    /// Continues from `mark`, where the server's lane is. Without a reliable mark (another batch was under way and may
    /// have moved it since) the same head is sent again, alone.
    mutating func follow(_ mark: Int64?, _ lane: Int, _ step: inout OutboxStep) {
        lanes[lane].emptyBatchFailures += 1
        if lanes[lane].emptyBatchFailures > 1 {
            lanes[lane].hold = OutboxLane.Hold(until: step.clock.now + jittered(configuration.retry.interval))
        }
        guard let mark, let head = lanes[lane].slots.first, head.previous != mark, mark < head.sequence else { return }
        lanes[lane].slots[0].transmit(after: mark)
        step.write(.rebase(sequence: head.sequence, previous: mark))
    }

    /// Another copy of this store has advanced further than this one: waiting messages get new numbers above its mark.
    mutating func renumber(_ lane: Int, above mark: Int64, _ step: inout OutboxStep) {
        step.write(.raiseSequence(above: mark))
        let confirmed = lanes[lane].confirmedUnderWay
        for slot in lanes[lane].slots where slot.isMessage {
            slotIndex.removeSend(slot)
            endUpload(of: slot.message, isAbandoned: false, &step)
            if let serverPosition = confirmed[slot.message] {
                step.write(.deliver(slot.message, serverPosition, at: step.clock.wall))
                step.complete(slot.message, .delivered(serverPosition))
            } else {
                step.write(.resend(slot.message, at: step.clock.wall))
            }
        }
        lanes[lane].renumber(above: mark)
        step.write(.setLastTransmitted(lanes[lane].id, mark))
    }
}

extension OutboxLane {
    /// Drops all messages, which return under new numbers; questions keep theirs.
    fileprivate mutating func renumber(above mark: Int64) {
        slots.removeAll { $0.isMessage || $0.isRemoved }
        inFlightCount = 0
        lastTransmitted = mark
        renumberedAbove = mark
    }
}
