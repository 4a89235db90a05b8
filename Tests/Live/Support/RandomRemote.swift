import CausewayLive
import CausewayModels
import CausewayStorage
import Synchronization

/// The server's part of a collection in a random history.
final class RandomRemote: LiveRemote {
    typealias Key = MessageQuery.Cursor

    private let query: MessagesQuery
    private let server: RandomServer
    private let store: any Store
    /// Tells what was committed to `store`.
    private let told: TurbulentStore
    /// Whether the server reports changes; one that does not is asked for pages again.
    private let reportsChanges: Bool
    /// When the server was asked for everything last.
    private let known = Mutex<Int?>(nil)

    init(
        _ query: MessagesQuery, _ server: RandomServer, _ store: any Store, told: TurbulentStore, reportsChanges: Bool
    ) {
        self.told = told
        self.query = query
        self.server = server
        self.store = store
        self.reportsChanges = reportsChanges
    }

    var knownTime: Int? { known.withLock { $0 } }

    func load(_ page: LiveRemotePage<Key>) async throws -> LiveReach<Key> {
        let isAscending = query.direction == .ascending
        switch page {
        case .first:
            let time = server.time
            let reach =
                switch query.anchor {
                case .first: isAscending ? try await newer(than: 0) : try await older(than: .max)
                case .last: isAscending ? try await older(than: .max) : try await newer(than: 0)
                case .at(let key):
                    isAscending
                        ? try await newer(than: key.position - 1) : try await older(than: key.position + 1)
                }
            known.withLock { $0 = time }
            return reach
        case .next(let key, _):
            return isAscending ? try await newer(than: key.position) : try await older(than: key.position)
        case .previous(let key, _):
            return isAscending ? try await older(than: key.position) : try await newer(than: key.position)
        }
    }

    func loadChanges(since reach: LiveReach<Key>) async throws -> LiveReach<Key>? {
        guard let cursor = reach.cursor.flatMap({ Int($0) }) else { return nil }
        guard let answer = server.changes(since: cursor) else { throw Self.failure }
        if answer.changed.count + answer.gone.count > 12 { return nil }
        try await commit(answer.changed.map { .merge($0, at: Sample.time) } + answer.gone.map { .delete($0) })
        known.withLock { $0 = answer.time }
        var reach = reach
        reach.cursor = "\(answer.time)"
        if reach.newest != nil { reach.newest = ScriptedRemote.end(answer.newest) }
        return reach
    }

    func isPlaced(_ key: Key) -> Bool { key.position != .max }
    func placedCount(after newest: Key, through key: Key) -> Int { Int(key.position - newest.position) }

    private func newer(than position: Int64) async throws -> LiveReach<Key> {
        let page = try await take(server.page(above: position, below: .max, newestFirst: false))
        let end = page.hasMore ? page.items.last.map { ScriptedRemote.end($0.placement.position) } : nil
        return reach(
            older: position > 0 ? ScriptedRemote.start(position + 1) : nil, newer: end,
            newest: page.hasMore ? nil : max(position, page.newest), page.time)
    }

    private func older(than position: Int64) async throws -> LiveReach<Key> {
        let page = try await take(server.page(above: 0, below: position, newestFirst: true))
        let start = page.hasMore ? page.items.first.map { ScriptedRemote.start($0.placement.position) } : nil
        return reach(
            older: start, newer: position < .max ? ScriptedRemote.end(position - 1) : nil,
            newest: position < .max ? nil : page.newest, page.time)
    }

    private func reach(older: Key?, newer: Key?, newest: Int64?, _ time: Int) -> LiveReach<Key> {
        let (newest, cursor) = (newest.map(ScriptedRemote.end), reportsChanges ? "\(time)" : nil)
        return query.direction == .ascending
            ? LiveReach(start: older, end: newer, newest: newest, cursor: cursor)
            : LiveReach(start: newer, end: older, newest: newest, cursor: cursor)
    }

    private static let failure = StoreError.other(detail: "a server that was told to fail")

    private func take(_ page: RandomServer.Page?) async throws -> RandomServer.Page {
        guard let page else { throw Self.failure }
        let listed = Set(page.items.map(\.id))
        let stored = try await store.page(MessageQuery(scope: .channel(server.channel), limit: 1000)).messages
        let gone = stored.filter { message in
            guard let position = message.placement?.position, !listed.contains(message.id) else { return false }
            return page.range?.contains(position) == true
        }
        try await commit(page.items.map { .merge($0, at: Sample.time) } + gone.map { .delete($0.id) })
        return page
    }

    private func commit(_ mutations: [Mutation]) async throws {
        try await store.commit(mutations)
        told.tell()
    }
}
