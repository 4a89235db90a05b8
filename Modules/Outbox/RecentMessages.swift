import CausewayModels
import DequeModule

/// The last so many messages that something happened to. Bounded: the oldest is forgotten for the newest.
struct RecentMessages: Sendable, Hashable {
    /// Enough for what happens between a commit and the feed's word of it.
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
