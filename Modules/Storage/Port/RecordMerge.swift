public import CausewayModels

/// Records as the server has them, and the part of a list that they make up.
///
/// A record whose stored version is the same or newer is left alone. A stored record in ``coverage`` that is not among
/// ``records`` was deleted on the server, belongs elsewhere now, or may no longer be read: it is removed, unless it is
/// one of ``retained``.
public struct RecordMerge: Sendable, Hashable {
    /// The records as the server has them; their order does not matter.
    public var records: [StoredRecord]
    /// The part of a list of which ``records`` are all that the server has; `nil` for single records.
    public var coverage: ListRange?
    /// The ids of records that were stored after the server was asked, so that its response may not list them yet.
    public var retained: Set<String>

    /// Creates a merge; by default one of single records, which removes nothing.
    public init(_ records: [StoredRecord], coverage: ListRange? = nil, retained: Set<String> = []) {
        self.records = records
        self.coverage = coverage
        self.retained = retained
    }
}

/// A part of a list.
public struct ListRange: Sendable, Hashable {
    /// The list of the range.
    public var list: RecordList
    /// The direction in which ``after`` precedes ``through``.
    public var direction: MessageQuery.Direction
    /// The position before the part; `nil` if it begins with the list.
    public var after: ListCursor?
    /// The last position of the part, inclusive; `nil` if it ends with the list.
    public var through: ListCursor?

    /// Creates a part of a list; by default the whole list.
    public init(
        list: RecordList, direction: MessageQuery.Direction = .ascending, after: ListCursor? = nil,
        through: ListCursor? = nil
    ) {
        self.list = list
        self.direction = direction
        self.after = after
        self.through = through
    }

    /// True for a position in the part.
    public func contains(_ cursor: ListCursor) -> Bool {
        let isAfterStart = after.map { direction == .ascending ? $0 < cursor : cursor < $0 } ?? true
        return isAfterStart && !isPast(cursor)
    }

    /// True for a position beyond ``through``.
    package func isPast(_ cursor: ListCursor) -> Bool {
        through.map { direction == .ascending ? $0 < cursor : cursor < $0 } ?? false
    }
}
