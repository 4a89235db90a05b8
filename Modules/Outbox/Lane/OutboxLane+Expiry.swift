import CausewayModels
import DequeModule

/// The ages of a lane's messages.
///
/// Within a lane the order of sequences is the order of entering, so the oldest message is the first that is still to
/// be sent. ``aging`` holds the sequences of messages in that order; those that were delivered or deleted meanwhile are
/// dropped when they reach its front. O(log n) for each message, amortised; nothing is scanned.
extension OutboxLane {
    /// The index of the oldest message; `nil` if there is none, or it is in flight. An attempt under way may succeed:
    /// it is not expired before it has ended, nor are the messages behind it, which could not leave earlier either.
    var oldestWaiting: Int? {
        guard let sequence = aging.first, let index = index(of: sequence), index >= inFlightCount else { return nil }
        return index
    }

    /// Drops the front of the ages of messages that are no longer to be sent.
    mutating func dropAged() {
        while let sequence = aging.first {
            if let index = index(of: sequence), slots[index].isMessage { return }
            aging.removeFirst()
        }
    }
}
