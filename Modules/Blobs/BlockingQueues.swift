import Dispatch
import Synchronization

/// Threads for calls that block on the disk, which must not use a thread of the shared pool.
final class BlockingQueues: Sendable {
    private let queues: [DispatchQueue]
    /// The calls of each queue that have not ended. Held for a few instructions.
    private let waiting: Mutex<[Int]>

    init(_ name: String, threads: Int) {
        queues = (0..<max(1, threads)).map { DispatchQueue(label: "\(name) \($0)") }
        waiting = Mutex(Array(repeating: 0, count: queues.count))
    }

    /// Performs a call behind the fewest others.
    func perform<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let index = waiting.withLock { waiting in
            let index = waiting.indices.min { waiting[$0] < waiting[$1] } ?? 0
            waiting[index] += 1
            return index
        }
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            queues[index].async {
                let result = Result { () throws(Failure) in try body() }
                self.waiting.withLock { $0[index] -= 1 }
                continuation.resume(returning: result)
            }
        }
        return try result.get()
    }

    /// Returns when all calls that were made before have ended.
    func drain() async {
        for queue in queues {
            await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        }
    }
}
