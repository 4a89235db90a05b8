import CausewayModels
import CausewayStorage
import Synchronization

/// The router's input: commits of the store, and requests.
///
/// Filled by any thread, emptied only by the router. The lock is held for an append or a swap, so a writer never waits
/// for observers. Bounded: beyond ``LiveLimits/inboxCommitsMax`` the router is notified, and reads every window again;
/// the commits that had arrived are released by the router, not by a writer.
final class LiveInbox: Sendable {
    enum Job: Sendable {
        case open(@Sendable () -> any LiveWindow)
        case turn(Int, LivePageJob, PageResult?)
        /// The result of the window's request with this number.
        case loadEnded(Int, number: Int, LiveLoadEnd)
        /// The end of a hold; a request that ends while it holds submits this first.
        case holdEnded
        case close(Int)
        /// Retries reads that failed.
        case retry
        /// Continues with work that one pass did not reach.
        case goOn
        /// Calls back when the pass is over.
        case notify(@Sendable () -> Void)
        /// Asks the server again.
        case refresh(LiveRefresh)
        /// The stream of events has been interrupted for long.
        case markOutdated
        /// The stream of events has brought everything.
        case caughtUp
        /// Repeats failed requests to the server.
        case retryFailed
        /// Ends every window permanently.
        case end(@Sendable () -> Void)
    }

    struct ChangeBatch {
        var commits: [StoreCommit] = []
        var jobs: [Job] = []
        /// True if more commits arrived than were kept: none of them is listed.
        var isReset = false
        /// The account whose session was saved last. It is reported even if commits are dropped, so that records of one
        /// account are never shown to another.
        var account: Account?
        /// See ``StoreCommit/pruned``; reported even if commits are dropped, so that no list counts as complete where
        /// messages were dropped.
        var pruned: [ChannelID: Int64] = [:]

        var isEmpty: Bool { commits.isEmpty && jobs.isEmpty && !isReset }

        /// The batch as passed to the router. Releases commits that are not listed, so it must be called under no lock.
        fileprivate func told() -> ChangeBatch {
            isReset ? ChangeBatch(jobs: jobs, isReset: true, account: account, pruned: pruned) : self
        }

        /// True if it contains requests.
        var hasRequests: Bool {
            jobs.contains { if case .goOn = $0 { false } else { true } }
        }
    }

    private struct State {
        var batch = ChangeBatch()
        var changes = 0
        /// Bytes of the contents in the commits.
        var bytes = 0
        /// False while there is no window that a commit could concern.
        var isListening = false
        /// True once nothing new may be started.
        var isClosed = false
        /// True while the router is emptying the inbox or has been scheduled to.
        var isAwake = false
        /// The number of holds whose end the router has not performed.
        var holds = 0

        mutating func wake() -> Bool {
            if isAwake { return false }
            isAwake = true
            return true
        }

        mutating func dropCommits() {
            batch.commits = []
            batch.isReset = false
            batch.account = nil
            batch.pruned = [:]
            changes = 0
            bytes = 0
        }
    }

    private let state = Mutex(State())
    private let bounds: LiveQueryEngine.Bounds

    init(_ bounds: LiveQueryEngine.Bounds) { self.bounds = bounds }

    /// - Returns: true if the router must be woken.
    func push(_ commit: StoreCommit) -> Bool {
        state.withLock { state in
            guard state.isListening, commit.isReset || !commit.changes.isEmpty else { return false }
            if commit.isReset, let account = commit.account { state.batch.account = account }
            state.batch.pruned.merge(commit.pruned) { max($0, $1) }
            // Every window will be read again, and that read includes this commit.
            if state.batch.isReset { return state.wake() }
            if state.batch.commits.count >= bounds.inboxCommitsMax || state.changes > LiveLimits.inboxChangesMax
                || state.bytes > bounds.inboxBytesMax
            {
                state.batch.isReset = true
                return state.wake()
            }
            state.batch.commits.append(commit)
            state.changes += commit.changes.count
            for change in commit.changes { state.bytes += change.bytes }
            return state.wake()
        }
    }

    /// Submits jobs without others between them.
    ///
    /// - Returns: true if the router must be woken.
    func submit(_ jobs: [Job]) -> Bool {
        state.withLock { state in
            state.batch.jobs += jobs
            return state.wake()
        }
    }

    func beginHold() { state.withLock { $0.holds += 1 } }
    func endHold() { state.withLock { $0.holds -= 1 } }
    /// True while a response of the server is being stored, or has been and its request has not been processed.
    var isHeld: Bool { state.withLock { $0.holds > 0 } }

    /// Sets whether commits are needed at all.
    func listen(_ isListening: Bool) {
        state.withLock { state in
            state.isListening = isListening
            if !isListening { state.dropCommits() }
        }
    }

    /// The number of waiting commits.
    var commitCount: Int { state.withLock { $0.batch.isReset ? bounds.inboxCommitsMax : $0.batch.commits.count } }

    /// False while there is no window.
    var isListening: Bool { state.withLock { $0.isListening } }
    var isClosed: Bool { state.withLock { $0.isClosed } }
    /// True while the router is emptying the inbox or has been scheduled to: a window may be about to be opened.
    var isAwake: Bool { state.withLock { $0.isAwake } }

    /// Prevents any new work.
    ///
    /// - Returns: true if no work is under way either.
    func close() -> Bool {
        state.withLock { state in
            state.isClosed = true
            return !state.isListening && !state.isAwake && state.batch.isEmpty
        }
    }

    /// Takes all waiting input. If there is none, the router goes to sleep and `nil` is returned.
    func dequeue() -> ChangeBatch? {
        let batch: ChangeBatch? = state.withLock { state in
            if state.batch.isEmpty {
                state.isAwake = false
                return nil
            }
            defer { state.batch = ChangeBatch() }
            state.changes = 0
            state.bytes = 0
            return state.batch
        }
        return batch?.told()
    }

    /// Takes the waiting commits, and leaves the jobs.
    func dequeueCommits() -> ChangeBatch {
        let batch = state.withLock { state in
            defer { state.dropCommits() }
            return ChangeBatch(
                commits: state.batch.commits, isReset: state.batch.isReset, account: state.batch.account,
                pruned: state.batch.pruned)
        }
        return batch.told()
    }
}

extension RecordChange {
    /// The size of the content that it holds.
    fileprivate var bytes: Int {
        switch self {
        case .message(_, _, let bytes), .operation(_, _, let bytes): bytes
        case .record(let before, let after): (before?.value.count ?? 0) + (after?.value.count ?? 0)
        case .marker, .deleteAction, .session: 0
        }
    }
}

extension StoreCommit {
    /// The account of the last session in the commit.
    fileprivate var account: Account? {
        changes.reversed().lazy.compactMap { change in
            if case .session(let session) = change { session.account } else { nil }
        }.first
    }
}
