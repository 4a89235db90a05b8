import CausewayModels
package import CausewayRuntime
import Synchronization

/// Performs creations one after the other, in the order of the calls, for callers that do not wait.
///
/// Bounded by ``Limits/creationsMax`` and ``Limits/creationBytesMax``: a caller that is faster than the disk is
/// refused.
package final class CreationQueue: Sendable {
    package typealias Job = @Sendable () async -> Void

    private struct State {
        var jobs: [(job: Job, bytes: Int)] = []
        /// Jobs that were added and have not ended.
        var count = 0
        var bytes = 0
        var isRunning = false
    }

    private let state = Mutex(State())
    private let runtime: any Runtime

    package init(_ runtime: any Runtime) { self.runtime = runtime }

    /// - Parameter bytes: the size of the content.
    package func add(bytes: Int, _ job: @escaping Job) throws(ClientError) {
        let (isAccepted, isFirst) = state.withLock { state in
            guard state.count < Limits.creationsMax, state.bytes <= Limits.creationBytesMax - bytes else {
                return (false, false)
            }
            state.jobs.append((job, bytes))
            state.count += 1
            state.bytes += bytes
            defer { state.isRunning = true }
            return (true, !state.isRunning)
        }
        if !isAccepted {
            throw .store(.outboxFull(messages: Limits.creationsMax, bytes: Limits.creationBytesMax))
        }
        if isFirst { runtime.spawn { await self.run() } }
    }

    private func run() async {
        while let jobs = next() {
            for (job, bytes) in jobs {
                await job()
                state.withLock { state in
                    state.count -= 1
                    state.bytes -= bytes
                }
            }
        }
    }

    private func next() -> [(job: Job, bytes: Int)]? {
        state.withLock { state in
            if state.jobs.isEmpty {
                state.isRunning = false
                return nil
            }
            defer { state.jobs = [] }
            return state.jobs
        }
    }
}
