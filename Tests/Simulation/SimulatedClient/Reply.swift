import CausewayModels
import Synchronization

/// The response to one call: only the first result counts, whatever the network delivers later.
final class Reply<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, TransportError>

    private enum State {
        case open
        case awaited(CheckedContinuation<Outcome, Never>)
        case over(Outcome)
    }

    private let state = Mutex(State.open)

    func end(_ outcome: Outcome) {
        let continuation = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
            switch state {
            case .open:
                state = .over(outcome)
                return nil
            case .awaited(let continuation):
                state = .over(outcome)
                return continuation
            case .over: return nil
            }
        }
        continuation?.resume(returning: outcome)
    }

    var isOver: Bool {
        state.withLock { state in
            if case .over = state { true } else { false }
        }
    }

    /// Waits for the response; for one caller.
    func value() async throws(TransportError) -> Value {
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known = state.withLock { state -> Outcome? in
                    if case .over(let outcome) = state { return outcome }
                    state = .awaited(continuation)
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            end(.failure(.cancelled))
        }
        return try outcome.get()
    }
}
