import Causeway
import CausewayModels
import CausewayRecords
import CausewayStorage
import CausewayTransport
import Foundation
import Synchronization

/// A server in memory that has albums besides messages, each at the version of its last change.
final class AlbumServer: Transport {
    struct State: Sendable {
        var albums: [Album] = []
        /// Records whose fields are sent in a form that no version of the kind has.
        var malformed: Set<String> = []
        var queries: [RemoteRecordsQuery] = []
        var error: TransportError?
        /// Called with each page before it is returned, and with each write before it is applied.
        var beforeResponse: (@Sendable () async -> Void)?
        /// Called with each single record before it is returned.
        var beforeRecord: (@Sendable () async -> Void)?
        /// The operations that arrived, the mark of their lane, and the results by the operations' ids.
        var writes: [DeliveryOperation] = []
        var mark: Int64 = 0
        var results: [MessageID: DeliveryOutcome] = [:]
        /// The number of responses to writes that get lost.
        var lostResponses = 0
    }

    let state = Mutex(State())
    let capabilities = TransportCapabilities(ordering: .sequenced, records: [Album.kind])
    private let messages: ScriptedTransport

    init(_ messages: ScriptedTransport) { self.messages = messages }

    func put(_ albums: Album...) { state.withLock { $0.put(albums) } }

    func remove(_ id: String) { state.withLock { $0.albums.removeAll { $0.id == id } } }

    func records(_ query: RemoteRecordsQuery) async throws(TransportError) -> RemoteRecordsPage {
        let (page, hook) = try state.withLock { state throws(TransportError) in
            state.queries.append(query)
            if let error = state.error { throw error }
            return (state.page(query), state.beforeResponse)
        }
        await hook?()
        return page
    }

    func record(
        _ kind: RecordKind, _ id: String, knowing history: ServerHistory?
    ) async throws(TransportError) -> RemoteRecordState {
        let (found, hook) = try state.withLock { state throws(TransportError) in
            if let error = state.error { throw error }
            return (RemoteRecordState(state.albums.first { $0.id == id }.map(state.remote)), state.beforeRecord)
        }
        await hook?()
        return found
    }

    func authenticate(
        knowing history: ServerHistory?, outbox: OutboxID?
    ) async throws(TransportError) -> ServerInfo { try await messages.authenticate(knowing: history, outbox: outbox) }

    func deliver(_ delivery: Delivery) async throws(TransportError) -> DeliveryReport {
        guard let operation = delivery.operations.first, case .write(let id, let write) = operation.body else {
            return try await messages.deliver(delivery)
        }
        await state.withLock { $0.beforeResponse }?()
        return try state.withLock { state throws(TransportError) in
            if let error = state.error { throw error }
            state.writes.append(operation)
            let outcome = state.outcome(of: operation, id, write)
            if state.lostResponses > 0 {
                state.lostResponses -= 1
                throw .inDoubt(detail: "cut off")
            }
            return DeliveryReport(mark: state.mark, outcomes: [outcome])
        }
    }

    func messages(_ query: RemoteQuery) async throws(TransportError) -> RemotePage {
        try await messages.messages(query)
    }

    func lookup(_ id: MessageID) async throws(TransportError) -> ServerPosition? { try await messages.lookup(id) }

    var events: (any EventSource)? { messages.events }

    func close() async { await messages.close() }
}

extension AlbumServer.State {
    mutating func put(_ new: [Album]) {
        for var album in new {
            album.version = (albums.map(\.version).max() ?? 0) + 1
            albums.removeAll { $0.id == album.id }
            albums.append(album)
        }
    }

    /// The rules of a lane: a known id gets its result, and only the operation after the mark is applied.
    fileprivate mutating func outcome(
        of operation: DeliveryOperation, _ id: MessageID, _ write: RecordWrite
    ) -> DeliveryOutcome {
        if let known = results[id] { return known }
        if operation.sequence <= mark { return .late(mark: mark) }
        guard operation.previous == mark else { return .gap(mark: mark) }
        mark = operation.sequence
        guard case .integer(let year)? = write.arguments["year"], year > 1900 else {
            return .refused(code: "yearInvalid", detail: "no such year")
        }
        put([Album(id: write.record, owner: "ann", year: year)])
        let version = albums.last?.version ?? 0
        let outcome = DeliveryOutcome.accepted(
            ServerPosition(position: version, acceptedAt: Timestamp(milliseconds: 1)))
        results[id] = outcome
        return outcome
    }

    fileprivate func remote(_ album: Album) -> RemoteRecord {
        let value = malformed.contains(album.id) ? Data("[]".utf8) : (try? JSONEncoder().encode(album)) ?? Data()
        return RemoteRecord(kind: Album.kind, id: album.id, version: album.version, value: value)
    }

    fileprivate func page(_ query: RemoteRecordsQuery) -> RemoteRecordsPage {
        let isAscending = query.order == .ascending
        let all = albums.filter { $0.owner == query.list.scope }.map { album in
            (cursor: ListCursor(key: ListKey(album.year), id: album.id), album: album)
        }.sorted { isAscending ? $0.cursor < $1.cursor : $1.cursor < $0.cursor }
        let rest = all.filter { item in
            query.after.map { isAscending ? $0 < item.cursor : item.cursor < $0 } ?? true
        }
        let items = rest.prefix(query.limit)
        return RemoteRecordsPage(
            items: items.map { remote($0.album) }, next: rest.count > items.count ? items.last?.cursor : nil)
    }
}

extension ClientWorld {
    /// A client of this world whose server has albums.
    func client(of server: AlbumServer, on other: (any Store)? = nil) async throws -> CausewayClient {
        var transports = TransportRegistry()
        transports.register("test") { _, _ in server }
        let client = try await CausewayClient.open(
            store: other ?? store, transports: transports, credentials: credentials, runtime: runtime)
        if other == nil { try await login(client) }
        return client
    }
}
