import CausewayModels
package import CausewayRuntime
import Synchronization

/// Renews the token of a session when the server refuses it, by asking the application for another one.
///
/// One attempt at a time; a failed one is repeated after ``intervalMin``, then after twice as long each time, up to
/// ``intervalMax``, as long as the server's refusal stands. A login by the application ends the refusal at once.
package final class TokenRenewal: Sendable {
    /// Asks the application for a token, and logs in with it; does nothing if none is needed any more.
    package typealias Attempt = @Sendable () async throws -> Void

    static let intervalMin: Duration = .seconds(5)
    /// The longest pause between two attempts: nothing shows that the application's source of tokens works again, so
    /// this is the time from its repair to the next attempt.
    static let intervalMax: Duration = .seconds(15)

    private struct State {
        var attempt: Attempt?
        var task: RuntimeTask?
        var isRunning = false
        /// True if a token was refused during an attempt.
        var isDueAgain = false
    }

    private let runtime: any Runtime
    private let state = Mutex(State())

    package init(_ runtime: any Runtime) { self.runtime = runtime }

    /// Sets what an attempt does; without it nothing is renewed.
    package func set(_ attempt: @escaping Attempt) { state.withLock { $0.attempt = attempt } }

    /// Starts renewing, unless that is under way.
    package func start() {
        let isStarting = state.withLock { state in
            guard state.attempt != nil else { return false }
            if state.isRunning {
                state.isDueAgain = true
                return false
            }
            state.isRunning = true
            return true
        }
        guard isStarting else { return }
        let task = runtime.spawn { [runtime] in
            var interval = Self.intervalMin
            // Without an attempt it was cancelled, perhaps before its task was known.
            while !Task.isCancelled, let attempt = self.attempt {
                do {
                    try await attempt()
                    if self.hasEnded() { return }
                } catch {
                    await runtime.sleep(until: runtime.now + interval)
                    interval = min(interval * 2, Self.intervalMax)
                }
            }
        }
        let isCancelled = state.withLock { state in
            state.task = task
            return state.attempt == nil
        }
        if isCancelled { task.cancel() }
    }

    private var attempt: Attempt? { state.withLock { $0.attempt } }

    private func hasEnded() -> Bool {
        state.withLock { state in
            defer { state.isDueAgain = false }
            state.isRunning = state.isDueAgain
            return !state.isRunning
        }
    }

    /// Ends for good.
    package func cancel() {
        let task = state.withLock { state in
            state.attempt = nil
            return state.task
        }
        task?.cancel()
    }
}
