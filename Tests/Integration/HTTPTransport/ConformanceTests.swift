import CausewayHTTPTransport
import CausewayHub
import CausewayHubRules
import CausewayHubSQLite
import CausewayModels
import CausewayRecords
import CausewayTLS
import CausewayTestSupport
import CausewayTransport
import CausewayTransportConformance
import Foundation
import Testing

/// The promises of the port, kept by the transport against the real hub, over real TLS and a network with faults.
@Suite struct ConformanceTests {
    @Test(arguments: TransportConformance.rules, ["https", "wss", "auto"])
    func keeps(_ rule: TransportConformance.Rule, over scheme: String) async throws {
        #expect(try await rule.run(Self.harness(scheme)), "the rule does not apply")
    }

    private static func harness(_ scheme: String) -> TransportHarness {
        TransportHarness { body in
            let (temporary, folder, _) = try await Sample.hubFolder()
            defer { withExtendedLifetime(temporary) {} }
            let records = try await members(of: try Sample.channel(), in: folder)
            let faults = HubFaults()
            var configuration = HubConfiguration.secure(folder)
            // However long a test takes, typing does not end by itself.
            configuration.ephemeral.typingLife = .seconds(3600)
            return try await HubService.running(
                configuration, opening: SQLiteHubStorage.open, faults: faults, logger: Sample.silentLogger
            ) { hub in
                let hubPort = try await hub.port()
                return try await FaultProxy.run(to: hubPort) { proxy, proxyPort in
                    try await body(
                        try HubConformanceServer(
                            folder, scheme, records, faults: faults, proxy: proxy, hubPort: hubPort,
                            proxyPort: proxyPort))
                }
            }
        }
    }

    /// Adds members to the account's channel, and a channel that the account is no member of.
    private static func members(of channel: ChannelID, in folder: DataFolder) async throws -> RecordSample {
        let administration = try await HubAdministration.of(folder, opening: SQLiteHubStorage.open)
        defer { administration.close() }
        // Members are listed by the time when they joined, those of one time by their names.
        for name in ["bob", "cid", "dan", "eve"] {
            _ = try await administration.addAccount(name)
            try await administration.setMember(
                ChannelMemberID(channel: channel, user: try #require(UserID(name))), .member)
        }
        let secret = try #require(ChannelID("secret"))
        _ = try await administration.addChannel(secret, isPublic: false, owner: UserID("bob"))
        return RecordSample(
            list: ChannelMember.members(of: channel),
            ids: ["ada", "bob", "cid", "dan", "eve"].map { "\(channel)/\($0)" }, missing: "\(channel)/nobody",
            forbidden: ChannelMember.members(of: secret))
    }
}

/// A real hub behind a proxy.
private struct HubConformanceServer: ConformanceServer {
    let user: UserID
    let token: AccessToken
    let channel: ChannelID
    let records: RecordSample?
    private let scheme: String
    private let tls: TLSClientConfiguration
    private let faults: HubFaults
    private let proxy: FaultProxy
    private let hubPort: Int
    private let proxyPort: Int

    init(
        _ folder: DataFolder, _ scheme: String, _ records: RecordSample, faults: HubFaults, proxy: FaultProxy,
        hubPort: Int, proxyPort: Int
    ) throws {
        self.scheme = scheme
        self.records = records
        user = try #require(UserID("ada"))
        channel = try Sample.channel()
        let text = try String(contentsOfFile: folder.token(of: "ada"), encoding: .utf8)
        token = try #require(AccessToken(text.trimmingCharacters(in: .newlines)))
        tls = TLSClientConfiguration(trust: .authorities(path: folder.authorityCertificate))
        self.faults = faults
        self.proxy = proxy
        self.hubPort = hubPort
        self.proxyPort = proxyPort
    }

    func makeTransport(_ kind: ConformanceTransport) async throws -> any Transport {
        switch kind {
        case .working: try transport(to: proxyPort, token)
        case .impatient:
            try transport(
                to: proxyPort, token,
                HTTPTransportConfiguration.Timeouts(connect: .milliseconds(100), firstByte: .milliseconds(100)))
        case .withWrongToken: try transport(to: proxyPort, Sample.token())
        case .withoutServer: try transport(to: try await NoAnswerTests.deadPort(), token)
        }
    }

    private func transport(
        to port: Int, _ token: AccessToken,
        _ timeouts: HTTPTransportConfiguration.Timeouts = .unhurried
    ) throws -> HTTPTransport {
        try HTTPTransport(
            to: "\(scheme)://localhost:\(port)", token: token,
            HTTPTransportConfiguration(tls: tls, timeouts: timeouts, proxy: .none))
    }

    func use(_ fault: ServerFault) async throws {
        faults.clear()
        try await proxy.use(.none)
        switch fault {
        case .none: break
        case .loseRequest: try await proxy.use(.reset(.toServer, afterBytes: 20))
        case .loseResponse: try await proxy.use(.lostResponse)
        case .malformedResponse: faults.inject(.foreignPage(status: 200))
        case .stall: try await proxy.use(.blackHole)
        case .busy: faults.inject(.respond(status: 503, code: "busy"))
        case .rateLimit(let time):
            faults.inject(.respond(status: 429, code: "tooFast", retryAfter: "\(time.components.seconds)"))
        }
    }

    func deliveriesSeen() async throws -> Int { faults.deliveriesSeen }

    func stored() async throws -> [MessageID] {
        let direct = try transport(to: hubPort, token)
        let page = try await direct.messages(RemoteQuery(channel: channel, range: .newest, limit: 1000))
        await direct.close()
        return page.items.map(\.id)
    }
}
