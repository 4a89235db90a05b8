import CausewayHubRules
import CausewayModels
import CausewayRuntime
import CausewaySimulatedHub
import CausewayTransport
import Synchronization

/// A server in memory: applies deliveries by the hub's rules of order, or behaves as scripted.
final class ScriptedTransport: Transport {
    enum Behaviour: Sendable {
        case work
        case fail(TransportError)
        /// Applies the delivery, then loses the response.
        case loseAnswer
        /// The same after this time.
        case loseLate(Duration)
        /// Applies the delivery and responds after this time.
        case delay(Duration)
        /// Applies the delivery, and responds after this time.
        case respondLate(Duration)
        /// Does not respond for this time, or until it is cancelled, and applies nothing.
        case hang(Duration)
    }

    struct Server: Sendable {
        /// The hub's real rules.
        var hub = ModelHub()
        /// The messages that it refuses.
        var refused: Set<MessageID> = []
        /// True if its responses name the history of its data.
        var namesHistory = false
        var deletions: [MessageID] = []
        /// Messages that it had and that a lookup does not find any more.
        var lost: Set<MessageID> = []
        var deliveries: [(at: MonotonicTime, delivery: Delivery)] = []
        var greetings = 0
        var closings = 0
        var behaviours: [Behaviour] = []
        var always: Behaviour = .work
        var serverInfo: Result<ServerInfo, TransportError>
        /// How requests travel.
        var way: String?
        var page: [RemoteMessage] = []
        /// Tombstones of deleted messages, for pages that include them.
        var deletedMessages: [DeletedMessage] = []
        /// The error of pages and of changes; `nil` if they can be read.
        var pageError: TransportError?
        /// True if changes can be read despite ``pageError``.
        var pageErrorSparesChanges = false
        var pageQueries: [RemoteQuery] = []
        /// The messages that were requested one at a time.
        var messageQueries: [MessageID] = []
        /// The channel's newest position. If set, ``page`` is the complete channel, and pages report their range;
        /// otherwise every page is ``page``.
        var newest: Int64?
        /// False for a server that lists all messages, whatever the filter.
        var appliesFilters = true
        /// The number of messages that the server looks at for one page of a filter.
        var examinedMax = Int.max
        /// The revision of each message that was changed or deleted; if set, the server reports changes.
        var revisions: [MessageID: Int]?
        var changeQueries: [RemoteChangesQuery] = []
        /// The number of messages in all responses.
        var messagesRead = 0
        /// The result of every page, if set.
        var fixedPage: RemotePage?
        /// The errors of the pages of some channels.
        var channelErrors: [ChannelID: TransportError] = [:]
        /// The delays of the next pages after they were read, in order.
        var pageDelays: [Duration] = []
        /// The time between the reading of changes and the response.
        var changesDelay: Duration?
        /// The number of lookups, and the time between a lookup and the response.
        var lookups = 0
        var lookupDelay: Duration?
        var lookupError: TransportError?
        /// The typing signals that it received; `nil` for a server without ephemeral events.
        var signals: [TypingSignal]?
        var signalBehaviour: Behaviour = .work
        /// The ephemeral events of now, and the number of their changes.
        var ephemeral = EphemeralUpdate(channels: [], isComplete: true)
        var ephemeralChanges = 0
        /// The server's log; `nil` for a server without events.
        var log: ScriptedLog?

        var order: [MessageID] { hub.history.map(\.message) }
        var accepted: [MessageID: ServerPosition] { hub.accepted.mapValues(\.serverPosition) }
    }

    let capabilities: TransportCapabilities
    private let runtime: any Runtime
    let server: Mutex<Server>
    /// The server's files; `nil` for a server that stores none.
    private let files = Mutex<ScriptedMedia?>(nil)

    init(
        user: UserID, runtime: any Runtime, operationsMax: Int = Limits.batchOperationsMax, inFlightMax: Int = 1
    ) {
        capabilities = TransportCapabilities(
            ordering: .sequenced, deliveriesInFlightMax: inFlightMax, batchOperationsMax: operationsMax,
            batchBytesMax: 1 << 20)
        self.runtime = runtime
        server = Mutex(Server(serverInfo: .success(ServerInfo(user: user, server: "scripted"))))
    }

    var way: String? { server.withLock { $0.way } }

    func authenticate(
        knowing history: ServerHistory?, outbox: OutboxID?
    ) async throws(TransportError) -> ServerInfo {
        try server.withLock { server in
            server.greetings += 1
            return server.serverInfo.map { server.named($0, knowing: history, outbox) }
        }.get()
    }

