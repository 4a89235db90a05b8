import Causeway
import CausewayModels
import CausewayRuntime
import CausewaySimulatedHub
import CausewaySimulatedRuntime
import CausewayStorage
import CausewayTransport
import Synchronization
import Testing

/// A client on a store with a scripted server, in simulated time.
struct ClientWorld: Sendable {
    let runtime: SimulatedRuntime
    let store: any SimulatedStore
    let transport: ScriptedTransport
    let credentials: MemoryCredentialStore
    let general: ChannelID
    static let address = "test://server"

    /// Runs a test in a new world for each kind of store, and fails it if it cannot end.
    static func run(
        seed: UInt64 = 1, operationsMax: Int = Limits.batchOperationsMax, inFlightMax: Int = 1,
        on kinds: [SimulatedStoreKind] = SimulatedStoreKind.allCases,
        _ body: @escaping @Sendable (ClientWorld) async throws -> Void
    ) throws {
        let user = try #require(UserID("ann"))
        for kind in kinds {
            let runtime = SimulatedRuntime(seed: seed)
            let world = ClientWorld(
                runtime: runtime, store: try kind.make(),
                transport: ScriptedTransport(
                    user: user, runtime: runtime, operationsMax: operationsMax, inFlightMax: inFlightMax),
                credentials: MemoryCredentialStore(), general: try #require(ChannelID("general")))
            do { try runtime.run { try await body(world) } } catch { Issue.record(error, "on the \(kind) store") }
        }
    }

    /// Opens a client; on `other` if given, otherwise on the world's store.
    func open(
        on other: (any Store)? = nil, _ configuration: ClientConfiguration = ClientConfiguration(),
        keeping credentials: (any CredentialStore)? = nil, network: (any NetworkMonitor)? = nil
    ) async throws -> CausewayClient {
        var transports = TransportRegistry()
        transports.register("test") { _, _ in transport }
        return try await CausewayClient.open(
            store: other ?? store, transports: transports, credentials: credentials ?? self.credentials,
            runtime: network.map { NetworkedRuntime(base: runtime, network: $0) } ?? runtime,
            configuration: configuration)
    }

    func loggedIn(_ configuration: ClientConfiguration = ClientConfiguration()) async throws -> CausewayClient {
        let client = try await open(on: nil, configuration)
        try await login(client)
        return client
    }

    func login(_ client: CausewayClient) async throws {
        try await client.login(server: Self.address, token: #require(AccessToken("secret")))
    }

    /// Lets simulated time pass.
    func pass(_ time: Duration) async { await runtime.sleep(until: runtime.now + time) }

    /// Lets time pass until `condition` holds, for at most an hour of simulated time.
    func until(_ what: String, _ condition: () async throws -> Bool) async throws {
        let end = runtime.now + .seconds(3600)
        while runtime.now < end {
            if try await condition() { return }
            await pass(.milliseconds(100))
        }
        Issue.record("it never came about that \(what)")
    }

    func texts(_ client: CausewayClient) async throws -> [String] {
        try await client.messages.storedMessages(in: general, limit: 1000).messages.reversed().map {
            if case .text(let text) = $0.content { text } else { "" }
        }
    }

    /// The text that the server has for an id.
    func text(_ id: MessageID) -> String? {
        guard case .text(let text)? = transport.server.withLock({ $0.hub.accepted[id]?.content }) else { return nil }
        return text
    }
}
