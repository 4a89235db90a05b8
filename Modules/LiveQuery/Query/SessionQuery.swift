public import CausewayModels
public import CausewayStorage

/// The session that was saved last, ended or not.
public struct SessionQuery: LiveQuery {
    /// The records of the query: sessions.
    public typealias Record = Session
    public typealias Key = Int64

    /// Creates a query; the result is empty before the first login.
    public init() {}

    /// The session.
    public var topic: LiveTopic { .session }
    public var direction: LiveDirection { .ascending }
    public var anchor: LiveAnchor<Int64> { .first }
    public var pageSize: Int { 1 }

    public func change(in change: RecordChange) -> LiveRecordChange<Session>? {
        guard case .session(let session) = change else { return nil }
        return LiveRecordChange(before: nil, after: session)
    }

    public func matches(_ session: Session) -> Bool { true }
    /// There is a single key, and the newest session has it.
    public func key(of session: Session) -> Int64 { 0 }

    public func page(
        in store: any Store, from bound: LiveBound<Int64>?, direction: LiveDirection, limit: Int
    ) async throws(StoreError) -> LivePage<Session> {
        if case .beyond? = bound { return LivePage(records: [], hasMore: false) }
        return LivePage(records: [try await store.session()].compactMap(\.self), hasMore: false)
    }
}
