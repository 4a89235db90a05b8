internal import Dispatch

/// The thread of an actor that waits for the disk.
///
/// The threads that serve all requests are as many as the machine has processors, and must not wait. An actor with this
/// executor may: its calls of storages run where it runs, without another change of thread, and nothing else waits with
/// it.
final class BlockingExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label, qos: .userInitiated) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // The closure keeps this executor alive while the job runs.
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
