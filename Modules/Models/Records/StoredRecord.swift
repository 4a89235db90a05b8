#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A record as stores and the wire handle it: its fields coded, its lists computed, its kind a value.
///
/// `Record` (module `CausewayRecords`) describes a kind. Stores and the wire know no kinds.
public struct StoredRecord: Sendable, Hashable {
    /// The kind of the record; stores do not interpret it.
    public var kind: RecordKind
    /// Unique among the records of its kind; 1 to ``Limits/recordIDBytesMax`` bytes.
    public var id: String
    /// Assigned by the server, larger means newer; 0 for a record that the server has not confirmed yet.
    public var version: Int64
    /// The fields as JSON, at most ``Limits/recordBytesMax`` bytes.
    public var value: Data
    /// The lists to which the record belongs, at most ``Limits/recordListsMax``.
    public var entries: [ListEntry]

    /// Creates a record; stores rely on the limits of the properties and do not check them.
    public init(kind: RecordKind, id: String, version: Int64, value: Data, entries: [ListEntry]) {
        self.kind = kind
        self.id = id
        self.version = version
        self.value = value
        self.entries = entries
    }
}

/// One list of records: those of a kind that have an entry with this name and scope, such as the members of a channel.
public struct RecordList: Sendable, Hashable {
    /// The kind of all records of the list.
    public var kind: RecordKind
    /// The name of the list within its kind: `byUser`.
    public var name: String
    /// The value that the records of the list have in common: the user's name. Empty if they are all records of the
    /// kind.
    public var scope: String

    /// Creates a list; without a scope, one that its name alone identifies.
    public init(kind: RecordKind, name: String, scope: String = "") {
        self.kind = kind
        self.name = name
        self.scope = scope
    }
}

/// A record's place in one list.
public struct ListEntry: Sendable, Hashable {
    /// The name of the list.
    public var name: String
    /// The scope of the list; empty for a list that its name alone identifies.
    public var scope: String
    /// The sort key of the record in this list.
    public var key: ListKey

    /// Creates a place in a list; without a scope, in one that its name alone identifies.
    public init(_ name: String, scope: String = "", key: ListKey) {
        self.name = name
        self.scope = scope
        self.key = key
    }
}

/// The sort key of a record in a list: bytes that compare as the values do from which they were made. Records with
/// equal keys are ordered by their ids.
public struct ListKey: Sendable, Hashable, Comparable {
    /// The bytes by which entries are ordered.
    public private(set) var bytes: [UInt8]

    /// - Parameter bytes: a key that a store or a peer returned.
    public init(bytes: [UInt8]) { self.bytes = bytes }

    /// A key by number, the lowest first.
    public init(_ number: Int64) {
        let ordered = UInt64(bitPattern: number) ^ (1 << 63)
        bytes = (0..<8).map { UInt8(truncatingIfNeeded: ordered >> (56 - 8 * $0)) }
    }

    /// The number of a key by number; `nil` for a key of another length.
    package var number: Int64? {
        guard bytes.count == 8 else { return nil }
        return Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) } ^ (1 << 63))
    }

    /// A key by time, the earliest first.
    public init(_ time: Timestamp) { self.init(time.milliseconds) }

    /// A key by text, in the order of the UTF-8 bytes.
    public init(_ text: String) { bytes = Array(text.utf8) }

    /// Orders by bytes.
    public static func < (left: ListKey, right: ListKey) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

/// A position in a list, between the end of one page and the start of the next.
public struct ListCursor: Sendable, Hashable, Comparable {
    /// The sort key of the record before the position.
    public var key: ListKey
    /// The id of that record, which orders records with equal keys.
    public var id: String

    /// Creates a position after the record with this key and id; the record need not exist.
    public init(key: ListKey, id: String) {
        self.key = key
        self.id = id
    }

    /// Orders by key, then by id.
    public static func < (left: ListCursor, right: ListCursor) -> Bool {
        left.key == right.key ? left.id.utf8.lexicographicallyPrecedes(right.id.utf8) : left.key < right.key
    }
}
