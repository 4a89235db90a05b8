import CausewayModels
import CausewayRuntime
import Synchronization

/// A runtime whose jobs begin when a test says so: one thread, one order, drawn by the test.
final class ManualRuntime: Runtime {
    typealias Job = @isolated(any) @Sendable () async -> Void

    private struct State {
        var jobs: [Job] = []
        var generator: SplitMix64
        var now = MonotonicTime.zero
    }

    private let state: Mutex<State>
    private static let ended = RuntimeTask(Task {})

    init(seed: UInt64) { state = Mutex(State(generator: SplitMix64(seed: seed))) }

    var now: MonotonicTime { state.withLock { $0.now } }
    func pass(_ time: Duration) { state.withLock { $0.now = $0.now + time } }
    var wallClock: Timestamp { Timestamp(milliseconds: 1_790_000_000_000) }
    func random() -> UInt64 { state.withLock { $0.generator.next() } }
    func sleep(until deadline: MonotonicTime) async {}

    func spawn(_ body: @escaping Job) -> RuntimeTask {
        state.withLock { $0.jobs.append(body) }
        return Self.ended
    }

    /// Runs one of the jobs that are ready.
    ///
    /// - Returns: false when there is none.
    func runOne(_ choice: Int) async -> Bool {
        let job: Job? = state.withLock { state in
            state.jobs.isEmpty ? nil : state.jobs.remove(at: choice % state.jobs.count)
        }
        guard let job else { return false }
        await job()
        return true
    }
}
