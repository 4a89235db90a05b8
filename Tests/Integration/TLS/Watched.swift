import Foundation
import Synchronization

/// A value that tests wait on instead of sleeping: a waiter resumes as soon as its condition holds.
final class Watched<Value: Sendable>: Sendable {
    private struct Waiter: Sendable {
        var id: UUID
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

    /// Returns the first value that meets the condition; if the test's time limit cancels the wait, the current value,
    /// with which the test then fails.
    @discardableResult
    func wait(until condition: @escaping @Sendable (Value) -> Bool) async -> Value {
        let id = UUID()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now: Value? = state.withLock { state in
                    if condition(state.value) || Task.isCancelled { return state.value }
                    state.waiters.append(Waiter(id: id, condition: condition, continuation: continuation))
                    return nil
                }
                if let now { continuation.resume(returning: now) }
            }
        } onCancel: {
            let (waiter, value) = state.withLock { state in
                let index = state.waiters.firstIndex { $0.id == id }
                return (index.map { state.waiters.remove(at: $0) }, state.value)
            }
            waiter?.continuation.resume(returning: value)
        }
    }
}
