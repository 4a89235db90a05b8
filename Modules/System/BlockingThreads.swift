internal import Dispatch
internal import Synchronization

/// Threads for calls that may wait for the disk, and the executor of tasks that make many of them.
///
/// The threads that serve all tasks are as many as the machine has processors, and must not wait. On one of these
/// threads a call is performed at once: to change the thread takes longer than to write some kilobytes.
package final class BlockingThreads: TaskExecutor {
    package enum Order: Sendable {
        /// One call after the other, on one thread at a time.
        case serial
        /// Calls run at the same time, on as many threads as it takes.
        case concurrent
    }

    private let queue: DispatchQueue
    private static let current = DispatchSpecificKey<ObjectIdentifier>()

    /// - Parameter label: names the threads for a debugger.
    package init(_ label: String, _ order: Order) {
        queue = DispatchQueue(label: label, attributes: order == .concurrent ? .concurrent : [])
        queue.setSpecific(key: Self.current, value: ObjectIdentifier(self))
    }

    /// Whether the calling code runs on one of them.
    package var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.current) == ObjectIdentifier(self) }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // The closure keeps this executor alive while the job runs.
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs `body` on one of them, and returns at once.
    package func run(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    /// Performs a blocking call: at once on one of these threads, else on one of them while the task waits. When it
    /// returns, the call and the values that it captured are released: the caller can use their memory again.
    package func perform<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        if isCurrent { return try body() }
        let call = Call(body)
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            run { continuation.resume(returning: call.perform()) }
        }
        return try result.get()
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
