import Synchronization

/// A value that tests wait on instead of sleeping: whoever waits goes on as soon as the condition holds.
final class Watched<Value: Sendable>: Sendable {
    private struct Waiter: Sendable {
        var condition: @Sendable (Value) -> Bool
        var continuation: CheckedContinuation<Value, Never>
    }

    private struct State: Sendable {
        var value: Value
        var waiters: [Waiter] = []
    }

    private let state: Mutex<State>

    init(_ value: Value) {
        state = Mutex(State(value: value))
    }

    var value: Value { state.withLock { $0.value } }

    func update(_ body: (inout Value) -> Void) {
        let (ready, value) = state.withLock { state in
            body(&state.value)
            let value = state.value
            let ready = state.waiters.filter { $0.condition(value) }
            state.waiters.removeAll { $0.condition(value) }
            return (ready, value)
        }
        for waiter in ready { waiter.continuation.resume(returning: value) }
    }

    /// Returns the first value that meets the condition. The test's time limit ends a wait that never does.
    @discardableResult
    func wait(until condition: @escaping @Sendable (Value) -> Bool) async -> Value {
        await withCheckedContinuation { continuation in
            let now: Value? = state.withLock { state in
                if condition(state.value) { return state.value }
                state.waiters.append(Waiter(condition: condition, continuation: continuation))
                return nil
            }
            if let now { continuation.resume(returning: now) }
        }
    }
}
