internal import Synchronization

/// Tells those who wait when a server listens, and on which port.
final class Readiness: Sendable {
    private enum State {
        case waiting([CheckedContinuation<Result<Int, HubError>, Never>])
        case open(port: Int)
        case closed(HubError)
    }

    private let state = Mutex(State.waiting([]))

    func open(port: Int) { settle(.open(port: port), .success(port)) }

    func close(_ error: HubError) { settle(.closed(error), .failure(error)) }

    func port() async throws(HubError) -> Int {
        let result: Result<Int, HubError> = await withCheckedContinuation { continuation in
            let known: Result<Int, HubError>? = state.withLock { state in
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

    private func settle(_ new: State, _ result: Result<Int, HubError>) {
        let waiting = state.withLock { state in
            defer { state = new }
            if case .waiting(let continuations) = state { return continuations }
            return []
        }
        for continuation in waiting { continuation.resume(returning: result) }
    }
}
