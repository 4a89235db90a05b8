import CausewayModels
import DequeModule

/// A bounded set of recently added messages: the newest displaces the oldest.
struct RecentIDs: Sendable, Hashable {
    /// Enough for the messages between a commit and the feed's report of it.
    static let countMax = 1024

    private var order: Deque<MessageID> = []
    private var known: Set<MessageID> = []

    func contains(_ message: MessageID) -> Bool { known.contains(message) }

    /// O(1).
    mutating func insert(_ message: MessageID) {
        guard known.insert(message).inserted else { return }
        order.append(message)
        if order.count > Self.countMax { known.remove(order.removeFirst()) }
    }
}
