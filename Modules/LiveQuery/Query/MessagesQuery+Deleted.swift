public import CausewayModels
public import CausewayStorage

/// A list with deleted messages: the store's messages, merged by position with what it keeps of deleted ones.
///
/// The two are read one after the other. If a message is deleted between the two reads it is in both, and counts as
/// deleted; if a deletion is undone it is in neither, and the feed brings it.
extension MessagesQuery {
    public func change(in change: RecordChange) -> LiveRecordChange<Message>? {
        switch change {
        case .message(let before, let after, _): return LiveRecordChange(before: before, after: after)
        case .record(let before, let after):
            guard includesDeleted, (after ?? before)?.kind == DeletedMessage.kind else { return nil }
            return LiveRecordChange(
                before: before.flatMap(DeletedMessage.init).map(Message.init),
                after: after.flatMap(DeletedMessage.init).map(Message.init))
        default: return nil
        }
    }

    /// Cost: that of a page of messages and of a page of deleted ones.
    func page(
        of channel: ChannelID, in store: any Store, from bound: LiveBound<Key>?, _ direction: LiveDirection, limit: Int
    ) async throws(StoreError) -> LivePage<Message> {
        let messages = try await stored(
            in: store, from: bound.map { Self.beside($0, direction) }, direction, limit: limit)
        let deleted = try await deleted(of: channel, in: store, from: bound, direction, limit: limit)
        let isBefore: (Key, Key) -> Bool = direction == .ascending ? { $0 < $1 } : { $0 > $1 }
        // Beyond the end of an incomplete page only the other one is known.
        let ends = [messages, deleted].filter(\.hasMore).compactMap { $0.records.last.map(key) }
        let end = ends.min(by: isBefore)
        let gone = Set(deleted.records.map(\.id))
        let merged = (messages.records.filter { !gone.contains($0.id) } + deleted.records)
            .map { (key: key(of: $0), record: $0) }
            .filter { row in end.map { !isBefore($0, row.key) } ?? true }
            .sorted { isBefore($0.key, $1.key) }
            .map(\.record)
        return LivePage(
            records: Array(merged.prefix(limit)), hasMore: merged.count > limit || !ends.isEmpty,
            following: merged.dropFirst(limit).first)
    }

    /// Reads on until a page of the store contains a deleted message that satisfies the filter.
    private func deleted(
        of channel: ChannelID, in store: any Store, from bound: LiveBound<Key>?, _ direction: LiveDirection, limit: Int
    ) async throws(StoreError) -> LivePage<Message> {
        var query = RecordListQuery(
            list: DeletedMessage.list(of: channel), direction: direction == .ascending ? .ascending : .descending,
            after: bound.flatMap { Self.place(before: $0, direction) }, limit: limit)
        while true {
            let page = try await store.records(query)
            let found = page.records.compactMap { DeletedMessage(stored: $0).map(Message.init) }.filter(filter.admits)
            guard let next = page.next else { return LivePage(records: found, hasMore: false) }
            if !found.isEmpty { return LivePage(records: found, hasMore: true) }
            query.after = next
        }
    }

    /// The bound of a page of messages: whatever the ordinal of the message at a position, it is the one meant.
    private static func beside(_ bound: LiveBound<Key>, _ direction: LiveDirection) -> LiveBound<Key> {
        let position = bound.key.position
        if position == .max { return bound }
        let isFirst = (direction == .ascending) == includes(bound, direction)
        return .beyond(Key(position: position, ordinal: isFirst ? .min : .max))
    }

    /// The cursor after which a page of deleted messages begins; `nil` for the very end of the order.
    private static func place(before bound: LiveBound<Key>, _ direction: LiveDirection) -> ListCursor? {
        let position = bound.key.position
        // Deleted messages precede all undelivered ones.
        if position == .max, direction == .descending { return nil }
        let isFirst = (direction == .ascending) == includes(bound, direction)
        // Below every id, or above every id.
        return ListCursor(key: ListKey(position), id: isFirst ? "" : "\u{10FFFF}")
    }

    /// True if a page from the bound on includes a message at its position, whose key has the ordinal 0.
    private static func includes(_ bound: LiveBound<Key>, _ direction: LiveDirection) -> Bool {
        let ordinal = direction == .ascending ? bound.key.ordinal.signum() : -bound.key.ordinal.signum()
        return switch bound {
        case .at: ordinal <= 0
        case .beyond: ordinal < 0
        }
    }
}

extension LiveBound {
    fileprivate var key: Key {
        switch self {
        case .at(let key), .beyond(let key): key
        }
    }
}
