public import CausewayModels

/// The lists of a store, for ``RowStore``: those of the current account, in the order of their keys and from a position
/// on, never by offset.
public protocol QueryRows {
    /// The error of the layer below; that of ``ItemRows``.
    associatedtype Failure: Error

    /// The first messages of a query's list behind its cursor, in its direction; at most `limit`, which is one more
    /// than the query's own.
    ///
    /// A channel is ordered by ``Message/cursor`` as a whole, position first; all other lists by
    /// ``MessageCursor/ordinal`` alone.
    func messages(_ query: MessageQuery, limit: Int) throws(Failure) -> [Message]

    /// The first operations of a query's list behind its cursor, in its direction, ordered by the
    /// ``MessageCursor/ordinal`` of ``OperationQuery/cursor(of:)``; at most `limit`, which is one more than the query's
    /// own. Creations of messages (``StoredItem/queued``) are among them.
    func operations(_ query: OperationQuery, limit: Int) throws(Failure) -> [QueuedOperation]

    /// The first records of a list behind the query's cursor, in its direction, ordered by ``ListCursor``; at most
    /// `limit`, whatever the query says.
    func records(_ query: RecordListQuery, limit: Int) throws(Failure) -> [StoredRecord]

    /// The numbers of ``Store/counts()``: of all items, counted by
    /// ``StoreCounts/count(_:createsMessage:bytes:times:)``, and those that wait for a failed message, directly or
    /// through others. Called for each commit that enqueues.
    func counts() throws(Failure) -> StoreCounts

    /// Past deletions by descending ``DeleteAction/sequence``, below `before` if given; at most `limit`.
    func deleteActions(before: Int64?, limit: Int) throws(Failure) -> [DeleteAction]

    /// The highest sequence that was transmitted in each lane; see ``ChainRows/setLastTransmitted(_:_:)``.
    func lastTransmitted() throws(Failure) -> [LaneID: Int64]

    /// See ``Store/nextChannel(after:keeping:)``; by default `nil`, for stores that keep all messages.
    func nextChannel(after channel: ChannelID?, keeping count: Int) throws(Failure) -> RetainedPart?
}

extension QueryRows {
    /// Default for stores that keep all messages.
    public func nextChannel(after channel: ChannelID?, keeping count: Int) throws(Failure) -> RetainedPart? { nil }
}

extension RecordRows where Self: QueryRows {
    /// Default by ``QueryRows/records(_:limit:)``.
    public func records(_ query: RecordListQuery) throws(Failure) -> [StoredRecord] {
        try records(query, limit: query.limit)
    }
}

/// Rows of which ``RowStore`` makes a store: what an author of another store writes.
///
/// The rows know no rules. They find, write and remove single values, by key and in order, and they take effect commit
/// by commit: everything that was written between two calls of ``commit(_:)`` is one commit. What was written is read
/// by the next call, before the commit, too.
///
/// One call at a time, from any thread; a call may block. Errors are those of ``StoreError``. After an error of any
/// call in a commit ``rollBack()`` follows. A value may be a `struct` that holds everything, or a handle to a database
/// that has begun a transaction with the first write.
public protocol CommittingRows: StoreRows, QueryRows, Sendable where Failure == StoreError {
    /// Makes everything durable that was written since the last commit, all or nothing.
    ///
    /// - Parameter durability: ``Durability/full`` unless the caller does with less. Rows that cannot wait for a disk
    ///   hold less, and say so in their documentation.
    ///
    /// Throws, and is followed by ``rollBack()``, if it is not known to be durable. After a sync that failed nothing
    /// may be acknowledged before the store was opened again: every later call throws.
    mutating func commit(_ durability: Durability) throws(StoreError)

    /// Discards everything that was written since the last commit, numbers that were assigned included.
    mutating func rollBack()

    /// The store is closed: no call follows. By default nothing.
    mutating func close()
}

extension CommittingRows {
    /// Default for rows without anything to close.
    public mutating func close() {}
}
