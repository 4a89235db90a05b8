import CausewayModels
import CausewayStorage
import DequeModule

/// A mark of the server that differs from the one expected here. One that is ahead of everything transmitted belongs to
/// another copy of the store: see ``noteFork(_:)``.
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
}
