package import CausewayModels
package import CausewayRecords

/// The server of a client, as ``LiveQuery/remotePages(on:)`` sees it.
///
/// Opaque: a query of an application passes it on to the query that it wraps.
public struct LiveServer: Sendable {
    package let pages: any RemotePageProvider

    package init(_ pages: any RemotePageProvider) { self.pages = pages }
}

/// The pages of a query on a server, with keys of this type.
///
/// Opaque: a query of an application returns those of the query that it wraps.
public struct RemotePages<Key: Comparable & Hashable & Sendable>: Sendable {
    package let source: any RemoteSource<Key>

    package init(_ source: any RemoteSource<Key>) { self.source = source }
}

/// Creates the server side of the queries of this module.
package protocol RemotePageProvider: Sendable {
    func messages(of query: MessagesQuery, in channel: ChannelID) -> any RemoteSource<MessagesQuery.Key>
    func message(_ id: MessageID) -> any RemoteSource<OneMessageQuery.Key>
    func records<Value: Record>(of query: RecordsQuery<Value>) -> any RemoteSource<ListCursor>
    func record<Value: Record>(of query: RecordQuery<Value>) -> any RemoteSource<Int64>
}
