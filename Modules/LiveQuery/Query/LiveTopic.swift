public import CausewayModels
import CausewayStorage

/// The dependency of a query, at the granularity at which changes are routed: a change is evaluated only by the windows
/// whose topic it concerns. With a thousand open collections, a message of one channel costs nothing in the others.
public enum LiveTopic: Sendable, Hashable {
    /// One message, by its id.
    case message(MessageID)
    /// The messages of a channel.
    case channel(ChannelID)
    /// All messages that are not `synced`.
    case undelivered
    /// All messages in state `error`; of one channel if given.
    case failed(in: ChannelID?)
    /// The past deletions.
    case deleteActions
    /// The session.
    case session
}

extension LiveTopic {
    /// Calls `visit` at least once for each topic that a change can concern. Cost: constant.
    static func forEach(in change: RecordChange, _ visit: (LiveTopic) -> Void) {
        switch change {
        case .message(let before, let after, _):
            guard let one = after ?? before else { return }
            visit(.message(one.id))
            visit(.channel(one.channel))
            if let before, before.channel != one.channel { visit(.channel(before.channel)) }
            if before?.isUndelivered == true || after?.isUndelivered == true { visit(.undelivered) }
            guard before?.syncState == .error || after?.syncState == .error else { return }
            visit(.failed(in: nil))
            visit(.failed(in: one.channel))
            if let before, before.channel != one.channel { visit(.failed(in: before.channel)) }
        case .deleteAction:
            visit(.deleteActions)
        case .session:
            visit(.session)
        case .operation, .marker:
            return
        }
    }
}
