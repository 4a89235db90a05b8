import CausewayModels
import CausewayStorage
import DequeModule

/// Lanes that are paused by a failed message: ``HeadFailurePolicy/pauseLane``.
///
/// Every message that fails permanently pauses its lane and is recorded: in the store by its failure, here in
/// ``pauses``. The lane resumes when none is left: each was resent, deleted, or turned out to be on the server.
/// One that the store parks instead, because the message that it refers to is here, is released again:
/// ``OutboxEvent/unpaused(_:)``. An operation pauses no lane, because only its target depends on it.
/// While a lane is paused its messages wait; its fences are still sent, because their verdicts concern messages that
/// had been transmitted.
extension Outbox {
    /// The failed message that pauses the lane; `nil` unless its messages must wait until it is resent or deleted.
    /// O(1).
    func failedMessage(pausing lane: Int) -> MessageID? {
        configuration.headFailure == .pauseLane ? pauses.first(in: lane) : nil
    }

    /// The permanent failure of a message, as it is stored: neither an operation nor a message that failed with its
    /// session pauses a lane.
    func finalFailure(
        of slot: OutboxLane.Slot, _ reason: Failure.Reason, code: String, detail: String, at clock: ClockReading
    ) -> Failure {
        Failure(
            reason: reason, code: code, detail: detail, at: clock.wall,
            pausesLane: configuration.headFailure == .pauseLane && !slot.isOperation && reason != .sessionEnded)
    }

    /// Records a message that failed permanently in this lane.
    mutating func notePause(by message: MessageID, _ failure: Failure, _ lane: Int) {
        if failure.pausesLane { pauses.insert(message, in: lane) }
    }
}
