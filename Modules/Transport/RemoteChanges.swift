public import CausewayModels

/// A request for the changes of a part of a channel since it was read.
public struct RemoteChangesQuery: Sendable, Hashable {
    /// The channel of the part.
    public var channel: ChannelID
    /// ``RemotePage/cursor`` of the earliest page that the part was read with, or of the last changes.
    public var cursor: String
    /// The first position of the part.
    public var from: Int64
    /// The last position of the part; if it is open, the newest position that was known.
    public var through: Int64
    /// True if the part includes everything after ``through``.
    public var isOpen: Bool
    /// The maximum number of messages and deletions in the response: 1 to ``Limits/pageSizeMax``.
    public var limit: Int
    /// The server's history as the client knows it; set by the component that performs the query.
    public var history: ServerHistory?

    /// Creates a query; the limit is brought into its range.
    public init(channel: ChannelID, cursor: String, from: Int64, through: Int64, isOpen: Bool, limit: Int) {
        self.channel = channel
        self.cursor = cursor
        self.from = from
        self.through = through
        self.isOpen = isOpen
        self.limit = min(max(1, limit), Limits.pageSizeMax)
    }
}

/// The response to a ``RemoteChangesQuery``.
public struct RemoteChanges: Sendable, Hashable {
    /// Every message of the part that was changed or added since, in its current state, by ascending position.
    public var items: [RemoteMessage]
    /// The messages that were deleted since.
    public var gone: [MessageID]
    /// The cursor for the next request for changes.
    public var cursor: String
    /// The channel's newest position.
    public var newest: Int64
    /// The history that the changes belong to; `nil` from a server without histories.
    public var history: ServerHistory?

    /// Creates a response without a history; set that afterwards. See the properties.
    public init(items: [RemoteMessage], gone: [MessageID], cursor: String, newest: Int64) {
        self.items = items
        self.gone = gone
        self.cursor = cursor
        self.newest = newest
    }
}
