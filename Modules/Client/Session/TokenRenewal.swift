import CausewayModels
import CausewayRuntime
import Synchronization

/// Renews the token of a session when the server refuses it, by asking the application for another one.
///
/// One attempt at a time; a failed one is repeated after ``intervalMin``, then after twice as long each time, up to
/// ``intervalMax``, as long as the server's refusal stands.
final class TokenRenewal: Sendable {
    /// Asks the application for a token, and logs in with it; does nothing if none is needed any more.
    typealias Attempt = @Sendable () async throws -> Void

    static let intervalMin: Duration = .seconds(5)
    static let intervalMax: Duration = .seconds(300)

    private struct State {
        var attempt: Attempt?
        var task: RuntimeTask?
        var isRunning = false
        /// True if a token was refused during an attempt.
        var isDueAgain = false
    }

    private let runtime: any Runtime
    private let state = Mutex(State())

    init(_ runtime: any Runtime) { self.runtime = runtime }

    /// Sets what an attempt does; without it nothing is renewed.
    func set(_ attempt: @escaping Attempt) { state.withLock { $0.attempt = attempt } }

    /// Starts renewing, unless that is under way.
    func start() {
        let attempt = state.withLock { state -> Attempt? in
            guard let attempt = state.attempt else { return nil }
            if state.isRunning {
                state.isDueAgain = true
                return nil
            }
            state.isRunning = true
            return attempt
        }
        guard let attempt else { return }
        let task = runtime.spawn { [runtime] in
            var interval = Self.intervalMin
            while !Task.isCancelled {
                do {
                    try await attempt()
                    if self.hasEnded() { return }
                } catch {
                    await runtime.sleep(until: runtime.now + interval)
                    interval = min(interval * 2, Self.intervalMax)
                }
            }
        }
        state.withLock { $0.task = task }
    }

    private func hasEnded() -> Bool {
        state.withLock { state in
            defer { state.isDueAgain = false }
            state.isRunning = state.isDueAgain
            return !state.isRunning
        }
    }

    /// Ends for good.
    func cancel() {
        let task = state.withLock { state in
            state.attempt = nil
            return state.task
        }
        task?.cancel()
    }
}
