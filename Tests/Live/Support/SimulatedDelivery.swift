import CausewayLive
import CausewaySimulatedRuntime

/// Turns of the main actor as jobs of the simulator, which itself runs on the main thread.
struct SimulatedDelivery: LiveDelivery {
    let runtime: SimulatedRuntime

    func schedule(_ turn: @escaping @MainActor @Sendable () -> Void) {
        runtime.spawn { MainActor.assumeIsolated { turn() } }
    }
}
