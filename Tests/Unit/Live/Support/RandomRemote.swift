import CausewayLiveQuery
import CausewayModels
import CausewayStorage
import Synchronization

/// The server of the account that is logged in.
final class CurrentServer: Sendable {
    private let current: Mutex<RandomServer>

    init(_ server: RandomServer) { current = Mutex(server) }

    var server: RandomServer {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }
}

/// The server side of a collection in a random history.
final class RandomRemote: RemoteSource {
    typealias Key = MessageQuery.Cursor

    /// An error in the server side, planted to show that histories detect it.
    enum Fault: CaseIterable {
        /// A page lacks a message of its range.
        case leavesOutMessages
        /// Messages that are missing from the range of a page are kept.
        case keepsDeletedMessages
        /// Changes that the server reports are not stored.
        case losesChanges
        /// A page that is not the last one counts as the last one.
        case endsTooEarly
        /// Messages that were dropped from the store count as displayed.
        case forgetsPruned
    }

    private let query: MessagesQuery
    private let current: CurrentServer
    private let store: TurbulentStore
    /// Whether the server reports changes; otherwise it is asked for pages again.
    private let reportsChanges: Bool
    private let struck = Mutex(Strikes())
    /// The time when the server was last asked for everything.
    private let known = Mutex<(server: RandomServer, time: Int)?>(nil)
    private let pages = Mutex(0)
    /// More changes than these are not reported.
    private let changesMax: Int
    private let runtime: ManualRuntime
    private let fault: Fault?

    init(
        _ query: MessagesQuery, _ current: CurrentServer, _ store: TurbulentStore, _ runtime: ManualRuntime,
        reportsChanges: Bool, changesMax: Int, fault: Fault? = nil
    ) {
        self.fault = fault
        self.runtime = runtime
        self.query = query
        self.current = current
        self.store = store
        self.reportsChanges = reportsChanges
        self.changesMax = changesMax
    }

    private var server: RandomServer { current.server }

    /// The time when the current server was last asked for everything.
    var knownTime: Int? { known.withLock { [server] in $0.flatMap { $0.server === server ? $0.time : nil } } }
    /// The kinds of its responses.
    var strikes: Strikes { struck.withLock { $0 } }

    /// The pages requested beyond the first one, since that one or changes were requested.
    var pagesBeyondFirst: Int { pages.withLock { $0 } }

    private func note(_ kind: Strikes.Kind) { struck.withLock { $0.note(kind) } }

    func load(_ page: RemoteSourcePage<Key>, hold: FrameHold) async throws -> LoadedRange<Key> {
        try checkCancellation()
        let isAscending = query.direction == .ascending
        pages.withLock { $0 += 1 }
        switch page {
        case .first:
            pages.withLock { $0 = 0 }
            let time = server.time
            let loadedRange =
                switch query.anchor {
                case .first: isAscending ? try await newer(than: 0, hold) : try await older(than: .max, hold)
                case .last: isAscending ? try await older(than: .max, hold) : try await newer(than: 0, hold)
                case .at(let key):
                    isAscending
                        ? try await newer(than: key.position - 1, hold) : try await older(than: key.position + 1, hold)
                }
            known.withLock { [server] in $0 = (server, time) }
            return loadedRange
        case .next(let key, _):
            return isAscending ? try await newer(than: key.position, hold) : try await older(than: key.position, hold)
        case .previous(let key, _):
            return isAscending ? try await older(than: key.position, hold) : try await newer(than: key.position, hold)
        }
    }

