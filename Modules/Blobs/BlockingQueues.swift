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

    /// Performs a call: at once on a thread of these queues, else behind the fewest others. When it returns, the call
    /// and the values that it captured are released: the caller can use their memory again.
    func perform<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        if queues.contains(where: \.isCurrent) { return try body() }
        let index = waiting.withLock { waiting in
            let index = waiting.indices.min { waiting[$0] < waiting[$1] } ?? 0
            waiting[index] += 1
            return index
        }
        let call = Call(body)
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            queues[index].run {
                let result = call.perform()
                self.waiting.withLock { $0[index] -= 1 }
                continuation.resume(returning: result)
            }
        }
        return try result.get()
    }

    /// Returns when all calls that were made before have ended.
    func drain() async {
        for queue in queues {
            await withCheckedContinuation { continuation in queue.run { continuation.resume() } }
        }
    }

    /// A call that is performed once. A queue holds its block a moment longer than the call takes.
    private final class Call<Value: Sendable, Failure: Error>: Sendable {
        private struct Body {
            let perform: @Sendable () throws(Failure) -> Value
        }

        private let body: Mutex<Body?>

        init(_ body: @escaping @Sendable () throws(Failure) -> Value) { self.body = Mutex(Body(perform: body)) }

        func perform() -> Result<Value, Failure> {
            guard let body = body.withLock({ $0.take() }) else { preconditionFailure("A call is performed once.") }
            return Result { () throws(Failure) in try body.perform() }
        }
    }
}
