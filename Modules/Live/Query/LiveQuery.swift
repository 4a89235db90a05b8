public import CausewayStorage

/// What a live collection shows: which records (kind and filter), in which order (sort), how many at a time (page).
///
/// What an implementation promises:
///
/// 1. **The order is total.** No two records that match have the same ``key(of:)``; a key depends on its record alone.
/// 2. **The store agrees.** ``page(in:from:direction:limit:)`` returns the records that match, by ascending key (or
///    descending, as asked), none left out; and each page comes from one state of the store.
/// 3. **The topic covers it.** A change that can bring a record into the result, move or change it there, or take it
///    away, names ``topic`` (see ``LiveTopic``).
public protocol LiveQuery<Record>: Sendable, Hashable {
    associatedtype Record: LiveRecord
    /// The place of a record in the order.
    associatedtype Key: Comparable & Hashable & Sendable

    var topic: LiveTopic { get }
    /// The order in which the collection shows its records: by ascending keys or by descending ones.
    var direction: LiveDirection { get }
    /// Where the first page lies.
    var anchor: LiveAnchor<Key> { get }
    /// Records in a page: 1 to ``LiveLimits/pageSizeMax``.
    var pageSize: Int { get }

    /// True for a record that belongs to the result.
    func matches(_ record: Record) -> Bool

    /// The place of a record that matches.
    func key(of record: Record) -> Key

    /// Up to `limit` records from the store, beginning at `bound`; from the very end of the order when it is `nil`.
    ///
    /// - Parameter limit: at least 1. A query may return fewer than `limit` although there are more, and says so.
    func page(
        in store: any Store, from bound: LiveBound<Key>?, direction: LiveDirection, limit: Int
    ) async throws(StoreError) -> LivePage<Record>
}

/// A way through an order.
public enum LiveDirection: Sendable, Hashable {
    case ascending, descending

    public var opposite: LiveDirection { self == .ascending ? .descending : .ascending }
}

/// Where the first page of a collection lies in the order in which it is shown.
public enum LiveAnchor<Key: Hashable & Sendable>: Sendable, Hashable {
    /// At the beginning: ``LiveCollection/nextPage()`` goes on from there.
    case first
    /// At the end: ``LiveCollection/previousPage()`` goes back from there. The usual place for a conversation that is
    /// shown with its newest message below.
    case last
    /// It begins with the record of this key, or where that would be: both ways are open.
    case at(Key)
}

/// The place at which a page begins, seen in the direction in which it is read.
public enum LiveBound<Key: Hashable & Sendable>: Sendable, Hashable {
    /// With the record of this key, when there is one.
    case at(Key)
    /// Behind it.
    case beyond(Key)
}

/// A page of records as a query reads them.
public struct LivePage<Record: Sendable>: Sendable {
    /// In the direction in which they were read.
    public var records: [Record]
    /// True when there are more in this direction.
    public var hasMore: Bool
    /// The record after the last one, where the query knows it: it saves asking for it. Not looked at without
    /// ``hasMore``.
    public var following: Record?

    public init(records: [Record], hasMore: Bool, following: Record? = nil) {
        self.records = records
        self.hasMore = hasMore
        self.following = following
    }
}
