import Causeway
import CausewayScriptedWorld
import CausewayTransportConformance
import Testing

/// A scripted server as a server of a harness.
struct ScriptedConformanceServer: ConformanceServer {
    let user: UserID
    let token: AccessToken
    let channel: ChannelID
    private let wrongToken: AccessToken
    private let server: ScriptedServer
    private let deadServer = ScriptedServer()
    private let timeout: Duration
    private let wrap: @Sendable (any Transport) -> any Transport

    /// - Parameters:
    ///   - timeout: the longest wait for a response.
    ///   - wrap: makes the transport under test of a correct one.
    init(timeout: Duration, wrap: @escaping @Sendable (any Transport) -> any Transport) throws {
        self.timeout = timeout
        user = try #require(UserID("ann"))
        token = try #require(AccessToken("secret-of-ann"))
        wrongToken = try #require(AccessToken("secret-of-nobody"))
        channel = try #require(ChannelID("general"))
        server = ScriptedServer(channels: [channel], token: token, hasEvents: true)
        deadServer.set(.unreachable)
        self.wrap = wrap
    }

    func makeTransport(_ kind: ConformanceTransport) async throws -> any Transport {
        switch kind {
        case .working: wrap(server.connection(with: token, timeout: timeout))
        case .impatient: wrap(server.connection(with: token, timeout: .milliseconds(20)))
        case .withWrongToken: wrap(server.connection(with: wrongToken))
        case .withoutServer: wrap(deadServer.connection(with: token))
        }
    }

    func use(_ fault: ServerFault) async throws {
        switch fault {
        case .none: server.set(.working)
        case .loseRequest: server.set(.losingRequests)
        case .loseResponse: server.set(.losingResponses)
        case .malformedResponse: server.set(.malformed)
        case .stall: server.set(.stalled)
        case .busy: server.set(.busy)
        case .rateLimit(let time): server.set(.rateLimiting(time))
        }
    }

    var records: RecordSample? {
        RecordSample(
            list: ScriptedRecords.list, ids: ScriptedRecords.ids, missing: "missing",
            forbidden: RecordList(kind: ScriptedRecords.list.kind, name: "private"))
    }

    func deliveriesSeen() async throws -> Int { server.deliveriesSeen }
    func stored() async throws -> [MessageID] { server.messages(in: channel).map(\.id) }

    /// - Parameter patience: short where a planted fault is expected to exceed it.
    static func harness(
        patience: Duration = .seconds(600), timeout: Duration = .seconds(1200),
        wrap: @escaping @Sendable (any Transport) -> any Transport = { $0 }
    ) -> TransportHarness {
        TransportHarness(patience: patience) { body in
            try await body(try ScriptedConformanceServer(timeout: timeout, wrap: wrap))
        }
    }
}
