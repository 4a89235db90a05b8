package import CausewayModels
package import CausewayStorage

/// The messages of a channel that a ``RetentionPolicy`` does not keep, decided for one sweep. Pure.
package struct RetentionCutoff: Sendable, Equatable {
    /// Messages from this position on are kept.
    package var position: Int64
    /// Messages that the server accepted at this time or later are kept; `nil` if time does not matter.
    package var acceptedAt: Timestamp?

    /// - Parameter part: what remains of the channel if only ``messagesKept(under:)`` messages are kept.
    /// - Returns: `nil` if everything is kept.
    package init?(_ policy: RetentionPolicy, _ part: RetainedPart, now: Timestamp) {
        guard let start = part.start else { return nil }
        position = start
        switch policy {
        case .forever: return nil
        case .count: acceptedAt = nil
        case .age(let age): acceptedAt = now.advanced(by: .zero - age)
        }
    }

    /// The number of a channel's newest messages that are kept in any case.
    package static func messagesKept(under policy: RetentionPolicy) -> Int {
        guard case .count(let count) = policy else { return Limits.retainedMessagesMin }
        return max(count, Limits.retainedMessagesMin)
    }

    /// True if the message need not be kept. The store still keeps one that is not delivered, or is referred to.
    package func drops(_ message: Message) -> Bool {
        guard let place = message.serverPosition, place.position < position else { return false }
        return acceptedAt.map { place.acceptedAt < $0 } ?? true
    }
}
