public import CausewayModels

/// A page of messages to ask for, by key, never by offset.
public struct MessageQuery: Sendable, Hashable {
    public enum Scope: Sendable, Hashable {
        /// What a screen of this channel shows: by position on the server, and what is undelivered after it in the
        /// order of creation.
        case channel(ChannelID)
        /// Everything that is not `synced`, in the order of creation.
        case undelivered
        /// Everything of a channel that is not `synced`, in the order of creation.
        case undeliveredIn(ChannelID)
        /// Everything that is on its way in this state (`created`, `uploading` or `syncing`), in the order of the lane
        /// sequences: as it will be sent. Without what is parked behind another message; nothing for other states.
        case pending(SyncState)
        /// Everything that is `error`, in the order of creation; of one channel when given.
        case failed(in: ChannelID?)
    }

    /// A place between two messages of a query's order.
    public struct Cursor: Sendable, Hashable, Codable {
        /// The position on the server; `Int64.max` for what is undelivered. Constant for scopes without positions.
        public var position: Int64
        /// The message's ordinal; its lane sequence for ``Scope/pending(_:)``.
        public var ordinal: Int64

        public init(position: Int64, ordinal: Int64) {
            self.position = position
            self.ordinal = ordinal
        }
    }

    /// Which end of the order a page is taken from.
    public enum Direction: Sendable, Hashable { case ascending, descending }

    public var scope: Scope
    public var direction: Direction
    /// The page begins behind this place, seen in `direction`; at the very end of the order when `nil`.
    public var after: Cursor?
    /// How many messages at the most: 1 to ``Limits/pageSizeMax``.
    public var limit: Int

    public init(
        scope: Scope, direction: Direction = .ascending, after: Cursor? = nil, limit: Int = Limits.pageSizeDefault
    ) {
        self.scope = scope
        self.direction = direction
        self.after = after
        self.limit = min(max(1, limit), Limits.pageSizeMax)
    }
}

/// The answer to a ``MessageQuery``.
public struct MessagePage: Sendable, Equatable {
    /// In the query's direction.
    public var messages: [Message]
    /// Where the next page begins; `nil` when this was the last.
    public var next: MessageQuery.Cursor?
    /// The first message of the next page: a store has to read it to know that there is one. `nil` when this was the
    /// last.
    public var following: Message?

    public init(messages: [Message], next: MessageQuery.Cursor?, following: Message? = nil) {
        self.messages = messages
        self.next = next
        self.following = following
    }
}

extension MessageQuery {
    /// The message's place in the order of this query.
    package func cursor(of message: Message) -> Cursor {
        guard case .pending = scope else { return message.cursor }
        return Cursor(position: .max, ordinal: message.laneSequence)
    }
}

extension Message {
    /// The message's place in the order of its channel.
    public var cursor: MessageQuery.Cursor {
        MessageQuery.Cursor(position: placement?.position ?? .max, ordinal: ordinal)
    }
}
