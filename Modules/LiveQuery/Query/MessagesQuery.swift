public import CausewayModels
public import CausewayStorage

/// The messages of a list on a screen.
public struct MessagesQuery: LiveQuery {
    /// The records of the query: messages.
    public typealias Record = Message
    public typealias Key = MessageQuery.Cursor

    /// The messages and their order. In a channel, undelivered messages sort after all that have a position on the
    /// server.
    public let scope: MessageQuery.Scope
    /// The messages of the scope that are shown.
    public let filter: MessageFilter
    /// True if deleted messages are shown in their places, without their content (``Message/isDeleted``); only in a
    /// channel.
    public let includesDeleted: Bool
    /// `.ascending` shows the oldest first, `.descending` the newest.
    public let direction: LiveDirection
    /// The location of the first page. For a scope without positions only the ordinal of a key counts.
    public let anchor: LiveAnchor<MessageQuery.Cursor>
    public let pageSize: Int

    /// Creates a query; `includesDeleted` has an effect only in a channel. Of an anchor with a position on the server,
    /// the ordinal does not count.
    public init(
        _ scope: MessageQuery.Scope, filter: MessageFilter = MessageFilter(), includesDeleted: Bool = false,
        direction: LiveDirection = .ascending, anchor: LiveAnchor<MessageQuery.Cursor> = .first,
        pageSize: Int = Limits.pageSizeDefault
    ) {
        self.scope = scope
        self.includesDeleted = includesDeleted && Self.hasPositions(scope)
        self.filter = filter
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
            // The position alone identifies it, even if it has been stored again since and has another ordinal.
            self.anchor = .at(
                MessageQuery.Cursor(position: cursor.position, ordinal: direction == .ascending ? .min : .max))
        }
    }

    private static func hasPositions(_ scope: MessageQuery.Scope) -> Bool {
        switch scope {
        case .channel: true
        case .undelivered, .undeliveredIn, .failed: false
        }
    }

    /// A key in the order of creation alone.
    private static func unplaced(_ ordinal: Int64) -> MessageQuery.Cursor {
        MessageQuery.Cursor(position: .max, ordinal: ordinal)
    }

    /// The list of the scope: that of the channel, of the undelivered or of the failed messages.
    public var topic: LiveTopic {
        switch scope {
        case .channel(let channel): .channel(channel)
        case .undelivered, .undeliveredIn: .undelivered
        case .failed(let channel): .failed(in: channel)
        }
    }

    public func matches(_ message: Message) -> Bool { isInScope(message) && filter.admits(message) }

    private func isInScope(_ message: Message) -> Bool {
        switch scope {
        case .channel(let channel): message.channel == channel
        case .undelivered: message.isUndelivered
        case .undeliveredIn(let channel): message.isUndelivered && message.channel == channel
        case .failed(let channel):
            message.syncState == .error && (channel == nil || message.channel == channel)
        }
    }

    public func key(of message: Message) -> MessageQuery.Cursor {
        guard Self.hasPositions(scope) else { return Self.unplaced(message.ordinal) }
        guard includesDeleted, let position = message.serverPosition?.position else { return message.cursor }
        // A message keeps its key when it is deleted.
        return MessageQuery.Cursor(position: position, ordinal: 0)
    }

    /// A page of the stored messages of the query.
    ///
    /// Cost: linear in the size of the page; with a filter, linear in the number of messages up to the last one of the
    /// page, or up to the end of the scope. Deleted messages cost as much again.
    public func page(
        in store: any Store, from bound: LiveBound<MessageQuery.Cursor>?, direction: LiveDirection, limit: Int
    ) async throws(StoreError) -> LivePage<Message> {
        if includesDeleted, case .channel(let channel) = scope {
            return try await page(of: channel, in: store, from: bound, direction, limit: limit)
        }
        return try await stored(in: store, from: bound, direction, limit: limit)
    }

    /// A page of the messages alone.
    func stored(
        in store: any Store, from bound: LiveBound<MessageQuery.Cursor>?, _ direction: LiveDirection, limit: Int
    ) async throws(StoreError) -> LivePage<Message> {
        var query = MessageQuery(
            scope: scope, direction: direction == .ascending ? .ascending : .descending,
            after: bound.map { Self.place(before: $0, direction) }, limit: limit)
        if !filter.admitsAll { return try await filteredPage(in: store, &query, limit: limit) }
        let page = try await store.page(query)
        return LivePage(records: page.messages, hasMore: page.next != nil, following: page.following)
    }

    /// Reads on until a page of the store contains a message that satisfies the filter.
    private func filteredPage(
        in store: any Store, _ query: inout MessageQuery, limit: Int
    ) async throws(StoreError) -> LivePage<Message> {
        query.limit = max(limit, LiveLimits.filteredReadMin)
        while true {
            let page = try await store.page(query)
            let found = page.messages.filter(filter.admits)
            guard let next = page.next else {
                return LivePage(
                    records: Array(found.prefix(limit)), hasMore: found.count > limit,
                    following: found.dropFirst(limit).first)
            }
            if !found.isEmpty {
                let following = found.dropFirst(limit).first ?? page.following.flatMap { filter.admits($0) ? $0 : nil }
                return LivePage(records: Array(found.prefix(limit)), hasMore: true, following: following)
            }
            query.after = next
        }
    }

    public func remotePages(on server: LiveServer) -> RemotePages<MessageQuery.Cursor>? {
        guard case .channel(let channel) = scope else { return nil }
        return RemotePages(server.pages.messages(of: self, in: channel))
    }

    /// The cursor after which a page begins. Ordinals are integers and no two messages share one, so the cursor before
    /// a message has its ordinal minus one. There is no message at the ends of their range.
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
    /// Orders by position, then by ordinal.
    public static func < (left: MessageQuery.Cursor, right: MessageQuery.Cursor) -> Bool {
        (left.position, left.ordinal) < (right.position, right.ordinal)
    }
}
