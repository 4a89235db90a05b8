public import CausewayModels
public import CausewayStorage

/// The contents of a live collection: its records (kind and filter), their order (sort), and the page size.
///
/// Requirements of an implementation:
///
/// 1. **The order is total.** No two records that match have the same ``key(of:)``; a key depends on its record alone.
/// 2. **The store agrees.** ``page(in:from:direction:limit:)`` returns the records that match, by ascending key (or
///    descending, as requested), none left out; and each page comes from one state of the store.
/// 3. **The topic covers it.** A change that can add a record to the result, move or change it there, or remove it,
///    concerns ``topic`` (see ``LiveTopic``).
public protocol LiveQuery<Record>: Sendable, Hashable {
    /// The records that the collection shows.
    associatedtype Record: LiveRecord
    /// The sort key of a record.
    associatedtype Key: Comparable & Hashable & Sendable

    /// The changes by which the query's windows are evaluated again; see the third requirement.
    var topic: LiveTopic { get }
    /// The order in which the collection shows its records: by ascending keys or by descending ones.
    var direction: LiveDirection { get }
    /// The location of the first page.
    var anchor: LiveAnchor<Key> { get }
    /// The number of records in a page: 1 to ``LiveLimits/pageSizeMax``.
    var pageSize: Int { get }

    /// The change of a record of this query's kind in a change of the store's feed; `nil` if it concerns another kind.
    /// Depends on the change alone.
    func change(in change: RecordChange) -> LiveRecordChange<Record>?

    /// True for a record that belongs to the result.
    func matches(_ record: Record) -> Bool

    /// The sort key of a record that matches.
    func key(of record: Record) -> Key

    /// Reads up to `limit` records from the store, starting at `bound`; from the very end of the order if it is `nil`.
    ///
    /// - Parameter limit: at least 1. A query may return fewer than `limit` although there are more, and reports that
    ///   in the page.
    func page(
        in store: any Store, from bound: LiveBound<Key>?, direction: LiveDirection, limit: Int
    ) async throws(StoreError) -> LivePage<Record>

    /// The pages of the query on a server; `nil`, the default, if it shows stored data alone. A query with the same
    /// keys and direction as another one may return that one's.
    func remotePages(on server: LiveServer) -> RemotePages<Key>?
}

extension LiveQuery {
    public func remotePages(on server: LiveServer) -> RemotePages<Key>? { nil }
}

extension LiveQuery where Record == Message {
    /// The change of a message in a change of the store's feed; `nil` if it concerns another kind.
    public func change(in change: RecordChange) -> LiveRecordChange<Message>? {
        guard case .message(let before, let after, _) = change else { return nil }
        return LiveRecordChange(before: before, after: after)
    }
}

/// A direction of an order.
public enum LiveDirection: Sendable, Hashable {
    /// The lowest keys first; of messages, the oldest.
    case ascending
    /// The highest keys first; of messages, the newest.
    case descending

    /// The other direction.
    public var opposite: LiveDirection { self == .ascending ? .descending : .ascending }
}

/// The location of a collection's first page in the displayed order.
public enum LiveAnchor<Key: Hashable & Sendable>: Sendable, Hashable {
    /// At the beginning: `LiveCollection.nextPage()` continues from there.
    case first
    /// At the end: `LiveCollection.previousPage()` goes back from there. The usual anchor for a conversation that is
    /// shown with its newest message at the bottom.
    case last
    /// Starting with the record of this key, or its position if it does not exist: there may be pages in both
    /// directions.
    case at(Key)
}

/// The start of a page, in the direction in which it is read.
public enum LiveBound<Key: Hashable & Sendable>: Sendable, Hashable {
    /// At the record of this key, if there is one.
    case at(Key)
    /// After it.
    case beyond(Key)
}

/// A page of records, as read by a query.
public struct LivePage<Record: Sendable>: Sendable {
    /// In the direction in which they were read.
    public var records: [Record]
    /// True if there are more in this direction.
    public var hasMore: Bool
    /// The record after the last one, if the query knows it, which saves reading it. Ignored without ``hasMore``.
    public var following: Record?

    /// Creates a page; without `following`, the record after the last one has to be read again.
    public init(records: [Record], hasMore: Bool, following: Record? = nil) {
        self.records = records
        self.hasMore = hasMore
        self.following = following
    }
}
