public import CausewayModels
public import CausewayStorage

/// One message, by its id.
public struct OneMessageQuery: LiveQuery {
    /// The records of the query: messages.
    public typealias Record = Message
    public typealias Key = Int64

    /// The id of the message.
    public let id: MessageID

    /// Creates a query; the result is empty until the store has the message, which is requested from the server.
    public init(_ id: MessageID) { self.id = id }

    /// The message alone.
    public var topic: LiveTopic { .message(id) }
    public var direction: LiveDirection { .ascending }
    public var anchor: LiveAnchor<Int64> { .first }
    public var pageSize: Int { 1 }

    public func matches(_ message: Message) -> Bool { message.id == id }
    public func key(of message: Message) -> Int64 { 0 }

    public func page(
        in store: any Store, from bound: LiveBound<Int64>?, direction: LiveDirection, limit: Int
    ) async throws(StoreError) -> LivePage<Message> {
        if case .beyond? = bound { return LivePage(records: [], hasMore: false) }
        return LivePage(records: [try await store.message(id)].compactMap(\.self), hasMore: false)
    }

    public func remotePages(on server: LiveServer) -> RemotePages<Int64>? {
        RemotePages(server.pages.message(id))
    }
}
