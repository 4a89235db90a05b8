internal import Dispatch

/// Threads for calls that may wait for the disk, and for tasks that make many of them. They run at the same time.
final class BlockingThreads: TaskExecutor {
    private let queue: DispatchQueue
    private static let current = DispatchSpecificKey<ObjectIdentifier>()

    init(label: String) {
        queue = DispatchQueue(label: label, attributes: .concurrent)
        queue.setSpecific(key: Self.current, value: ObjectIdentifier(self))
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // The closure keeps this executor alive while the job runs.
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs a blocking call: at once if the task is on one of these threads, else on one of them.
    func perform<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        if DispatchQueue.getSpecific(key: Self.current) == ObjectIdentifier(self) { return try body() }
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            queue.async {
                continuation.resume(returning: Result { () throws(Failure) in try body() })
            }
        }
        return try result.get()
    }
}
