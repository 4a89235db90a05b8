import Causeway
import CausewayModels
import CausewayRuntime
import CausewaySimulatedHub
import CausewaySimulatedRuntime
import CausewayStorage
import CausewayTransport
import Synchronization

/// The real client in simulated time, on a store in memory, with the model of the hub.
final class SimulatedScenarioWorld: ScenarioWorld {
    let runtime: any Runtime
    let configuration = ClientConfiguration.replay
    let address = "test://hub"
    private let server: SimulatedServer
    private let user: UserID
    private let store = Mutex(MemoryStore())

    private init(runtime: SimulatedRuntime, user: UserID, plantedFault: HubPlantedFault?) {
        self.runtime = runtime
        self.user = user
        server = SimulatedServer(runtime: runtime, plantedFault: plantedFault)
    }

    /// Plays a scenario.
    ///
    /// - Parameter seed: determines the schedule and all durations; no scenario's end may depend on it.
    static func play(_ scenario: Scenario, seed: UInt64, plantedFault: HubPlantedFault? = nil) throws -> ScenarioOutcome
    {
        guard let user = UserID("ann") else { preconditionFailure("a fixed name is a name") }
        let runtime = SimulatedRuntime(seed: seed)
        let world = SimulatedScenarioWorld(runtime: runtime, user: user, plantedFault: plantedFault)
        let end = Mutex(ScenarioOutcome())
        try runtime.run {
            let played = try await ScenarioPlayer.play(scenario, in: world, copier: RequestCopier())
            end.withLock { $0 = played }
        }
        return end.withLock { $0 }
    }

    func token() throws -> AccessToken {
        guard let token = AccessToken("secret") else { preconditionFailure("a fixed token is one") }
        return token
    }

    func makeTransport(_ token: AccessToken) throws(TransportError) -> any Transport {
        SimulatedTransport(to: server, user: user, runtime: runtime)
    }

    func openStore() async throws -> any Store { store.withLock { $0 } }
    func storeWasClosed() async { store.withLock { $0 = $0.crashed() } }

    func use(_ line: Scenario.Line) async throws { server.use(line) }
    func cause(_ trouble: Scenario.Trouble, times: Int) { server.cause(trouble, times: times) }
    func refuseToken() { server.refuseToken() }
    func endTrouble() { server.endTrouble() }
    func restartHub() async throws { server.restart() }
    func shown(in room: ChannelID) async throws -> [ShownMessage] { server.shown(in: room) }
}