    func loadChanges(since loadedRange: LoadedRange<Key>, hold: FrameHold) async throws -> LoadedRange<Key>? {
        try checkCancellation()
        guard let cursor = loadedRange.cursor.flatMap({ Int($0) }) else { return nil }
        guard let answer = server.changes(since: cursor) else {
            note(.serverFailed)
            throw Self.failure
        }
        if answer.changed.count + answer.gone.count > changesMax {
            note(.tooManyChanges)
            return nil
        }
        if !answer.changed.isEmpty || !answer.gone.isEmpty { note(.changesTold) }
        if fault != .losesChanges {
            try await commit(answer.changed.map { .merge($0, at: Sample.time) } + answer.gone.map { .delete($0) }, hold)
        }
        known.withLock { [server] in $0 = (server, answer.time) }
        var loadedRange = loadedRange
        loadedRange.cursor = "\(answer.time)"
        if loadedRange.newest != nil { loadedRange.newest = ScriptedRemote.end(answer.newest) }
        return loadedRange
    }

    func isPlaced(_ key: Key) -> Bool { key.position != .max }
    func placedCount(after newest: Key, through key: Key) -> Int { Int(key.position - newest.position) }

    func key(above pruned: [ChannelID: Int64]) -> Key? {
        guard fault != .forgetsPruned, let position = pruned[server.channel] else { return nil }
        return ScriptedRemote.start(position + 1)
    }

    private func newer(than position: Int64, _ hold: FrameHold) async throws -> LoadedRange<Key> {
        let page = try await take(server.page(above: position, below: .max, newestFirst: false), hold)
        let end = page.hasMore ? page.items.last.map { ScriptedRemote.end($0.serverPosition.position) } : nil
        return loadedRange(
            older: position > 0 ? ScriptedRemote.start(position + 1) : nil, newer: end,
            newest: page.hasMore ? nil : max(position, page.newest), page.time)
    }

    private func older(than position: Int64, _ hold: FrameHold) async throws -> LoadedRange<Key> {
        let page = try await take(server.page(above: 0, below: position, newestFirst: true), hold)
        let start = page.hasMore ? page.items.first.map { ScriptedRemote.start($0.serverPosition.position) } : nil
        return loadedRange(
            older: start, newer: position < .max ? ScriptedRemote.end(position - 1) : nil,
            newest: position < .max ? nil : page.newest, page.time)
    }

    private func loadedRange(older: Key?, newer: Key?, newest: Int64?, _ time: Int) -> LoadedRange<Key> {
        let (newest, cursor) = (newest.map(ScriptedRemote.end), reportsChanges ? "\(time)" : nil)
        return query.direction == .ascending
            ? LoadedRange(start: older, end: newer, newest: newest, cursor: cursor)
            : LoadedRange(start: newer, end: older, newest: newest, cursor: cursor)
    }

    private static let failure = StoreError.other(detail: "a server that was told to fail")

    private func take(_ page: RandomServer.Page?, _ hold: FrameHold) async throws -> RandomServer.Page {
        guard var page else {
            note(.serverFailed)
            throw Self.failure
        }
        if fault == .endsTooEarly { page.hasMore = false }
        if fault == .leavesOutMessages, page.items.count > 1 { page.items.remove(at: 1) }
        let listed = Set(page.items.map(\.id))
        let stored = try await store.base.page(MessageQuery(scope: .channel(server.channel), limit: 1000)).messages
        let gone = stored.filter { message in
            guard let position = message.serverPosition?.position, !listed.contains(message.id) else { return false }
            return page.range?.contains(position) == true
        }
        let deletions: [Mutation] = fault == .keepsDeletedMessages ? [] : gone.map { .delete($0.id) }
        try await commit(page.items.map { .merge($0, at: Sample.time) } + deletions, hold)
        return page
    }

    private func commit(_ mutations: [Mutation], _ hold: FrameHold) async throws {
        hold.begin()
        try await store.commit(mutations)
        store.publish()
        // Storing may be its only effect: the response arrives when it is no longer awaited.
        if server.isOne(in: 3) {
            await runtime.pause()
            if Task.isCancelled { note(.answeredTooLate) }
        }
    }

    /// Throws if the request was cancelled before it was made.
    private func checkCancellation() throws {
        guard Task.isCancelled else { return }
        note(.cancelled)
        throw CancellationError()
    }
}