    func deliver(_ delivery: Delivery) async throws(TransportError) -> DeliveryReport {
        let now = runtime.now
        let behaviour = server.withLock { server in
            server.deliveries.append((now, delivery))
            return server.behaviours.isEmpty ? server.always : server.behaviours.removeFirst()
        }
        switch behaviour {
        case .work: return try apply(delivery)
        case .fail(let error): throw error
        case .loseAnswer:
            _ = try apply(delivery)
            throw .inDoubt(detail: "cut off")
        case .loseLate(let time):
            _ = try apply(delivery)
            await runtime.sleep(until: now + time)
            throw .inDoubt(detail: "cut off")
        case .delay(let time):
            await runtime.sleep(until: now + time)
            return try apply(delivery)
        case .respondLate(let time):
            let report = try apply(delivery)
            await runtime.sleep(until: now + time)
            return report
        case .hang(let time):
            await runtime.sleep(until: now + time)
            throw .inDoubt(detail: "cut off")
        }
    }

    private func apply(_ delivery: Delivery) throws(TransportError) -> DeliveryReport {
        let files = files.withLock { $0 }
        return try server.withLock { server throws(TransportError) in
            for operation in delivery.operations {
                if case .delete(let id) = operation.body { server.deletions.append(id) }
            }
            _ = server.hub.knowsPresent(delivery.history)
            var report = try server.hub.apply(delivery, at: runtime.wallClock) { id, content in
                if let file = content?.attachment, let files, !files.has(file) {
                    return .refuse(code: "attachmentUnknown", detail: "for a test")
                }
                return server.refused.contains(id) ? .refuse(code: "refused", detail: "for a test") : .fine
            }
            report.history = server.namesHistory ? server.hub.present : nil
            return report
        }
    }

    func messages(_ query: RemoteQuery) async throws(TransportError) -> RemotePage {
        let (page, error, delay) = server.withLock { server in
            server.pageQueries.append(query)
            let page = server.page(query)
            server.messagesRead += page.items.count
            return (
                page, server.pageError ?? server.channelErrors[query.channel],
                server.pageDelays.isEmpty ? nil : server.pageDelays.removeFirst()
            )
        }
        if let delay { await runtime.sleep(until: runtime.now + delay) }
        if let error { throw error }
        return page
    }

    func changes(_ query: RemoteChangesQuery) async throws(TransportError) -> RemoteChanges? {
        let (changes, error, delay) = server.withLock { server in
            server.changeQueries.append(query)
            let changes = server.changes(query)
            server.messagesRead += changes?.items.count ?? 0
            let error = server.pageErrorSparesChanges ? nil : server.pageError
            return (changes, error ?? server.channelErrors[query.channel], server.changesDelay)
        }
        if let delay { await runtime.sleep(until: runtime.now + delay) }
        if let error { throw error }
        return changes
    }

    func message(
        _ id: MessageID, knowing history: ServerHistory?
    ) async throws(TransportError) -> RemoteMessageState {
        let (state, error, delay) = server.withLock { server in
            server.messageQueries.append(id)
            let message = server.page.first { $0.id == id }
            let state = RemoteMessageState(message, history: server.namesHistory ? server.hub.present : nil)
            let delay = server.pageDelays.isEmpty ? nil : server.pageDelays.removeFirst()
            return (state, server.pageError ?? message.flatMap { server.channelErrors[$0.channel] }, delay)
        }
        if let delay { await runtime.sleep(until: runtime.now + delay) }
        if let error { throw error }
        return state
    }

    func lookup(_ id: MessageID) async throws(TransportError) -> ServerPosition? {
        let (position, delay, error) = server.withLock { server in
            server.lookups += 1
            return (server.lost.contains(id) ? nil : server.accepted[id], server.lookupDelay, server.lookupError)
        }
        if let delay { await runtime.sleep(until: runtime.now + delay) }
        if let error { throw error }
        return position
    }

    var media: (any MediaStore)? { files.withLock { $0 } }

    /// The server stores files from now on: messages without theirs are refused.
    func store(_ media: ScriptedMedia) { files.withLock { $0 = media } }

    var events: (any EventSource)? {
        server.withLock { $0.log } == nil ? nil : ScriptedEvents(transport: self, runtime: runtime)
    }

    var ephemeral: (any EphemeralEvents)? {
        server.withLock { $0.signals } == nil ? nil : ScriptedSignals(transport: self, runtime: runtime)
    }

