import Synchronization

/// A flag that one task waits for. It is set at first.
final class StatusSignal: Sendable {
    private struct State {
        var isSet = true
        var hasEnded = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    func set() { change { $0.isSet = true } }
    func end() { change { $0.hasEnded = true } }

    private func change(_ body: (inout sending State) -> Void) {
        let waiter = state.withLock { state in
            body(&state)
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// Waits until the flag is set, and clears it.
    ///
    /// - Returns: false at the end, and if the task was cancelled.
    func wait() async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.isSet || state.hasEnded || Task.isCancelled { return true }
                    state.waiter = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiter.take() }?.resume()
        }
        return state.withLock { state in
            if Task.isCancelled || state.hasEnded { return false }
            state.isSet = false
            return true
        }
    }
}
