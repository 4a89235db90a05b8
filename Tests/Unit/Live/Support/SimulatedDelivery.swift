import CausewayLiveQuery
import CausewaySimulatedRuntime
import Synchronization

/// Turns of the main actor as jobs of the simulator, which itself runs on the main thread.
final class SimulatedDelivery: LiveDelivery {
    private struct State {
        var isHeld = false
        var held: [Turn] = []
        var turnCount = 0
    }

    private struct Turn: Sendable {
        let run: @MainActor @Sendable () -> Void
    }

    private let runtime: SimulatedRuntime
    private let state = Mutex(State())

    init(_ runtime: SimulatedRuntime) { self.runtime = runtime }

    func schedule(_ turn: @escaping @MainActor @Sendable () -> Void) {
        let isHeld = state.withLock { state in
            state.turnCount += 1
            if state.isHeld { state.held.append(Turn(run: turn)) }
            return state.isHeld
        }
        if !isHeld { runtime.spawn { onMain(turn) } }
    }

    /// Blocks the main actor.
    func hold() { state.withLock { $0.isHeld = true } }

    /// The number of turns requested so far.
    var turnCount: Int { state.withLock { $0.turnCount } }

    /// The number of turns that wait for the main actor.
    var heldCount: Int { state.withLock { $0.held.count } }

    /// Unblocks the main actor.
    func release() {
        let held = state.withLock { state in
            defer { (state.held, state.isHeld) = ([], false) }
            return state.held
        }
        for turn in held { runtime.spawn { onMain(turn.run) } }
    }
}

/// Runs `body` as the main actor, which the calling thread is.
func onMain<Value: Sendable>(_ body: @MainActor () throws -> Value) rethrows -> Value {
    try MainActor.assumeIsolated(body)
}
