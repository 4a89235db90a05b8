import Causeway
import CausewayModels
import CausewayRuntime
import CausewaySimulatedHub
import CausewaySimulatedRuntime
import CausewayStorage
import CausewayTransport
import Synchronization

/// The real client in simulated time, on a store in memory, with the model of the hub.
final class SimulatedStoryWorld: StoryWorld {
    let runtime: any Runtime
    let configuration = ClientConfiguration.replay
    let address = "test://hub"
    private let server: SimulatedServer
    private let user: UserID
    private let store = Mutex(MemoryStore())

    private init(runtime: SimulatedRuntime, user: UserID, sabotage: HubSabotage?) {
        self.runtime = runtime
        self.user = user
        server = SimulatedServer(runtime: runtime, sabotage: sabotage)
    }

    /// Plays a story.
    ///
    /// - Parameter seed: determines the schedule and all durations; no story's end may depend on it.
    static func play(_ story: Story, seed: UInt64, sabotage: HubSabotage? = nil) throws -> StoryEnd {
        guard let user = UserID("ann") else { preconditionFailure("a fixed name is a name") }
        let runtime = SimulatedRuntime(seed: seed)
        let world = SimulatedStoryWorld(runtime: runtime, user: user, sabotage: sabotage)
        let end = Mutex(StoryEnd())
        try runtime.run {
            let played = try await StoryPlayer.play(story, in: world, copier: RequestCopier())
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

    func use(_ line: Story.Line) async throws { server.use(line) }
    func cause(_ trouble: Story.Trouble, times: Int) { server.cause(trouble, times: times) }
    func refuseToken() { server.refuseToken() }
    func endTrouble() { server.endTrouble() }
    func restartHub() async throws { server.restart() }
    func shown(in room: ChannelID) async throws -> [ShownMessage] { server.shown(in: room) }
}
