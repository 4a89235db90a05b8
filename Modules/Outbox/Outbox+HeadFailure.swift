import CausewayModels
import CausewayStorage
import DequeModule

/// Lanes that are paused by a failed message: ``HeadFailurePolicy/pauseLane``.
///
/// Every message that fails permanently pauses its lane and is recorded: in the store by its failure, here in
/// ``pausing``. The lane resumes when none is left: each was resent, deleted, or turned out to be on the server.
/// Messages that turn out to be operations, or to have been removed, are released again: ``OutboxEvent/unpaused(_:)``.
/// While a lane is paused its messages wait; its fences are still sent, because their verdicts concern messages that
/// had been transmitted.
///
/// Only one message of a lane is under way under this policy, so nothing overtakes the one that fails.
extension Outbox {
    /// True while the lane's messages must wait until a failed one is resent or deleted. O(1).
    func laneIsPaused(_ lane: Int) -> Bool { configuration.headFailure == .pauseLane && !lanes[lane].pausing.isEmpty }

    /// True if messages of the lane are sent one at a time.
    func goesAlone(_ lane: Int) -> Bool { lanes[lane].sendsHeadOnly || configuration.headFailure == .pauseLane }

    /// A permanent failure, as it is stored.
    func finalFailure(_ reason: Failure.Reason, code: String, detail: String, at clock: ClockReading) -> Failure {
        Failure(
            reason: reason, code: code, detail: detail, at: clock.wall,
            pausesLane: configuration.headFailure == .pauseLane)
    }

    /// Records a message that failed permanently in this lane.
    mutating func notePause(by message: MessageID, _ failure: Failure, _ lane: Int) {
        guard failure.pausesLane, pausing.updateValue(lane, forKey: message) == nil else { return }
        lanes[lane].pausing.append(message)
    }

    /// Releases the pause of a message that is no longer `error`; the caller resumes its lane. O(1) amortised.
    mutating func release(by message: MessageID) {
        guard let lane = pausing.removeValue(forKey: message) else { return }
        while let first = lanes[lane].pausing.first, pausing[first] != lane { lanes[lane].pausing.removeFirst() }
    }
}
