public import CausewayModels
public import CausewayStorage

/// The past deletions, newest first.
///
/// The oldest ones, which the store drops beyond ``Limits/deleteActionsKeptMax``, remain in a window that has read them
/// until it is read again.
public struct DeleteActionsQuery: LiveQuery {
    /// The records of the query: past deletions.
    public typealias Record = DeleteAction
    public typealias Key = Int64

    public var pageSize: Int

    /// Creates a query; it always shows the newest deletions first.
    public init(pageSize: Int = Limits.pageSizeDefault) { self.pageSize = pageSize }

    /// All past deletions.
    public var topic: LiveTopic { .deleteActions }
    public var direction: LiveDirection { .descending }
    public var anchor: LiveAnchor<Int64> { .first }

    public func change(in change: RecordChange) -> LiveRecordChange<DeleteAction>? {
        guard case .deleteAction(let action) = change else { return nil }
        return LiveRecordChange(before: nil, after: action)
    }

    public func matches(_ action: DeleteAction) -> Bool { true }
    public func key(of action: DeleteAction) -> Int64 { action.sequence }

    /// The store reads deletions only from the newest on; with this direction and anchor no other page is requested.
    public func page(
        in store: any Store, from bound: LiveBound<Int64>?, direction: LiveDirection, limit: Int
    ) async throws(StoreError) -> LivePage<DeleteAction> {
        guard direction == .descending else { return LivePage(records: [], hasMore: false) }
        let before: Int64? =
            switch bound {
            case .at(let sequence): sequence + 1
            case .beyond(let sequence): sequence
            case nil: nil
            }
        let actions = try await store.deleteActions(before: before, limit: limit)
        return LivePage(records: actions, hasMore: actions.count == limit)
    }
}
