package import Causeway
package import CausewayTransport
import Synchronization

/// The link between the clients of a test and its hub, which the test takes down and up.
package final class TestLink: Sendable {
    private struct State {
        var isUp = true
        var transports: [LinkedTransport] = []
    }

    private let state = Mutex(State())

    package init() {}

    var isUp: Bool { state.withLock { $0.isUp } }

    func add(_ transport: LinkedTransport) { state.withLock { $0.transports.append(transport) } }
    func remove(_ transport: LinkedTransport) { state.withLock { $0.transports.removeAll { $0 === transport } } }

    /// Breaks all connections; new ones fail.
    package func takeDown() async {
        let transports = state.withLock { state in
            state.isUp = false
            return state.transports
        }
        for transport in transports { await transport.cut() }
    }

    package func takeUp() { state.withLock { $0.isUp = true } }
}

/// A connection to the hub over the link. A new one is made when the link is up again.
package final class LinkedTransport: Transport {
    private struct State {
        var connection: (any Transport)?
        var isClosed = false
    }

    package let capabilities: TransportCapabilities
    /// The files of the first connection, for their limits; `nil` if the hub stores none.
    private let firstMedia: (any MediaStore)?
    private let link: TestLink
    private let connect: @Sendable () throws(TransportError) -> any Transport
    private let state: Mutex<State>

    /// - Parameter connect: makes a connection, without waiting for it.
    package init(
        _ link: TestLink, _ connect: @escaping @Sendable () throws(TransportError) -> any Transport
    ) throws(TransportError) {
        let connection = try connect()
        self.link = link
        self.connect = connect
        capabilities = connection.capabilities
        firstMedia = connection.media
        state = Mutex(State(connection: connection))
        link.add(self)
    }

    /// The connection, or a new one.
    func current() throws(TransportError) -> any Transport {
        try state.withLock { state throws(TransportError) in
            // Within the lock: a link that is taken down after this cuts the connection that is made here.
            if state.isClosed || !link.isUp { throw Self.down }
            if let connection = state.connection { return connection }
            let connection = try connect()
            state.connection = connection
            return connection
        }
    }

    private static var down: TransportError { .unreachable(detail: "the test has taken the link down") }

    /// Ends the connection; calls under way fail.
    func cut() async { await state.withLock { $0.connection.take() }?.close() }

    package func authenticate(
        knowing history: ServerHistory?, outbox: OutboxID?
    ) async throws(TransportError) -> ServerInfo {
        try await current().authenticate(knowing: history, outbox: outbox)
    }

    package func deliver(_ delivery: Delivery) async throws(TransportError) -> DeliveryReport {
        try await current().deliver(delivery)
    }

    package func messages(_ query: RemoteQuery) async throws(TransportError) -> RemotePage {
        try await current().messages(query)
    }

    package func changes(_ query: RemoteChangesQuery) async throws(TransportError) -> RemoteChanges? {
        try await current().changes(query)
    }

    package func records(_ query: RemoteRecordsQuery) async throws(TransportError) -> RemoteRecordsPage {
        try await current().records(query)
    }

    package func record(
        _ kind: RecordKind, _ id: String, knowing history: ServerHistory?
    ) async throws(TransportError) -> RemoteRecordState {
        try await current().record(kind, id, knowing: history)
    }

    package func message(
        _ id: MessageID, knowing history: ServerHistory?
    ) async throws(TransportError) -> RemoteMessageState {
        try await current().message(id, knowing: history)
    }

    package func lookup(_ id: MessageID) async throws(TransportError) -> ServerPosition? {
        try await current().lookup(id)
    }

    package var events: (any EventSource)? { LinkedEvents(transport: self) }
    package var ephemeral: (any EphemeralEvents)? { LinkedEphemeral(transport: self) }
    /// Also while the link is down: uploads wait then.
    package var media: (any MediaStore)? { firstMedia.map { LinkedMedia(transport: self, first: $0) } }
    package var way: String? { state.withLock { $0.connection }?.way }

    /// For the connection that there is; a new one is fresh anyway.
    package func networkChanged() { state.withLock { $0.connection }?.networkChanged() }

    package func close() async {
        let connection = state.withLock { state in
            state.isClosed = true
            return state.connection.take()
        }
        link.remove(self)
        await connection?.close()
    }
}

/// The hub's events over the link.
private struct LinkedEvents: EventSource {
    let transport: LinkedTransport

    private func current() throws(TransportError) -> any EventSource {
        guard let events = try transport.current().events else { throw .unreachable(detail: "no events") }
        return events
    }

    func currentCursor(knowing history: ServerHistory?) async throws(TransportError) -> EventStart {
        try await current().currentCursor(knowing: history)
    }

    func open(
        from cursor: EventCursor, knowing history: ServerHistory?
    ) async throws(TransportError) -> any EventStream {
        try await current().open(from: cursor, knowing: history)
    }
}

/// Typing over the link.
private struct LinkedEphemeral: EphemeralEvents {
    let transport: LinkedTransport

    func setTyping(_ signal: TypingSignal) async throws(TransportError) {
        guard let ephemeral = try transport.current().ephemeral else { throw .unreachable(detail: "no typing") }
        try await ephemeral.setTyping(signal)
    }
}

/// The hub's files over the link.
private struct LinkedMedia: MediaStore {
    let transport: LinkedTransport
    /// Those of the first connection.
    let first: any MediaStore

    var partBytesMax: Int { first.partBytesMax }
    var fileBytesMax: Int64 { (try? current())?.fileBytesMax ?? first.fileBytesMax }

    private func current() throws(TransportError) -> any MediaStore {
        guard let media = try transport.current().media else { throw .unreachable(detail: "no files") }
        return media
    }

    func begin(_ file: Attachment) async throws(TransportError) -> UploadStart { try await current().begin(file) }

    func begin(_ file: Attachment, from source: (any ByteSource)?) async throws(TransportError) -> UploadStart {
        try await current().begin(file, from: source)
    }

    func offset(of session: UploadSession) async throws(TransportError) -> Int64 {
        try await current().offset(of: session)
    }

    func send(
        _ source: any ByteSource, to session: UploadSession, from offset: Int64,
        progress: @escaping @Sendable (Int64) -> Void
    ) async throws(TransportError) -> UploadReceipt {
        try await current().send(source, to: session, from: offset, progress: progress)
    }

    func cancel(_ session: UploadSession) async throws(TransportError) { try await current().cancel(session) }

    func download(
        _ file: Attachment, from offset: Int64,
        to body: @Sendable (_ part: [UInt8]) async throws(TransportError) -> Void
    ) async throws(TransportError) {
        try await current().download(file, from: offset, to: body)
    }
}
