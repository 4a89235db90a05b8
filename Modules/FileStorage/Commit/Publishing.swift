import Synchronization

/// The state of publication: from before a transaction is computed until its commits are published, there may be
/// commits that are visible to readers and unknown to subscribers.
final class Publishing: Sendable {
    private struct State {
        var isUnderWay = false
        /// The last commit that was published.
        var published: Int64 = 0
        var waiters: [CheckedContinuation<Int64, Never>] = []
    }

    private let state = Mutex(State())

    func begin() { state.withLock { $0.isUnderWay = true } }

    /// Resumes those who wait.
    ///
    /// - Parameter version: of the last commit, which has been published.
    func end(_ version: Int64) {
        let waiters = state.withLock { state in
            defer { state = State(published: version) }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: version) }
    }

    /// The last commit that was published; waits for one that is under way.
    func settled() async -> Int64 {
        await withCheckedContinuation { waiter in
            let published: Int64? = state.withLock { state in
                if state.isUnderWay { state.waiters.append(waiter) }
                return state.isUnderWay ? nil : state.published
            }
            if let published { waiter.resume(returning: published) }
        }
    }
}
