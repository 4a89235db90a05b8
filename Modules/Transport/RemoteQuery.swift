public import CausewayModels

/// A page of a channel, by position on the server.
public struct RemoteQuery: Sendable, Hashable {
    public enum Range: Sendable, Hashable {
        /// The newest.
        case newest
        /// The oldest behind this position.
        case after(position: Int64)
        /// The newest below this position.
        case before(position: Int64)
    }

    public var channel: ChannelID
    public var range: Range
    /// 1 to ``Limits/pageSizeMax``.
    public var limit: Int

    public init(channel: ChannelID, range: Range, limit: Int) {
        self.channel = channel
        self.range = range
        self.limit = min(max(1, limit), Limits.pageSizeMax)
    }
}

/// The answer to a ``RemoteQuery``.
public struct RemotePage: Sendable, Hashable {
    /// By ascending position.
    public var items: [PlacedMessage]
    /// True when there is more in the direction that was asked for.
    public var hasMore: Bool

    public init(items: [PlacedMessage], hasMore: Bool) {
        self.items = items
        self.hasMore = hasMore
    }
}
