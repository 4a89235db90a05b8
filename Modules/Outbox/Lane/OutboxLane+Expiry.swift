import CausewayModels
import DequeModule

/// The ages of a lane's messages.
///
/// Messages that enter a lane during a run enter at its tail, so they become older in the order of their sequences.
/// Stored ones need not: a message that the server has lost is new to the queue, before others that are older.
/// ``aging`` holds the sequences of messages, oldest first; those that were delivered or deleted meanwhile are dropped
/// when they reach its front. O(log n) for each message, amortised; nothing is scanned.
extension OutboxLane {
    /// The index of the oldest message; `nil` if there is none, or it is in flight. An attempt under way may succeed:
    /// it is not expired before it has ended, nor are younger ones, most of which could not leave earlier either.
    var oldestWaiting: Int? {
        guard let sequence = aging.first, let index = index(of: sequence), index >= inFlightCount else { return nil }
        return index
    }

    /// Lists the ages of all messages anew. O(n log n), linear in a lane without lost messages.
    mutating func listAges() {
        aging = Deque(
            slots.filter(\.isMessage).sorted { ($0.queuedAt, $0.sequence) < ($1.queuedAt, $1.sequence) }
                .map(\.sequence))
    }

    /// Drops the front of the ages of messages that are no longer to be sent.
    mutating func dropAged() {
        while let sequence = aging.first {
            if let index = index(of: sequence), slots[index].isMessage { return }
            aging.removeFirst()
        }
    }
}
