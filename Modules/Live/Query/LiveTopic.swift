public import CausewayModels
import CausewayStorage

/// What a query depends on, as coarsely as changes are routed: a change is held only against the windows whose topic
/// it names. With a thousand collections open, a message of one channel costs nothing in the others.
public enum LiveTopic: Sendable, Hashable {
    /// One message, by its id.
    case message(MessageID)
    /// The messages of a channel.
    case channel(ChannelID)
    /// Everything that is not `synced`.
    case undelivered
    /// Everything that is `error`; of one channel when given.
    case failed(in: ChannelID?)
    /// The past deletions.
    case deleteActions
    /// The session.
    case session
}

extension LiveTopic {
    /// Calls `visit` for each topic that a change can concern, at least once. Cost: constant.
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
        case .control:
            return
        }
    }
}
