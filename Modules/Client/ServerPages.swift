import CausewayLiveQuery
import CausewayModels
import CausewayRecords
import CausewaySync

/// The server side of live queries, through the engine.
struct ServerPages: RemotePageProvider {
    let engine: SyncEngine

    func messages(of query: MessagesQuery, in channel: ChannelID) -> any RemoteSource<MessagesQuery.Key> {
        ChannelPager(engine: engine, query: query, channel: channel)
    }

    func message(_ id: MessageID) -> any RemoteSource<OneMessageQuery.Key> {
        MessageFetcher(engine: engine, id: id)
    }

    func records<Value: Record>(of query: RecordsQuery<Value>) -> any RemoteSource<ListCursor> {
        RecordPager(engine: engine, query: query)
    }

    func record<Value: Record>(of query: RecordQuery<Value>) -> any RemoteSource<Int64> {
        RecordFetcher<Value>(engine: engine, id: query.id)
    }
}
