public import CausewayModels

/// The part of the ``Store`` port for records other than messages: confirmed records of the server, of any kind.
///
/// A store knows no kinds. It holds each record by kind and id, and finds it in the lists that its
/// ``StoredRecord/entries`` name. Records are written through ``Mutation/mergeRecords(_:)`` and
/// ``Mutation/removeRecord(_:_:)``, and reported as ``RecordChange/record(before:after:)``. Like everything else they
/// belong to an account; see ``Store``.
public protocol RecordStore: Sendable {
    /// The record of a kind with this id; `nil` if there is none. Cost: one index lookup.
    func record(_ kind: RecordKind, _ id: String) async throws(StoreError) -> StoredRecord?

    /// One page of a list. Cost: linear in the size of the page, regardless of its position.
    func records(_ query: RecordListQuery) async throws(StoreError) -> RecordListPage
}

/// A request for a page of a list of records, by key, never by offset.
public struct RecordListQuery: Sendable, Hashable {
    /// The list whose records are read.
    public var list: RecordList
    /// `.ascending` reads the lowest keys first.
    public var direction: MessageQuery.Direction
    /// The position after which the page begins, in `direction`; `nil` for the very end of the order.
    public var after: ListCursor?
    /// The maximum number of records: 1 to ``Limits/pageSizeMax``.
    public var limit: Int

    /// Creates a query; the limit is brought into its range.
    public init(
        list: RecordList, direction: MessageQuery.Direction = .ascending, after: ListCursor? = nil,
        limit: Int = Limits.pageSizeDefault
    ) {
        self.list = list
        self.direction = direction
        self.after = after
        self.limit = min(max(1, limit), Limits.pageSizeMax)
    }
}

/// The result of a ``RecordListQuery``.
public struct RecordListPage: Sendable, Equatable {
    /// In the query's direction.
    public var records: [StoredRecord]
    /// The position of the last record; `nil` if the list ends with it.
    public var next: ListCursor?
    /// The first record of the next page, which a store has to read to know that there is one. `nil` if this was the
    /// last.
    public var following: StoredRecord?

    /// Creates a page; without `following`, the first record of the next page has to be read again.
    public init(records: [StoredRecord], next: ListCursor?, following: StoredRecord? = nil) {
        self.records = records
        self.next = next
        self.following = following
    }

    /// The page of which `found` are the records and, if there is one, the first one beyond the limit.
    package init(_ found: [StoredRecord], of query: RecordListQuery) {
        self.init(records: Array(found.prefix(query.limit)), next: nil)
        guard found.count > query.limit else { return }
        next = records.last?.cursor(in: query.list)
        following = found[query.limit]
    }
}

extension StoredRecord {
    /// The record's position in a list; `nil` if it does not belong to it.
    public func cursor(in list: RecordList) -> ListCursor? {
        guard kind == list.kind else { return nil }
        let entry = entries.first { $0.name == list.name && $0.scope == list.scope }
        return entry.map { ListCursor(key: $0.key, id: id) }
    }
}
