import CausewayModels
import CausewayStorage
import DequeModule

/// Lanes that are paused by what failed in them: ``HeadFailurePolicy/pauseLane``.
///
/// Every message that fails for good pauses its lane and is remembered by it: in the store by its failure, here by
/// ``pausing``. The lane goes on when none is left: each was resent, deleted, or turned out to be on the server.
/// What turns out to be no message but an operation, or to be gone, is taken off again: ``OutboxEvent/unpaused(_:)``.
/// While a lane is paused its messages wait; its questions are still asked, for a verdict concerns what had left.
///
/// Only one message of a lane is under way under this policy, so nothing overtakes the one that fails.
extension Outbox {
    /// True while the lane's messages must wait for somebody to deal with one that failed. O(1).
    func laneIsPaused(_ lane: Int) -> Bool { configuration.headFailure == .pauseLane && !lanes[lane].pausing.isEmpty }

    /// True when messages of the lane go one at a time.
    func goesAlone(_ lane: Int) -> Bool { lanes[lane].isCautious || configuration.headFailure == .pauseLane }

    /// A failure for good, as it is written down.
    func finalFailure(_ reason: Failure.Reason, code: String, detail: String, at moment: Moment) -> Failure {
        Failure(
            reason: reason, code: code, detail: detail, at: moment.wall,
            pausesLane: configuration.headFailure == .pauseLane)
    }

    /// The message failed for good in this lane.
    mutating func notePause(by message: MessageID, _ failure: Failure, _ lane: Int) {
        guard failure.pausesLane, pausing.updateValue(lane, forKey: message) == nil else { return }
        lanes[lane].pausing.append(message)
    }

    /// The message is `error` no longer; whoever calls sees to it that its lane goes on. O(1) amortised.
    mutating func release(by message: MessageID) {
        guard let lane = pausing.removeValue(forKey: message) else { return }
        while let first = lanes[lane].pausing.first, pausing[first] != lane { lanes[lane].pausing.removeFirst() }
    }
}
