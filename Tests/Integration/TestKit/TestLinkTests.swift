import Causeway
import CausewayTestKit
import Synchronization
import Testing

/// The link between the clients of a test and its hub.
@Suite(.timeLimit(.minutes(5))) struct TestLinkTests {
    private let link = TestLink()
    private let id = Message.sample().id

    @Test func everythingIsForwarded() async throws {
        let connection = CountedConnection()
        let transport = try LinkedTransport(link) { () throws(TransportError) in connection }
        let signal = TypingSignal(channel: .sample, isTyping: true, device: "a", sequence: 1)
        try await #require(transport.ephemeral).setTyping(signal)
        #expect(connection.signals == [signal])
        transport.networkChanged()
        #expect(connection.networkChanges == 1)
        await link.takeDown()
        await #expect(throws: TransportError.self) { try await transport.ephemeral?.setTyping(signal) }
        transport.networkChanged()
        #expect(connection.networkChanges == 1 && connection.isClosed)
    }

    /// A link that is down is no hub without files: the message of an upload would fail for good.
    @Test func aLinkThatIsDownHasFiles() async throws {
        let transport = try LinkedTransport(link) { () throws(TransportError) in CountedConnection() }
        await link.takeDown()
        let media = try #require(transport.media)
        #expect(media.partBytesMax == 3 && media.fileBytesMax == 7)
        let file = Attachment(name: "a", contentType: "text/plain", size: 1, sha256: "00")
        let session = UploadSession(location: "/u/1", file: file)
        await #expect(throws: TransportError.self) { try await media.cancel(session) }
        link.takeUp()
        try await media.cancel(session)
    }

    /// Calls and the end of the link at the same time, in many orders: no connection outlives the link.
    @Test func aLinkThatIsDownHasNoConnection() async throws {
        for _ in 1...500 {
            let made = Mutex<[CountedConnection]>([])
            let link = TestLink()
            let transport = try LinkedTransport(link) { () throws(TransportError) in
                let connection = CountedConnection()
                made.withLock { $0.append(connection) }
                return connection
            }
            await withTaskGroup { group in
                for _ in 1...4 { group.addTask { _ = try? await transport.lookup(id) } }
                group.addTask { await link.takeDown() }
            }
            let connections = made.withLock { $0 }
            #expect(connections.filter { !$0.isClosed }.isEmpty)
        }
    }
}

/// A connection that notes what it is called for.
private final class CountedConnection: Transport {
    private struct State {
        var signals: [TypingSignal] = []
        var networkChanges = 0
        var isClosed = false
    }

    private let state = Mutex(State())

    var capabilities: TransportCapabilities { TransportCapabilities(ordering: .sequenced) }
    var signals: [TypingSignal] { state.withLock { $0.signals } }
    var networkChanges: Int { state.withLock { $0.networkChanges } }
    var isClosed: Bool { state.withLock { $0.isClosed } }

    var ephemeral: (any EphemeralEvents)? { Signals(connection: self) }
    var media: (any MediaStore)? { Files() }
    func networkChanged() { state.withLock { $0.networkChanges += 1 } }
    func close() async { state.withLock { $0.isClosed = true } }
    func lookup(_ id: MessageID) async throws(TransportError) -> ServerPosition? { nil }

    func authenticate(
        knowing history: ServerHistory?, outbox: OutboxID?
    ) async throws(TransportError) -> ServerInfo { throw .unreachable(detail: "unused") }

    func deliver(_ delivery: Delivery) async throws(TransportError) -> DeliveryReport {
        throw .unreachable(detail: "unused")
    }

    func messages(_ query: RemoteQuery) async throws(TransportError) -> RemotePage {
        throw .unreachable(detail: "unused")
    }

    private struct Signals: EphemeralEvents {
        let connection: CountedConnection

        func setTyping(_ signal: TypingSignal) async throws(TransportError) {
            connection.state.withLock { $0.signals.append(signal) }
        }
    }

    private struct Files: MediaStore {
        let partBytesMax = 3
        let fileBytesMax: Int64 = 7

        func begin(_ file: CausewayModels.Attachment) async throws(TransportError) -> UploadStart {
            throw .unreachable(detail: "unused")
        }

        func offset(of session: UploadSession) async throws(TransportError) -> Int64 { 0 }

        func send(
            _ source: any ByteSource, to session: UploadSession, from offset: Int64,
            progress: @escaping @Sendable (Int64) -> Void
        ) async throws(TransportError) -> UploadReceipt { throw .unreachable(detail: "unused") }

        func cancel(_ session: UploadSession) async throws(TransportError) {}

        func download(
            _ file: CausewayModels.Attachment, from offset: Int64,
            to body: @Sendable (_ part: [UInt8]) async throws(TransportError) -> Void
        ) async throws(TransportError) {}
    }
}
