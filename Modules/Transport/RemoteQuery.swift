public import CausewayModels

/// A page of a channel, by position on the server.
public struct RemoteQuery: Sendable, Hashable {
    /// A part of a channel, by positions.
    public enum Range: Sendable, Hashable {
        /// The newest messages.
        case newest
        /// The oldest messages after this position.
        case after(position: Int64)
        /// The newest messages before this position.
        case before(position: Int64)
    }

    /// The channel whose messages are listed.
    public var channel: ChannelID
    /// The part of the channel.
    public var range: Range
    /// 1 to ``Limits/pageSizeMax``.
    public var limit: Int
    /// The messages to list. A server may list others, too.
    public var filter: MessageFilter
    /// True if deleted messages are to be listed, too (``RemotePage/deleted``). A server may list none.
    public var includesDeleted: Bool
    /// The server's history as the client knows it; set by the component that performs the query.
    public var history: ServerHistory?

    /// Creates a query; the limit is brought into its range. By default it lists all messages but deleted ones.
    public init(
        channel: ChannelID, range: Range, limit: Int, filter: MessageFilter = MessageFilter(),
        includesDeleted: Bool = false
    ) {
        self.channel = channel
        self.includesDeleted = includesDeleted
        self.filter = filter
        self.range = range
        self.limit = min(max(1, limit), Limits.pageSizeMax)
    }
}

/// The response to a ``RemoteQuery``.
public struct RemotePage: Sendable, Hashable {
    /// By ascending position.
    public var items: [RemoteMessage]
    /// Tombstones of deleted messages, by ascending position; empty if they were not asked for. They have no tags.
    public var deleted: [DeletedMessage]
    /// True if there is more in the requested direction. A page without items has more only if it reports its range.
    public var hasMore: Bool
    /// The positions of which the page lists every message that the server has and that satisfies the query's filter:
    /// a stored message there that satisfies it, and is neither among ``items`` nor ``unreadable``, was deleted. If
    /// there is nothing newer, it ends after the channel's newest position, even if no message is left at that
    /// position. `nil` if the server does not report it.
    public var range: Range<Int64>?
    /// Positions in the range at which the server has a message that it cannot return because its data are damaged.
    /// A stored copy of it is kept.
    public var unreadable: Set<Int64> = []
    /// An opaque cursor for requesting changes. `nil` if the server does not support that.
    public var cursor: String?
    /// The history that the page belongs to; `nil` from a server without histories.
    public var history: ServerHistory?

    /// Creates a page without a history; set that afterwards.
    public init(
        items: [RemoteMessage], deleted: [DeletedMessage] = [], hasMore: Bool, range: Range<Int64>? = nil,
        cursor: String? = nil
    ) {
        self.items = items
        self.deleted = deleted
        self.hasMore = hasMore
        self.range = range
        self.cursor = cursor
    }
}

/// The response to a request for one message.
public struct RemoteMessageState: Sendable, Hashable {
    /// `nil` if the server does not have it, or the account may not read it.
    public var message: RemoteMessage?
    /// The history that the response belongs to; `nil` from a server without histories.
    public var history: ServerHistory?

    /// Creates a response; `history` is nil for servers without histories.
    public init(_ message: RemoteMessage?, history: ServerHistory? = nil) {
        self.message = message
        self.history = history
    }
}
