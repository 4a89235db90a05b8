public import CausewayModels

/// A request for a page of messages, by key, never by offset.
public struct MessageQuery: Sendable, Hashable {
    /// The messages of a query, in an order of their own.
    public enum Scope: Sendable, Hashable {
        /// The messages displayed in this channel: by position on the server, followed by the undelivered ones in the
        /// order of creation.
        case channel(ChannelID)
        /// All messages that are not `synced`, in the order of creation.
        case undelivered
        /// All messages of a channel that are not `synced`, in the order of creation.
        case undeliveredIn(ChannelID)
        /// All messages in state `error`, in the order of creation; of one channel if given.
        case failed(in: ChannelID?)
    }

    /// A position between two messages of a query's order.
    public typealias Cursor = MessageCursor

    /// The end of the order from which a page is read.
    public enum Direction: Sendable, Hashable {
        /// From the lowest position on: the oldest first.
        case ascending
        /// From the highest position on: the newest first.
        case descending
    }

    /// The messages and their order.
    public var scope: Scope
    /// The direction in which the page is read and listed.
    public var direction: Direction
    /// The cursor after which the page begins, in `direction`; `nil` for the very end of the order.
    public var after: Cursor?
    /// The maximum number of messages: 1 to ``Limits/pageSizeMax``.
    public var limit: Int

    /// Creates a query; the limit is brought into its range.
    public init(
        scope: Scope, direction: Direction = .ascending, after: Cursor? = nil, limit: Int = Limits.pageSizeDefault
    ) {
        self.scope = scope
        self.direction = direction
        self.after = after
        self.limit = min(max(1, limit), Limits.pageSizeMax)
    }
}

/// The result of a ``MessageQuery``.
public struct MessagePage: Sendable, Equatable {
    /// In the query's direction.
    public var messages: [Message]
    /// The start of the next page; `nil` if this was the last.
    public var next: MessageQuery.Cursor?
    /// The first message of the next page, which a store has to read to know that there is one. `nil` if this was the
    /// last.
    public var following: Message?

    /// Creates a page; without `following`, the first message of the next page has to be read again.
    public init(messages: [Message], next: MessageQuery.Cursor?, following: Message? = nil) {
        self.messages = messages
        self.next = next
        self.following = following
    }
}
