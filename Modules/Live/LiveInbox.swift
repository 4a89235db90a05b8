import CausewayModels
import CausewayStorage
import Synchronization

/// What waits for the router: commits of the store, and what people ask for.
///
/// Filled by any thread, emptied by the router alone. The lock is held for an append or a swap, so a writer never waits
/// for whoever looks on. Bounded: past ``LiveLimits/inboxCommitsMax`` the router is told so, and reads every window
/// again; what had come until then is thrown away by the router, not by a writer.
final class LiveInbox: Sendable {
    enum Job: Sendable {
        case open(@Sendable () -> any LiveWindow)
        case turn(Int, LivePageJob)
        /// The question of this number, of a window.
        case loadEnded(Int, number: Int, LiveLoadEnd)
        case close(Int)
        /// Reads once more what could not be read.
        case retry
        /// Goes on with what one pass did not come to.
        case goOn
        /// Calls back when the pass is over.
        case tell(@Sendable () -> Void)
        /// Asks the server again.
        case refresh(isNewSession: Bool)
        /// Asks the server again for what it could not be asked for.
        case retryFailed
        /// Ends every window, for good.
        case end(@Sendable () -> Void)
    }

    struct Batch {
        var commits: [StoreCommit] = []
        var jobs: [Job] = []
        /// True when more commits came than were kept: none of them is told.
        var isReset = false
        /// The account whose session was saved last. It is told whatever is dropped: nobody may be shown the records
        /// of another one.
        var account: Account?

        var isEmpty: Bool { commits.isEmpty && jobs.isEmpty && !isReset }

        /// As the router gets it. Frees what is not told, so it is called under no lock.
        fileprivate func told() -> Batch { isReset ? Batch(jobs: jobs, isReset: true, account: account) : self }

        /// True when somebody asks for something.
        var hasRequests: Bool {
            jobs.contains { if case .goOn = $0 { false } else { true } }
        }
    }

    private struct State {
        var batch = Batch()
        var changes = 0
        /// Bytes of the contents in them.
        var bytes = 0
        /// False while there is no window that a commit could concern.
        var isListening = false
        /// True when nothing is to be begun any more.
        var isClosed = false
        /// True while somebody empties the inbox or is about to.
        var isAwake = false

        mutating func wake() -> Bool {
            if isAwake { return false }
            isAwake = true
            return true
        }

        mutating func dropCommits() {
            batch.commits = []
            batch.isReset = false
            batch.account = nil
            changes = 0
            bytes = 0
        }
    }

    private let state = Mutex(State())
    private let commitsMax: Int
    private let bytesMax: Int
    private let plantedFault: LiveFault?

    init(commitsMax: Int, bytesMax: Int, plantedFault: LiveFault?) {
        self.commitsMax = commitsMax
        self.bytesMax = bytesMax
        self.plantedFault = plantedFault
    }

    /// - Returns: true when the router must be woken.
    func push(_ commit: StoreCommit) -> Bool {
        state.withLock { state in
            guard state.isListening, commit.isReset || !commit.changes.isEmpty else { return false }
            if commit.isReset, let account = commit.account { state.batch.account = account }
            // Every window will be read again, and sees this commit, too.
            if state.batch.isReset { return state.wake() }
            if state.batch.commits.count >= commitsMax || state.changes > LiveLimits.inboxChangesMax
                || state.bytes > bytesMax
            {
                guard plantedFault == .dropsInSilence else {
                    state.batch.isReset = true
                    return state.wake()
                }
                state.dropCommits()
            }
            state.batch.commits.append(commit)
            state.changes += commit.changes.count
            for change in commit.changes { if case .message(_, _, let bytes) = change { state.bytes += bytes } }
            return state.wake()
        }
    }

    /// - Returns: true when the router must be woken.
    func submit(_ job: Job) -> Bool {
        state.withLock { state in
            state.batch.jobs.append(job)
            return state.wake()
        }
    }

    /// Says whether commits are wanted at all.
    func listen(_ isListening: Bool) {
        state.withLock { state in
            state.isListening = isListening
            if !isListening { state.dropCommits() }
        }
    }

    /// Commits that wait.
    var commitCount: Int { state.withLock { $0.batch.isReset ? commitsMax : $0.batch.commits.count } }

    /// False while there is no window.
    var isListening: Bool { state.withLock { $0.isListening } }
    var isClosed: Bool { state.withLock { $0.isClosed } }
    /// True while somebody empties the inbox or is about to: a window may be being opened.
    var isAwake: Bool { state.withLock { $0.isAwake } }

    /// Lets nothing begin any more.
    ///
    /// - Returns: true when nothing goes on either.
    func close() -> Bool {
        state.withLock { state in
            state.isClosed = true
            return !state.isListening && !state.isAwake && state.batch.isEmpty
        }
    }

    /// Takes all that waits. With nothing there, the router goes to sleep and `nil` is returned.
    func take() -> Batch? {
        let batch: Batch? = state.withLock { state in
            if state.batch.isEmpty {
                state.isAwake = false
                return nil
            }
            defer { state.batch = Batch() }
            state.changes = 0
            state.bytes = 0
            return state.batch
        }
        return batch?.told()
    }

    /// Takes the commits that wait, and leaves the jobs.
    func takeCommits() -> Batch {
        let batch = state.withLock { state in
            defer { state.dropCommits() }
            return Batch(
                commits: state.batch.commits, isReset: state.batch.isReset, account: state.batch.account)
        }
        return batch.told()
    }
}

extension StoreCommit {
    /// The account of the session that it saved last.
    fileprivate var account: Account? {
        changes.reversed().lazy.compactMap { change in
            if case .session(let session) = change { session.account } else { nil }
        }.first
    }
}
