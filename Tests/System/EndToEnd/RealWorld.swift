import Causeway
import CausewayHTTPTransport
import CausewayHub
import CausewayHubSQLite
import CausewayModels
import CausewayRecords
import CausewayScriptedWorld
import CausewayTLS
import CausewayTestSupport
import CausewayTransport
import Foundation
import Logging
import Testing

/// A real hub over real TLS with a real store on the disk, in one process; tests inject faults into the hub.
struct RealWorld: Sendable {
    let folder: String
    let faults: HubFaults
    let address: String
    let general: ChannelID
    /// The kind of the clients' stores.
    private let stores: StoreKind
    private let data: DataFolder
    /// The hub's accounts, if it runs in this process.
    let administration: HubAdministration?

    private init(
        folder: String, faults: HubFaults, address: String, general: ChannelID, stores: StoreKind, data: DataFolder,
        administration: HubAdministration? = nil
    ) {
        self.stores = stores
        self.administration = administration
        self.folder = folder
        self.faults = faults
        self.address = address
        self.general = general
        self.data = data
    }

    /// Creates a world whose hub the test starts and stops itself.
    init(folder: String, data: DataFolder, port: Int, stores: StoreKind = .sqlite) throws {
        self.init(
            folder: folder, faults: HubFaults(), address: "https://127.0.0.1:\(port)",
            general: try #require(ChannelID("general")), stores: stores, data: data)
    }

    /// Runs a scenario with a hub that has the account `ann` and the channel `general`.
    ///
    /// - Parameters:
    ///   - stores: the kind of the clients' stores.
    ///   - change: changes the hub's configuration.
    static func run(
        on stores: StoreKind = .sqlite, change: (inout HubConfiguration) -> Void = { _ in },
        _ body: @Sendable (RealWorld) async throws -> Void
    ) async throws {
        let temporary = try TemporaryFolder()
        let folder = temporary.path
        let data = DataFolder(folder + "/hub")
        _ = try await HubSetup(folder: data, names: ["127.0.0.1"], account: "ann", channel: "general").run(
            opening: SQLiteHubStorage.open)
        let faults = HubFaults()
        var configuration = HubConfiguration.secure(data)
        change(&configuration)
        var logger = Logger(label: "hub")
        logger.logLevel = .critical
        try await HubService.running(
            configuration, opening: SQLiteHubStorage.open, faults: faults, logger: logger
        ) { hub in
            let world = RealWorld(
                folder: folder, faults: faults, address: try await hub.address(),
                general: try #require(ChannelID("general")), stores: stores, data: data,
                administration: hub.administration)
            try await Eventually.ends { try await body(world) }
        }
    }

    /// Creates an account that is a member of the channel.
    func addMember(_ name: String) async throws -> AccessToken {
        let administration = try #require(administration)
        let token = try await administration.addAccount(name).text
        try await administration.setMember(try #require(ChannelMemberID("general/\(name)")), .member)
        return try #require(AccessToken(token))
    }

    var authority: String { data.authorityCertificate }

    func token() throws -> AccessToken {
        let text = try String(contentsOfFile: data.token(of: "ann"), encoding: .utf8)
        return try #require(AccessToken(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    /// A configuration for fast tests: the same rules, a twentieth of the time.
    static var quick: ClientConfiguration {
        .forTests(
            settlingTime: .milliseconds(50), retryInterval: .milliseconds(250), probeInterval: .milliseconds(50),
            probeIntervalMax: .milliseconds(500))
    }

    /// Opens a client on a store of its own under `name`.
    ///
    /// - Parameter change: changes the configuration of its connections.
    func open(
        _ name: String = "store", credentials: MemoryCredentialStore = MemoryCredentialStore(),
        authority: String? = nil, _ configuration: ClientConfiguration = Self.quick,
        change: (inout HTTPTransportConfiguration) -> Void = { _ in }
    ) async throws -> CausewayClient {
        var http = HTTPTransportConfiguration()
        http.tls.trust = .authorities(path: authority ?? self.authority)
        http.proxy = .none
        change(&http)
        var transports = TransportRegistry()
        transports.registerHTTP(http)
        return try await CausewayClient.open(
            store: try await stores.open(at: folder + "/" + name, durability: .full), transports: transports,
            credentials: credentials, configuration: configuration)
    }

    /// Opens a client that is logged in, and closes it after the scenario.
    func withClient(
        _ configuration: ClientConfiguration = Self.quick, _ body: (CausewayClient) async throws -> Void
    ) async throws {
        let client = try await open(configuration)
        do {
            try await client.login(server: address, token: try token())
            try await body(client)
        } catch {
            await client.close()
            throw error
        }
        await client.close()
    }

    private func open(_ configuration: ClientConfiguration) async throws -> CausewayClient {
        try await open("store", configuration)
    }

    /// The channel's messages on the hub, read from the hub directly.
    func onTheHub() async throws -> [RemoteMessage] {
        var http = HTTPTransportConfiguration()
        http.tls.trust = .authorities(path: authority)
        http.proxy = .none
        let transport = try HTTPTransport(to: address, token: try token(), http)
        var found: [RemoteMessage] = []
        while true {
            let range = RemoteQuery.Range.after(position: found.last?.serverPosition.position ?? 0)
            let page = try await transport.messages(RemoteQuery(channel: general, range: range, limit: 1000))
            found += page.items
            if !page.hasMore { break }
        }
        await transport.close()
        return found
    }
}
