import CausewayLive
import CausewaySimulatedRuntime

/// Turns of the main actor as jobs of the simulator, which itself runs on the main thread.
struct SimulatedDelivery: LiveDelivery {
    let runtime: SimulatedRuntime

    func schedule(_ turn: @escaping @MainActor @Sendable () -> Void) { runtime.spawn { onMain(turn) } }
}

/// Runs `body` as the main actor, which the calling thread is.
func onMain<Value: Sendable>(_ body: @MainActor () throws -> Value) rethrows -> Value {
    try MainActor.assumeIsolated(body)
}
