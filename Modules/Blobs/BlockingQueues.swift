internal import CausewaySystem
import Synchronization

/// Threads for calls that block on the disk, which must not use a thread of the shared pool.
final class BlockingQueues: Sendable {
    private let queues: [BlockingThreads]
    /// The calls of each queue that have not ended. Held for a few instructions.
    private let waiting: Mutex<[Int]>
    private let executorsGiven = Atomic<Int>(0)

    init(_ name: String, threads: Int) {
        queues = (0..<max(1, threads)).map { BlockingThreads("\(name) \($0)", .serial) }
        waiting = Mutex(Array(repeating: 0, count: queues.count))
    }

    /// An executor for a task that makes many calls. On its thread they are performed at once: to change the thread
    /// takes longer than to write some kilobytes. Other calls wait for the same thread, which the task yields between
    /// its own.
    func makeExecutor() -> any TaskExecutor {
        queues[executorsGiven.add(1, ordering: .relaxed).oldValue % queues.count]
    }

    /// Performs a call: at once on a thread of these queues, else behind the fewest others. See
    /// `BlockingThreads.perform`.
    func perform<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        if queues.contains(where: \.isCurrent) { return try body() }
        let index = waiting.withLock { waiting in
            let index = waiting.indices.min { waiting[$0] < waiting[$1] } ?? 0
            waiting[index] += 1
            return index
        }
        defer { waiting.withLock { $0[index] -= 1 } }
        return try await queues[index].perform(body)
    }

    /// Returns when all calls that were made before have ended.
    func drain() async {
        for queue in queues {
            await withCheckedContinuation { continuation in queue.run { continuation.resume() } }
        }
    }
}
