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
    /// The server's history as the client knows it; whoever performs the query sets it.
    public var history: ServerHistory?

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
    /// The positions of which the page lists every message that the server has: a stored message there that is not
    /// among ``items`` was deleted. It ends behind the channel's newest position where nothing newer is there, also
    /// when no message is left at that position. `nil` when the server does not report it.
    public var range: Range<Int64>?
    /// Where asking for changes goes on; opaque. `nil` when the server cannot be asked for them.
    public var cursor: String?
    /// The history that the page belongs to; `nil` from a server without histories.
    public var history: ServerHistory?

    public init(items: [PlacedMessage], hasMore: Bool, range: Range<Int64>? = nil, cursor: String? = nil) {
        self.items = items
        self.hasMore = hasMore
        self.range = range
        self.cursor = cursor
    }
}
