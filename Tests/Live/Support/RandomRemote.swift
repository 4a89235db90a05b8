import CausewayLive
import CausewayModels
import CausewayStorage
import Synchronization

/// A server with messages in one channel, which grow in number and are all there is.
final class RandomServer: Sendable {
    private struct State {
        var dice: WriterDice
        var messages: [PlacedMessage] = []
        /// How many of its answers fail, in a hundred.
        var failures = 20
    }

    let channel: ChannelID
    private let sender: UserID
    private let state: Mutex<State>

    init?(seed: UInt64) {
        guard let channel = ChannelID("general"), let sender = UserID("grace") else { return nil }
        self.channel = channel
        self.sender = sender
        state = Mutex(State(dice: WriterDice(seed: seed, messages: 1)))
    }

    var messages: [PlacedMessage] { state.withLock { $0.messages } }
    func setFailures(_ percent: Int) { state.withLock { $0.failures = percent } }

    func grow() {
        state.withLock { state in
            let number = state.messages.count + 1
            state.messages.append(
                PlacedMessage(
                    id: Sample.id(number), channel: channel, sender: sender, content: .text("\(number)"),
                    createdAt: Sample.time, placement: Sample.placement(Int64(number))))
        }
    }

    /// A page, as short as it likes; `nil` when it fails.
    func page(count: Int, where isAsked: (Int64) -> Bool, newest: Bool) -> (items: [PlacedMessage], hasMore: Bool)? {
        state.withLock { state in
            if state.dice.below(100) < state.failures { return nil }
            let found = state.messages.filter { isAsked($0.placement.position) }
            let count = min(count, 1 + state.dice.below(6))
            return (Array(newest ? found.suffix(count) : found.prefix(count)), found.count > count)
        }
    }
}

/// Its part of a collection.
final class RandomRemote: LiveRemote {
    typealias Key = MessageQuery.Cursor

    private let query: MessagesQuery
    private let server: RandomServer
    private let store: any Store
    /// How many messages the server had when it was asked for a first page last.
    private let known = Mutex<Int?>(nil)

    init(_ query: MessagesQuery, _ server: RandomServer, _ store: any Store) {
        self.query = query
        self.server = server
        self.store = store
    }

    var knownCount: Int? { known.withLock { $0 } }

    func load(_ page: LiveRemotePage<Key>) async throws -> LiveReach<Key> {
        let isAscending = query.direction == .ascending
        let count = server.messages.count
        switch page {
        case .first:
            let reach =
                switch query.anchor {
                case .first: isAscending ? try await newer(than: 0) : try await older(than: .max)
                case .last: isAscending ? try await older(than: .max) : try await newer(than: 0)
                case .at(let key):
                    isAscending
                        ? try await newer(than: key.position - 1) : try await older(than: key.position + 1)
                }
            known.withLock { $0 = count }
            return reach
        case .next(let key, _):
            return isAscending ? try await newer(than: key.position) : try await older(than: key.position)
        case .previous(let key, _):
            return isAscending ? try await older(than: key.position) : try await newer(than: key.position)
        }
    }

    private func newer(than position: Int64) async throws -> LiveReach<Key> {
        let page = try await take(server.page(count: 200, where: { $0 > position }, newest: false))
        let end = page.hasMore ? page.items.last.map { ScriptedRemote.end($0.placement.position) } : nil
        return reach(older: position > 0 ? ScriptedRemote.start(position + 1) : nil, newer: end)
    }

    private func older(than position: Int64) async throws -> LiveReach<Key> {
        let page = try await take(server.page(count: 200, where: { $0 < position }, newest: true))
        let start = page.hasMore ? page.items.first.map { ScriptedRemote.start($0.placement.position) } : nil
        return reach(older: start, newer: position < .max ? ScriptedRemote.end(position - 1) : nil)
    }

    private func reach(older: Key?, newer: Key?) -> LiveReach<Key> {
        query.direction == .ascending ? LiveReach(start: older, end: newer) : LiveReach(start: newer, end: older)
    }

    private func take(
        _ page: (items: [PlacedMessage], hasMore: Bool)?
    ) async throws -> (items: [PlacedMessage], hasMore: Bool) {
        guard let page else { throw StoreError.other(detail: "a server that was told to fail") }
        if !page.items.isEmpty { try await store.commit(page.items.map { .merge($0, at: Sample.time) }) }
        return page
    }
}
