public import CausewayModels

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A page of a list of records other than messages.
public struct RemoteRecordsQuery: Sendable, Hashable {
    /// An order of records.
    public enum Order: Sendable, Hashable {
        /// The lowest keys first.
        case ascending
        /// The highest keys first.
        case descending
    }

    /// The list whose records are read.
    public var list: RecordList
    /// `.ascending` returns the records with the lowest keys first.
    public var order: Order
    /// The position after which the page begins, in `order`; need not be that of a record. `nil` for the very end.
    public var after: ListCursor?
    /// 1 to ``Limits/pageSizeMax``.
    public var limit: Int
    /// The server's history as the client knows it; set by the component that performs the query.
    public var history: ServerHistory?

    /// Creates a query; the limit is brought into its range.
    public init(list: RecordList, order: Order = .ascending, after: ListCursor? = nil, limit: Int) {
        self.list = list
        self.order = order
        self.after = after
        self.limit = min(max(1, limit), Limits.pageSizeMax)
    }
}

/// The response to a ``RemoteRecordsQuery``.
public struct RemoteRecordsPage: Sendable, Hashable {
    /// In the requested order: all records of the list after the requested position, up to ``next``.
    public var items: [RemoteRecord]
    /// The position up to which the page is complete; `nil` if the list ends with it.
    public var next: ListCursor?
    /// The history that the page belongs to; `nil` from a server without histories.
    public var history: ServerHistory?

    /// Creates a page; without `next`, the last one of its list.
    public init(items: [RemoteRecord], next: ListCursor? = nil) {
        self.items = items
        self.next = next
    }
}

/// A record as a server has it.
public struct RemoteRecord: Sendable, Hashable {
    /// The kind of the record.
    public var kind: RecordKind
    /// Unique among the records of its kind; 1 to ``Limits/recordIDBytesMax`` bytes.
    public var id: String
    /// Larger means newer, within one history of the server; at least 1.
    public var version: Int64
    /// The fields as JSON; at most ``Limits/recordBytesMax`` bytes. `null` in a list for a record whose data the server
    /// cannot read: a stored copy of it is kept.
    public var value: Data

    /// Creates a record; limits are checked when it arrives from a server.
    public init(kind: RecordKind, id: String, version: Int64, value: Data) {
        self.kind = kind
        self.id = id
        self.version = version
        self.value = value
    }

    /// False if a part is beyond its limit.
    package var isInRange: Bool {
        (1...Limits.recordIDBytesMax).contains(id.utf8.count) && (1...Limits.positionMax).contains(version)
            && value.count <= Limits.recordBytesMax
    }
}

/// The response to a request for one record.
public struct RemoteRecordState: Sendable, Hashable {
    /// `nil` if there is no such record, or the account may not read it.
    public var record: RemoteRecord?
    /// The history that the response belongs to; `nil` from a server without histories.
    public var history: ServerHistory?

    /// Creates a response; `nil` for a record that does not exist, or that the account may not read.
    public init(_ record: RemoteRecord?, history: ServerHistory? = nil) {
        self.record = record
        self.history = history
    }
}
