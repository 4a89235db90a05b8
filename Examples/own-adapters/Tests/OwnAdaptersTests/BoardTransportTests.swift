import Causeway
import CausewayTransportConformance
import OwnAdapters
import Testing

/// ``BoardTransport`` keeps the promises of the port.
@Suite struct BoardTransportTests {
    @Test(arguments: TransportConformance.rules)
    func keeps(_ rule: TransportConformance.Rule) async throws {
        try await rule.run(
            TransportHarness { body in
                try await body(try BoardServer())
            })
    }

    /// Rules about servers of another kind, records and events do not apply; all others do.
    @Test func mostRulesApply() async throws {
        var applied = 0
        for rule in TransportConformance.rules
        where try await rule.run(TransportHarness { body in try await body(try BoardServer()) }) {
            applied += 1
        }
        #expect(applied >= 20)
    }

    @Test func aTransportThatTakesALostAnswerForARefusalIsFound() async throws {
        let rule = try #require(
            TransportConformance.rule("a lost response is in doubt, and one call sends one request"))
        await #expect(throws: ConformanceFailure.self) {
            try await rule.run(
                TransportHarness { body in try await body(try BoardServer { Hasty(inner: $0) }) })
        }
    }
}

/// A board and its line as a server of the suite.
struct BoardServer: ConformanceServer {
    let user: UserID
    let token: AccessToken
    let channel: ChannelID
    private let wrongToken: AccessToken
    private let board: FaultyBoard
    private let wrap: @Sendable (BoardTransport) -> any Transport

    init(wrap: @escaping @Sendable (BoardTransport) -> any Transport = { $0 }) throws {
        user = try #require(UserID("ann"))
        token = try #require(AccessToken("token-of-ann"))
        wrongToken = try #require(AccessToken("token-of-another"))
        channel = try #require(ChannelID("general"))
        board = FaultyBoard(BulletinBoard(user: user, token: token, channel: channel))
        self.wrap = wrap
    }

    func makeTransport(_ kind: ConformanceTransport) async throws -> any Transport {
        switch kind {
        case .working: wrap(BoardTransport(to: board, token: token))
        case .impatient: wrap(BoardTransport(to: board, token: token, timeout: .milliseconds(20)))
        case .withWrongToken: wrap(BoardTransport(to: board, token: wrongToken))
        case .withoutServer: wrap(BoardTransport(to: NoBoard(), token: token))
        }
    }

    func use(_ fault: ServerFault) async throws { board.use(fault) }
    func deliveriesSeen() async throws -> Int { board.deliveries }
    func stored() async throws -> [MessageID] { board.inner.notes.map(\.id) }
}

/// A transport with a mistake: whatever happens to a delivery, it reports a refusal.
struct Hasty: Transport {
    let inner: BoardTransport
    var capabilities: TransportCapabilities { inner.capabilities }
    var way: String? { inner.way }

    func authenticate(
        knowing history: ServerHistory?, outbox: OutboxID?
    ) async throws(TransportError) -> ServerInfo {
        try await inner.authenticate(knowing: history, outbox: outbox)
    }

    func deliver(_ delivery: Delivery) async throws(TransportError) -> DeliveryReport {
        do throws(TransportError) {
            return try await inner.deliver(delivery)
        } catch {
            throw .refused(code: "failed", detail: "\(error)")
        }
    }

    func messages(_ query: RemoteQuery) async throws(TransportError) -> RemotePage { try await inner.messages(query) }
    func lookup(_ id: MessageID) async throws(TransportError) -> ServerPosition? { try await inner.lookup(id) }
    func close() async { await inner.close() }
}
