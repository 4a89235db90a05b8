import CausewayLiveQuery
import CausewayModels
import CausewayStorage
import CausewaySync
import CausewayTransport

/// The server side of a live message: requests it at its position. About a message without a position the server knows
/// nothing that is not stored here.
struct MessageFetcher: RemoteSource {
    typealias Key = OneMessageQuery.Key

    let engine: SyncEngine
    let store: any Store
    let id: MessageID

    var following: RemoteFollowing { RemoteFollowing(engine.followedEvents.phase) }

    func load(_ page: RemoteSourcePage<Key>, hold: FrameHold) async throws -> LoadedRange<Key> {
        if let message = try await store.message(id), let serverPosition = message.serverPosition {
            let question = RemoteQuery(
                channel: message.channel, range: .after(position: max(serverPosition.position, 1) - 1), limit: 1)
            let page = try await engine.refresh(question, isAskedAgain: true) { hold.begin() }
            // If the page reports its range, it has shown by now whether the message was deleted.
            if page.range == nil, !page.items.contains(where: { $0.id == id }) {
                hold.end()
                try await engine.verify(id) { hold.begin() }
            }
        }
        return LoadedRange()
    }
}
