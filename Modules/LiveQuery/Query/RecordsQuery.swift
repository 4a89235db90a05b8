public import CausewayModels
public import CausewayRecords
public import CausewayStorage

/// The records of a list, of any kind: the members of a channel, the channels of a user.
///
/// A record whose stored fields cannot be read, such as one that a newer version wrote, is left out; it does not end
/// the list.
public struct RecordsQuery<Value: CausewayRecords.Record>: LiveQuery {
    /// The records of the query: those of the kind.
    public typealias Record = Value
    public typealias Key = ListCursor

    /// The list whose records are shown.
    public let list: RecordList
    /// `.ascending` shows the lowest keys first.
    public let direction: LiveDirection
    public let anchor: LiveAnchor<ListCursor>
    public let pageSize: Int

    /// - Precondition: the list is one of the records' kind.
    public init(
        _ list: RecordList, direction: LiveDirection = .ascending, anchor: LiveAnchor<ListCursor> = .first,
        pageSize: Int = Limits.pageSizeDefault
    ) {
        precondition(list.kind == Value.kind, "a list of another kind")
        self.list = list
        self.direction = direction
        self.anchor = anchor
        self.pageSize = pageSize
    }

    /// The records of the list.
    public var topic: LiveTopic { LiveTopic(list) }

    public func change(in change: RecordChange) -> LiveRecordChange<Value>? { LiveRecordChange(change) }

    public func matches(_ record: Value) -> Bool { entry(of: record) != nil }

    /// A record outside the list has a key after all others.
    public func key(of record: Value) -> ListCursor {
        guard let entry = entry(of: record) else { return ListCursor(key: ListKey(bytes: [0xFF]), id: "") }
        return ListCursor(key: entry.key, id: record.id.description)
    }

    private func entry(of record: Value) -> ListEntry? {
        record.entries.first { $0.name == list.name && $0.scope == list.scope }
    }

    /// Reads on until a page holds at least one readable record.
    public func page(
        in store: any Store, from bound: LiveBound<ListCursor>?, direction: LiveDirection, limit: Int
    ) async throws(StoreError) -> LivePage<Value> {
        var query = RecordListQuery(
            list: list, direction: direction == .ascending ? .ascending : .descending,
            after: bound.map { Self.place(before: $0, direction) }, limit: limit)
        while true {
            let page = try await store.records(query)
            let records = page.records.compactMap { record(in: $0, from: bound, direction) }
            guard let next = page.next else { return LivePage(records: records, hasMore: false) }
            if !records.isEmpty {
                let following = page.following.flatMap { record(in: $0, from: bound, direction) }
                return LivePage(records: records, hasMore: true, following: following)
            }
            query.after = next
        }
    }

    /// The record, unless it cannot be read, is stored at another position than it has in this version of the kind, or
    /// precedes the bound.
    private func record(
        in stored: StoredRecord, from bound: LiveBound<ListCursor>?, _ direction: LiveDirection
    ) -> Value? {
        guard let record = Value(stored: stored), matches(record), key(of: record) == stored.cursor(in: list) else {
            return nil
        }
        if case .at(let key)? = bound, direction == .ascending, self.key(of: record) < key { return nil }
        return record
    }

    /// The cursor after which a page begins.
    private static func place(before bound: LiveBound<ListCursor>, _ direction: LiveDirection) -> ListCursor {
        switch bound {
        case .beyond(let key): key
        case .at(let key): key.before(direction)
        }
    }

    public func remotePages(on server: LiveServer) -> RemotePages<ListCursor>? {
        RemotePages(server.pages.records(of: self))
    }
}
