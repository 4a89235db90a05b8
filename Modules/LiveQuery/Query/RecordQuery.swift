import CausewayModels
public import CausewayRecords
public import CausewayStorage

/// One record of any kind, by its id. A record whose stored fields cannot be read counts as none.
public struct RecordQuery<Value: CausewayRecords.Record>: LiveQuery {
    /// The records of the query: those of the kind.
    public typealias Record = Value
    public typealias Key = Int64

    /// The id of the record.
    public let id: Value.ID

    /// Creates a query; the result is empty until the store has the record, which is requested from the server.
    public init(_ id: Value.ID) { self.id = id }

    /// The record alone.
    public var topic: LiveTopic { LiveTopic(Value.kind, .record(id.description)) }
    public var direction: LiveDirection { .ascending }
    public var anchor: LiveAnchor<Int64> { .first }
    public var pageSize: Int { 1 }

    public func change(in change: RecordChange) -> LiveRecordChange<Value>? { LiveRecordChange(change) }

    public func matches(_ record: Value) -> Bool { record.id == id }
    public func key(of record: Value) -> Int64 { 0 }

    public func page(
        in store: any Store, from bound: LiveBound<Int64>?, direction: LiveDirection, limit: Int
    ) async throws(StoreError) -> LivePage<Value> {
        if case .beyond? = bound { return LivePage(records: [], hasMore: false) }
        let stored = try await store.record(Value.kind, id.description)
        return LivePage(records: [stored.flatMap(Value.init(stored:))].compactMap(\.self), hasMore: false)
    }

    public func remotePages(on server: LiveServer) -> RemotePages<Int64>? {
        RemotePages(server.pages.record(of: self))
    }
}
