public import CausewayModels
import CausewayStorage

/// The dependency of a query, at the granularity at which changes are routed: a change is evaluated only by the windows
/// whose topic it concerns. With a thousand open collections, a message of one channel costs nothing in the others.
///
/// A value: a new kind of records has its topics without a change here.
public struct LiveTopic: Sendable, Hashable {
    /// The records of a kind that a topic covers.
    public enum Scope: Sendable, Hashable {
        /// The records of a list: those of the kind that have an entry with this name and scope.
        case list(name: String, scope: String)
        /// One record, by its id.
        case record(String)
        /// One record whose id is a UUID.
        case uuid(UUIDv7)
    }

    /// The kind of the records.
    public let kind: RecordKind
    /// The records of the kind that the topic covers.
    public let scope: Scope

    /// Creates a topic; two are the same if kind and scope are equal.
    public init(_ kind: RecordKind, _ scope: Scope) {
        self.kind = kind
        self.scope = scope
    }

    /// The records of a list.
    public init(_ list: RecordList) { self.init(list.kind, .list(name: list.name, scope: list.scope)) }
}

extension LiveTopic {
    private static let messages: RecordKind = "message"

    /// One message, by its id.
    public static func message(_ id: MessageID) -> LiveTopic { LiveTopic(messages, .uuid(id.value)) }

    /// The messages of a channel.
    public static func channel(_ channel: ChannelID) -> LiveTopic {
        LiveTopic(messages, .list(name: "channel", scope: channel.value))
    }

    /// All messages that are not `synced`.
    public static let undelivered = LiveTopic(messages, .list(name: "undelivered", scope: ""))

    /// All messages in state `error`; of one channel if given.
    public static func failed(in channel: ChannelID?) -> LiveTopic {
        guard let channel else { return allFailed }
        return LiveTopic(messages, .list(name: "failed", scope: channel.value))
    }

    private static let allFailed = LiveTopic(messages, .list(name: "failed", scope: ""))

    /// The past deletions.
    public static let deleteActions = LiveTopic("deleteAction", .list(name: "all", scope: ""))

    /// The session.
    public static let session = LiveTopic("session", .list(name: "all", scope: ""))
}

extension LiveTopic {
    /// Calls `visit` at least once for each topic that a change can concern. Cost: constant.
    static func forEach(in change: RecordChange, _ visit: (LiveTopic) -> Void) {
        switch change {
        case .message(let before, let after, _): forEach(in: before, after, visit)
        case .record(let before, let after):
            guard let one = after ?? before else { return }
            // Lists of messages may show it.
            if let channel = DeletedMessage.channel(of: one) { return visit(.channel(channel)) }
            visit(LiveTopic(one.kind, .record(one.id)))
            for entry in one.entries { visit(LiveTopic(one.kind, .list(name: entry.name, scope: entry.scope))) }
            guard after != nil, let before, before.entries != one.entries else { return }
            for entry in before.entries { visit(LiveTopic(one.kind, .list(name: entry.name, scope: entry.scope))) }
        case .deleteAction: visit(.deleteActions)
        case .session: visit(.session)
        case .operation, .marker: return
        }
    }

    private static func forEach(in before: Message?, _ after: Message?, _ visit: (LiveTopic) -> Void) {
        guard let one = after ?? before else { return }
        visit(.message(one.id))
        visit(.channel(one.channel))
        if let before, before.channel != one.channel { visit(.channel(before.channel)) }
        if before?.isUndelivered == true || after?.isUndelivered == true { visit(.undelivered) }
        guard before?.syncState == .error || after?.syncState == .error else { return }
        visit(.failed(in: nil))
        visit(.failed(in: one.channel))
        if let before, before.channel != one.channel { visit(.failed(in: before.channel)) }
    }
}