    func close() async { server.withLock { $0.closings += 1 } }
}

extension ScriptedTransport.Server {
    /// A greeting with the history that this server names.
    mutating func named(
        _ serverInfo: ServerInfo, knowing history: ServerHistory?, _ outbox: OutboxID?
    ) -> ServerInfo {
        guard namesHistory else { return serverInfo }
        var serverInfo = serverInfo
        let isCurrent = hub.knowsPresent(history)
        serverInfo.history = hub.present
        if !isCurrent, let outbox {
            serverInfo.marks = hub.marks(of: outbox, account: nil)
            serverInfo.movers = hub.movers(of: outbox, account: nil)
        }
        return serverInfo
    }

    var revision: Int { revisions?.values.max() ?? 0 }

    mutating func edit(_ id: MessageID, _ text: String, at time: Timestamp) {
        guard let index = page.firstIndex(where: { $0.id == id }) else { return }
        page[index].body.content = .text(text)
        page[index].body.changedAt = time
        let next = revision + 1
        revisions?[id] = next
    }

    mutating func remove(_ id: MessageID) {
        page.removeAll { $0.id == id }
        let next = revision + 1
        revisions?[id] = next
    }

    func changes(_ query: RemoteChangesQuery) -> RemoteChanges? {
        guard let revisions, let newest, let since = Int(query.cursor) else { return nil }
        let changed = revisions.filter { $0.value > since }.map(\.key)
        let items = page.filter { message in
            let position = message.serverPosition.position
            let isChanged = changed.contains(message.id) && (query.from...query.through).contains(position)
            return isChanged || query.isOpen && position > query.through
        }
        let gone = changed.filter { id in !page.contains { $0.id == id } }
        guard items.count + gone.count <= query.limit else { return nil }
        var changes = RemoteChanges(items: items, gone: gone, cursor: "\(revision)", newest: newest)
        changes.history = namesHistory ? hub.present : nil
        return changes
    }

    /// A page as read by the hub.
    func page(_ query: RemoteQuery) -> RemotePage {
        var page = listed(query)
        if revisions != nil { page.cursor = "\(revision)" }
        guard query.includesDeleted, let range = page.range else { return page }
        let covered = query.range == .newest ? range.lowerBound..<Int64.max : range
        page.deleted = deletedMessages.filter {
            $0.channel == query.channel && covered.contains($0.serverPosition.position)
                && query.filter.admits(type: $0.type, parent: $0.parent)
        }.sorted { $0.serverPosition.position < $1.serverPosition.position }
        return page
    }

    private func listed(_ query: RemoteQuery) -> RemotePage {
        if let fixedPage { return fixedPage }
        guard let newest else { return RemotePage(items: page, hasMore: false) }
        let all = page.filter { $0.channel == query.channel }.sorted {
            $0.serverPosition.position < $1.serverPosition.position
        }
        switch query.range {
        case .newest: return older(all, upTo: newest, query)
        case .before(let position): return older(all, upTo: min(newest, position - 1), query)
        case .after(let position):
            let inside = all.filter { $0.serverPosition.position > position }
            let found = search(inside, query)
            let last = found.hasMore ? found.end ?? position : newest
            return RemotePage(items: found.items, hasMore: found.hasMore, range: position + 1..<max(position, last) + 1)
        }
    }

    private func older(_ all: [RemoteMessage], upTo last: Int64, _ query: RemoteQuery) -> RemotePage {
        let inside = all.filter { $0.serverPosition.position <= last }
        let found = search(inside.reversed(), query)
        let first = found.hasMore ? found.end ?? last + 1 : 1
        return RemotePage(
            items: found.items.reversed(), hasMore: found.hasMore, range: min(first, last + 1)..<last + 1)
    }

    /// The first messages that satisfy the filter of a query, and the position of the last one that was looked at.
    private func search(
        _ all: [RemoteMessage], _ query: RemoteQuery
    ) -> (items: [RemoteMessage], hasMore: Bool, end: Int64?) {
        let filter = appliesFilters ? query.filter : MessageFilter()
        let examined = filter.admitsAll ? all[...] : all.prefix(examinedMax)
        let found = examined.filter { filter.admits(type: $0.content.type, parent: $0.parent, tags: $0.body.tags) }
        let items = Array(found.prefix(query.limit))
        let last = items.count < found.count ? items.last : examined.last
        return (items, items.count < found.count || examined.count < all.count, last?.serverPosition.position)
    }
}
