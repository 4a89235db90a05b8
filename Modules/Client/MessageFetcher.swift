import CausewayLiveQuery
import CausewayModels
import CausewayStorage
import CausewaySync
import CausewayTransport
import Synchronization

/// The server side of a live message: requests it at its position, or by its id if it is not stored. A stored message
/// without a position is undelivered: the server knows nothing about it.
///
/// The position is remembered, because the store may drop a message that the server keeps.
final class MessageFetcher: RemoteSource {
    typealias Key = OneMessageQuery.Key

    private struct Place {
        var channel: ChannelID
        var position: Int64
    }

    private let engine: SyncEngine
    private let id: MessageID
    private let place = Mutex<Place?>(nil)

    init(engine: SyncEngine, id: MessageID) {
        self.engine = engine
        self.id = id
    }

    var following: RemoteFollowing { RemoteFollowing(engine.followedEvents.phase) }

    func note(_ change: RecordChange) {
        guard case .message(let before, let after, _) = change, let message = after ?? before, message.id == id
        else { return }
        remember(message)
    }

    private func remember(_ message: Message) {
        guard let position = message.serverPosition?.position else { return }
        place.withLock { $0 = Place(channel: message.channel, position: position) }
    }

    func load(_ page: RemoteSourcePage<Key>, hold: FrameHold) async throws -> LoadedRange<Key> {
        let message = try await engine.storedMessage(id)
        if let message { remember(message) }
        if let place = place.withLock({ $0 }) {
            let question = RemoteQuery(
                channel: place.channel, range: .after(position: max(place.position, 1) - 1), limit: 1)
            let page = try await engine.refresh(question, isAskedAgain: true) { hold.begin() }
            // If the page reports its range, it has shown by now whether the message was deleted.
            if page.range == nil, !page.items.contains(where: { $0.id == id }) {
                hold.end()
                try await engine.verify(id) { hold.begin() }
            }
        } else if message == nil {
            try await engine.refreshMessage(id) { hold.begin() }
        }
        return LoadedRange()
    }
}
