import CausewayLiveQuery
import CausewayModels
import CausewayRuntime
import CausewaySimulatedRuntime
import CausewayStorage
import Testing

/// An engine on a store in memory, in simulated time. Everything runs on the main thread, one job after the other, so
/// that a test may access objects of the main actor (``onMain(_:)``) and every run of it is identical.
struct LiveWorld: Sendable {
    let runtime: SimulatedRuntime
    let store: any Store
    let delivery: SimulatedDelivery
    let engine: LiveQueryEngine
    let general: ChannelID

    private init(_ kind: StoreKind, seed: UInt64) throws {
        store = try kind.makeSimulated()
        runtime = SimulatedRuntime(seed: seed)
        general = try #require(ChannelID("general"))
        delivery = SimulatedDelivery(runtime)
        engine = LiveQueryEngine(store: store, runtime: runtime, delivery: delivery)
    }

    /// Runs a test in a new world for each kind of store, and fails it if it cannot end.
    @MainActor
    static func run(seed: UInt64 = 1, _ body: @escaping @Sendable (LiveWorld) async throws -> Void) throws {
        for kind in StoreKind.simulated {
            let world = try LiveWorld(kind, seed: seed)
            try world.runtime.run {
                _ = try await world.store.start(.forTests)
                try await body(world)
            }
        }
    }

    /// Lets everything that is ready run.
    func settle() async { await runtime.sleep(until: runtime.now + .milliseconds(1)) }
}

extension StartOptions {
    static let forTests = StartOptions(
        restart: .resume,
        failure: Failure(reason: .sessionEnded, code: "", detail: "", at: Timestamp(milliseconds: 0)),
        newOutboxID: OutboxID(UUIDv7(high: 0x7000, low: 0x8000_0000_0000_00AA)))
}
