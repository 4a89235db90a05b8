public import CausewayModels
public import CausewayStorage

/// The messages that a list on a screen shows.
public struct MessagesQuery: LiveQuery {
    public typealias Record = Message
    public typealias Key = MessageQuery.Cursor

    /// Which messages, and in which order. In a channel, what is undelivered sorts behind everything that the server
    /// has placed.
    public let scope: MessageQuery.Scope
    /// `.ascending` shows the oldest first, `.descending` the newest.
    public let direction: LiveDirection
    /// Where the first page lies. Of a place in a scope without positions only the ordinal counts.
    public let anchor: LiveAnchor<MessageQuery.Cursor>
    public let pageSize: Int

    public init(
        _ scope: MessageQuery.Scope, direction: LiveDirection = .ascending,
        anchor: LiveAnchor<MessageQuery.Cursor> = .first, pageSize: Int = Limits.pageSizeDefault
    ) {
        self.scope = scope
        self.direction = direction
        self.pageSize = pageSize
        guard case .at(let cursor) = anchor else {
            self.anchor = anchor
            return
        }
        if !Self.hasPositions(scope) {
            self.anchor = .at(Self.unplaced(cursor.ordinal))
        } else if cursor.position == .max {
            self.anchor = anchor
        } else {
            // The position alone finds it, also where it was stored anew since and has another ordinal.
            self.anchor = .at(
                MessageQuery.Cursor(position: cursor.position, ordinal: direction == .ascending ? .min : .max))
        }
    }

    private static func hasPositions(_ scope: MessageQuery.Scope) -> Bool {
        switch scope {
        case .channel: true
        case .undelivered, .undeliveredIn, .pending, .failed: false
        }
    }

    /// A place in the order of creation alone.
    private static func unplaced(_ ordinal: Int64) -> MessageQuery.Cursor {
        MessageQuery.Cursor(position: .max, ordinal: ordinal)
    }

    public var topic: LiveTopic {
        switch scope {
        case .channel(let channel): .channel(channel)
        case .undelivered, .undeliveredIn, .pending: .undelivered
        case .failed(let channel): .failed(in: channel)
        }
    }

    public func matches(_ message: Message) -> Bool {
        switch scope {
        // What is no message of its own shows in the message that it is about.
        case .channel(let channel): message.channel == channel && !message.role.isOperation
        case .undelivered: message.isUndelivered
        case .undeliveredIn(let channel): message.isUndelivered && message.channel == channel
        case .pending(let state): message.syncState == state && message.isPending && !message.isParked
        case .failed(let channel): message.syncState == .error && (channel == nil || message.channel == channel)
        }
    }

    public func key(of message: Message) -> MessageQuery.Cursor {
        if case .pending = scope { return Self.unplaced(message.laneSequence) }
        return Self.hasPositions(scope) ? message.cursor : Self.unplaced(message.ordinal)
    }

    public func page(
        in store: any Store, from bound: LiveBound<MessageQuery.Cursor>?, direction: LiveDirection, limit: Int
    ) async throws(StoreError) -> LivePage<Message> {
        let page = try await store.page(
            MessageQuery(
                scope: scope, direction: direction == .ascending ? .ascending : .descending,
                after: bound.map { Self.place(before: $0, direction) }, limit: limit))
        return LivePage(records: page.messages, hasMore: page.next != nil, following: page.following)
    }

    /// The place behind which a page begins. Ordinals are whole numbers and no two messages share one, so the place
    /// before a message is one less. At the very end of them there is no message.
    private static func place(
        before bound: LiveBound<MessageQuery.Cursor>, _ direction: LiveDirection
    ) -> MessageQuery.Cursor {
        switch bound {
        case .beyond(let key): key
        case .at(let key):
            MessageQuery.Cursor(
                position: key.position,
                ordinal: direction == .ascending ? max(key.ordinal, .min + 1) - 1 : min(key.ordinal, .max - 1) + 1)
        }
    }
}

extension MessageQuery.Cursor: Comparable {
    public static func < (left: MessageQuery.Cursor, right: MessageQuery.Cursor) -> Bool {
        (left.position, left.ordinal) < (right.position, right.ordinal)
    }
}
