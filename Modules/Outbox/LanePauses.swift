import CausewayModels
import DequeModule

/// The failed messages that pause lanes, by message and by lane: ``HeadFailurePolicy/pauseLane``.
///
/// A lane is paused while it has any of them, by the one that failed first. All methods are O(1), amortised.
struct LanePauses: Sendable, Hashable {
    private var lanes: [MessageID: Int] = [:]
    /// The messages of each lane, oldest failure first; may include released ones, but never at the front.
    private var messages: [Int: Deque<MessageID>] = [:]

    /// The message that has paused the lane for longest; `nil` if it is not paused.
    func first(in lane: Int) -> MessageID? { messages[lane]?.first }

    func contains(_ message: MessageID) -> Bool { lanes[message] != nil }

    /// Adds a message that failed; no effect if it pauses a lane already.
    mutating func insert(_ message: MessageID, in lane: Int) {
        guard lanes[message] == nil else { return }
        lanes[message] = lane
        messages[lane, default: []].append(message)
    }

    /// Removes a message that is no longer `error`, or that pauses no lane.
    mutating func remove(_ message: MessageID) {
        guard let lane = lanes.removeValue(forKey: message) else { return }
        while let first = messages[lane]?.first, lanes[first] != lane { messages[lane]?.removeFirst() }
        if messages[lane]?.isEmpty == true { messages[lane] = nil }
    }
}

extension LanePauses {
    /// A description of the first broken invariant, given whether a message waits to be sent; `nil` if all hold.
    func brokenInvariant(isSent: (MessageID) -> Bool) -> String? {
        for (message, lane) in lanes {
            if isSent(message) { return "message \(message) waits, and pauses a lane as failed" }
            if messages[lane]?.contains(message) != true { return "the lane does not know that \(message) pauses it" }
        }
        if messages.values.contains(where: { $0.first.map { lanes[$0] == nil } ?? true }) {
            return "a lane is paused by a message that is none of those that pause"
        }
        return nil
    }
}
