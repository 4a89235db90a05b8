internal import Synchronization

/// Notifies waiters when a server listens, and on which port.
package final class Readiness<Failure: Error>: Sendable {
    private enum State {
        case waiting([CheckedContinuation<Result<Int, Failure>, Never>])
        case open(port: Int)
        case closed(Failure)
    }

    private let state = Mutex(State.waiting([]))

    package init() {}

    package func open(port: Int) { settle(.open(port: port), .success(port)) }

    package func close(_ error: Failure) { settle(.closed(error), .failure(error)) }

    package func port() async throws(Failure) -> Int {
        let result: Result<Int, Failure> = await withCheckedContinuation { continuation in
            let known: Result<Int, Failure>? = state.withLock { state in
                switch state {
                case .waiting(let others):
                    state = .waiting(others + [continuation])
                    return nil
                case .open(let port): return .success(port)
                case .closed(let error): return .failure(error)
                }
            }
            if let known { continuation.resume(returning: known) }
        }
        return try result.get()
    }

    private func settle(_ new: State, _ result: Result<Int, Failure>) {
        let waiting = state.withLock { state in
            defer { state = new }
            if case .waiting(let continuations) = state { return continuations }
            return []
        }
        for continuation in waiting { continuation.resume(returning: result) }
    }
}
