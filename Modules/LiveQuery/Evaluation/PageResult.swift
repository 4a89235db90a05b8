import Synchronization

/// The result of a page request, for one task that waits for it.
package final class PageResult: Sendable {
    private enum State {
        case pending
        case awaited(CheckedContinuation<Int, any Error>)
        case ended(Result<Int, any Error>)
    }

    private let state = Mutex(State.pending)

    package init() {}

    /// Only the first result counts.
    package func complete(_ result: Result<Int, any Error>) {
        let waiter = state.withLock { state -> CheckedContinuation<Int, any Error>? in
            switch state {
            case .ended: return nil
            case .pending:
                state = .ended(result)
                return nil
            case .awaited(let waiter):
                state = .ended(result)
                return waiter
            }
        }
        waiter?.resume(with: result)
    }

    /// Waits for the result; to be called once. Cancelling the calling task ends the wait, not the request.
    package func value() async throws -> Int {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Int, any Error>? in
                    if case .ended(let result) = state { return result }
                    state = .awaited(continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            complete(.failure(CancellationError()))
        }
    }
}
