import CausewayModels
import CausewayRuntime
import Synchronization

/// A runtime whose jobs start under the control of a test: one thread, in an order determined by the test.
final class ManualRuntime: Runtime {
    typealias Job = @isolated(any) @Sendable () async -> Void

    /// A spawned job, with the task that its starter holds and may have cancelled.
    private struct Spawned {
        let handle: Task<Void, Never>
        let body: Job
        /// Its continuation while it is paused.
        var pause: CheckedContinuation<Void, Never>?
    }

    private struct State {
        var jobs: [Spawned] = []
        var running: Spawned?
        var runner: CheckedContinuation<Void, Never>?
        var generator: SplitMix64
        var now = MonotonicTime.zero
    }

    private let state: Mutex<State>

    init(seed: UInt64) { state = Mutex(State(generator: SplitMix64(seed: seed))) }

    var now: MonotonicTime { state.withLock { $0.now } }
    func pass(_ time: Duration) { state.withLock { $0.now = $0.now + time } }
    var wallClock: Timestamp { Timestamp(milliseconds: 1_790_000_000_000) }
    func random() -> UInt64 { state.withLock { $0.generator.next() } }
    func sleep(until deadline: MonotonicTime) async {}

    func spawn(_ body: @escaping Job) -> RuntimeTask {
        let handle = Task {}
        state.withLock { $0.jobs.append(Spawned(handle: handle, body: body)) }
        return RuntimeTask(handle)
    }

    /// Runs one of the ready jobs, until it ends or pauses.
    ///
    /// - Returns: false if there is none.
    func runOne(_ choice: Int) async -> Bool {
        let next = state.withLock { state in
            state.jobs.isEmpty ? nil : state.jobs.remove(at: choice % state.jobs.count)
        }
        guard let next else { return false }
        await withCheckedContinuation { runner in
            state.withLock { state in
                state.runner = runner
                state.running = next
            }
            if let pause = next.pause { return pause.resume() }
            Task {
                Self.cancelItself(like: next.handle)
                await next.body()
                self.endTurn()
            }
        }
        return true
    }

    private static func cancelItself(like handle: Task<Void, Never>) {
        if handle.isCancelled { unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() } }
    }

    /// Lets other jobs run before the calling one continues.
    func pause() async {
        guard let running = state.withLock({ $0.running }) else { preconditionFailure("nothing runs here") }
        await withCheckedContinuation { pause in
            state.withLock { state in
                var paused = running
                paused.pause = pause
                state.jobs.append(paused)
            }
            endTurn()
        }
        Self.cancelItself(like: running.handle)
    }

    private func endTurn() {
        let runner = state.withLock { state in
            state.running = nil
            return state.runner.take()
        }
        runner?.resume()
    }
}
