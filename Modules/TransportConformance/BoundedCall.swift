import CausewayModels
import CausewayRuntime
import Synchronization

/// A call in a task of its own, which may never end if the transport breaks its promise.
struct BoundedCall: Sendable {
    /// The result of the call, and its only reader. Both locked by one lock, which no other code is called under.
    private final class Slot: Sendable {
        private struct State {
            var result: Result<Void, TransportError>?
            var isOver = false
            var reader: CheckedContinuation<Result<Void, TransportError>?, Never>?
        }

        private let state = Mutex(State())

        func end(_ result: Result<Void, TransportError>?) {
            let reader = state.withLock { state in
                if state.result == nil { state.result = result }
                state.isOver = true
                defer { state.reader = nil }
                return state.reader
            }
            reader?.resume(returning: result)
        }

        func wait() async -> Result<Void, TransportError>? {
            await withCheckedContinuation { reader in
                let (isOver, result) = state.withLock { state in
                    if !state.isOver { state.reader = reader }
                    return (state.isOver, state.result)
                }
                if isOver { reader.resume(returning: result) }
            }
        }
    }

    private let slot = Slot()
    private let task: RuntimeTask
    private let trial: Trial

    init(_ trial: Trial, _ call: @escaping @Sendable () async throws(TransportError) -> Void) {
        self.trial = trial
        task = trial.runtime.spawn { [slot] in
            do throws(TransportError) {
                try await call()
                slot.end(.success(()))
            } catch {
                slot.end(.failure(error))
            }
        }
    }

    func cancel() { task.cancel() }

    /// The error of the call, which must end within the harness's patience. Read once.
    func error(file: String = #fileID, line: Int = #line) async throws(ConformanceFailure) -> TransportError {
        let (runtime, deadline) = (trial.runtime, trial.runtime.now + trial.patience)
        let timer = runtime.spawn { [slot] in
            await runtime.sleep(until: deadline)
            slot.end(nil)
        }
        let result = await slot.wait()
        timer.cancel()
        switch result {
        case nil: throw ConformanceFailure("the call did not end within \(trial.patience)", file: file, line: line)
        case .success: throw ConformanceFailure("the call succeeded", file: file, line: line)
        case .failure(let error):
            try trial.requireSafe(error, file: file, line: line)
            return error
        }
    }
}
