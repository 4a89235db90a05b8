import Causeway
import CausewayFileStorage
import CausewayHTTPTransport
import CausewayHub
import CausewayHubSQLite
import CausewayModels
import CausewayRuntime
import CausewaySQLiteStorage
import CausewayStorage
import CausewayTLS
import CausewayTestSupport
import CausewayTransport
import Foundation

/// The real client on a real store on the disk, with a real hub over real TLS, and a proxy between them that injects
/// network faults.
final class RealScenarioWorld: ScenarioWorld {
    let runtime: any Runtime = SystemRuntime()
    let configuration = ClientConfiguration.replay
    let address: String
    private let folder: String
    private let data: DataFolder
    private let hub: HubHost
    private let faults: HubFaults
    private let proxy: FaultProxy
    /// Reads the hub directly, without the proxy.
    private let witness: HTTPTransport
    /// Every other scenario runs on a file store.
    private let isFile: Bool

    private init(
        folder: String, data: DataFolder, hub: HubHost, faults: HubFaults, proxy: FaultProxy,
        ports: (hub: Int, proxy: Int), isFile: Bool
    ) throws {
        self.isFile = isFile
        self.folder = folder
        self.data = data
        self.hub = hub
        self.faults = faults
        self.proxy = proxy
        address = "https://127.0.0.1:\(ports.proxy)"
        witness = try HTTPTransport(
            to: "https://127.0.0.1:\(ports.hub)", token: try Self.token(in: data), Self.http(trusting: data))
    }

    /// Plays a scenario.
    static func play(_ scenario: Scenario, plantedFault: RequestCopier.PlantedFault? = nil) async throws
        -> ScenarioOutcome
    {
        let temporary = try TemporaryFolder()
        let folder = temporary.path
        let data = DataFolder(folder + "/hub")
        _ = try await HubSetup(
            folder: data, names: ["127.0.0.1"], account: "ann", channel: Scenario.Room.general.rawValue
        ).run(opening: SQLiteHubStorage.open)
        let faults = HubFaults()
        let hub = try HubHost(data, faults: faults)
        try await hub.start { administration in
            guard let second = ChannelID(Scenario.Room.second.rawValue) else { return }
            _ = try await administration.addChannel(second, owner: UserID("ann"))
        }
        let port = hub.port
        let result: Result<ScenarioOutcome, any Error>
        do {
            let end = try await FaultProxy.run(to: port) { proxy, proxyPort in
                let world = try RealScenarioWorld(
                    folder: folder, data: data, hub: hub, faults: faults, proxy: proxy, ports: (port, proxyPort),
                    isFile: scenario.seed.isMultiple(of: 2))
                defer { Task { await world.witness.close() } }
                return try await ScenarioPlayer.play(
                    scenario, in: world, copier: RequestCopier(plantedFault: plantedFault))
            }
            result = .success(end)
        } catch {
            result = .failure(error)
        }
        await hub.stop()
        return try result.get()
    }

    func token() throws -> AccessToken { try Self.token(in: data) }

    func makeTransport(_ token: AccessToken) throws(TransportError) -> any Transport {
        try HTTPTransport(to: address, token: token, Self.http(trusting: data))
    }

    func openStore() async throws -> any Store {
        let store = folder + "/store"
        return isFile
            ? try await FileStore.open(at: store, durability: .full)
            : try await SQLiteStore.open(at: store, durability: .full)
    }

    func storeWasClosed() async {}

    func use(_ line: Scenario.Line) async throws {
        switch line {
        case .up:
            // Requests stuck in a silent line are cut off, not delivered late.
            try await proxy.use(.refuse)
            try await proxy.cutAll()
            try await proxy.use(.none)
        case .slow: try await proxy.use(.slow(bytes: 200, pause: .milliseconds(1)))
        case .slices: try await proxy.use(.slices)
        case .cut:
            try await proxy.use(.refuse)
            try await proxy.cutAll()
        case .mute: try await proxy.use(.mute)
        case .blackHole: try await proxy.use(.blackHole)
        }
    }

    func cause(_ trouble: Scenario.Trouble, times: Int) {
        let fault: HubFaults.Fault =
            switch trouble {
            case .respond(let status, let code): .respond(status: status, code: code)
            case .rateLimited: .respond(status: 429, code: "slowDown", retryAfter: "1")
            case .lostAnswer: .cutAfter
            case .cutBefore: .cutBefore
            case .captivePortal: .foreignPage(status: 200)
            }
        faults.inject(fault, times: times)
    }

    func refuseToken() { faults.inject(.respond(status: 401, code: "tokenRefused"), on: .everything) }
    func endTrouble() { faults.clear() }

    func restartHub() async throws {
        await hub.stop()
        try await hub.start()
    }

    func shown(in room: ChannelID) async throws -> [ShownMessage] {
        var found: [RemoteMessage] = []
        while true {
            let range = RemoteQuery.Range.after(position: found.last?.serverPosition.position ?? 0)
            let page = try await witness.messages(RemoteQuery(channel: room, range: range, limit: 1000))
            found += page.items
            if page.hasMore { continue }
            return found.map {
                ShownMessage(id: $0.id, content: $0.body.content, reactions: Set($0.body.reactions.keys))
            }
        }
    }

    private static func token(in data: DataFolder) throws -> AccessToken {
        let text = try String(contentsOfFile: data.token(of: "ann"), encoding: .utf8)
        guard let token = AccessToken(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        return token
    }

    private static func http(trusting data: DataFolder) -> HTTPTransportConfiguration {
        var http = HTTPTransportConfiguration()
        http.timeouts.connect = .seconds(60)
        http.tls.trust = .authorities(path: data.authorityCertificate)
        http.proxy = .none
        return http
    }
}
