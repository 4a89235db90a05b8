import CausewayModels
import CausewayStorage
import Dispatch
import Foundation
import Synchronization

/// Commits what waits together, in the order of arrival.
///
/// Who owns what:
/// - `waiting` holds the calls that have arrived. Who finds nobody at work becomes the writer: it commits the first
///   group on its own thread, as waking another one costs more than the whole insertion, and leaves what has come
///   meanwhile to `queue`. So at most one thread that tasks share waits for the disk, and never an actor's caller.
/// - the writer alone changes `ledger` and `recent`, publishes and resumes; `isDraining` says that there is one.
/// - for each group: transaction, ledger, feed, answers, in this order. So a caller that has its answer finds its
///   write in every query, and its subscribers have seen it.
final class GroupCommitter: Sendable {
    private typealias Waiter = (call: Call, answer: CheckedContinuation<Result<Call.Answer, StoreError>, Never>)

    private struct Waiting {
        var calls: [Waiter] = []
        var closers: [CheckedContinuation<Void, Never>] = []
        var isDraining = false
        var isClosed = false
        /// The next group waits for so many calls; more than one for tests alone.
        var callsToGather = 1

        /// True when there is something to commit.
        var hasGroup: Bool { !calls.isEmpty && (isClosed || calls.count >= callsToGather) }

        /// True for the one who is to write what waits.
        mutating func becomeWriter() -> Bool {
            if isDraining || !hasGroup { return false }
            isDraining = true
            return true
        }
    }

    private let waiting = Mutex(Waiting())
    private let ledger = Mutex(Ledger())
    /// What the writer remembers; only the writer takes this lock.
    private let recent = Mutex(RecentMessages())
    private let queue = DispatchQueue(label: "causeway.store", qos: .userInitiated)
    private let database: StoreDatabase
    private let feed: CommitFeed
    private let bounds: OutboxBounds
    private let groupBytesMax: Int

    init(_ database: StoreDatabase, _ feed: CommitFeed, _ options: SQLiteOptions) {
        self.database = database
        self.feed = feed
        bounds = options.bounds
        groupBytesMax = options.groupBytesMax
    }

    /// The numbers as of the last commit.
    var committed: Ledger { ledger.withLock { $0 } }

    /// Adds a call and waits for its commit. Cancelling the waiter does not cancel the call.
    ///
    /// Leaves the caller's actor: what waits for the disk may not be the main thread.
    @concurrent
    func submit(_ call: Call) async throws(StoreError) -> Call.Answer {
        let result = await withCheckedContinuation { answer in
            let isFirst: Bool? = waiting.withLock { waiting in
                if waiting.isClosed { return nil }
                waiting.calls.append((call, answer))
                return waiting.becomeWriter()
            }
            switch isFirst {
            case true? where Self.commitsInPlace: commitFirstGroup()
            case true?: queue.async { self.drain() }
            case false?: break
            case nil: answer.resume(returning: .failure(.closed))
            }
        }
        return try result.get()
    }

    /// With a single processor the pool has a single thread: held by a commit, it would let no group gather.
    private static let commitsInPlace = ProcessInfo.processInfo.activeProcessorCount > 1

    /// For tests: nothing is committed before so many calls wait, or the store is closed.
    func gather(_ calls: Int) { waiting.withLock { $0.callsToGather = calls } }

    /// Commits what waits, then closes the database.
    func close() async {
        await withCheckedContinuation { closer in
            let isFirst = waiting.withLock { waiting in
                waiting.isClosed = true
                waiting.closers.append(closer)
                defer { waiting.isDraining = true }
                return !waiting.isDraining
            }
            if isFirst { queue.async { self.drain() } }
        }
    }

    private func commitFirstGroup() {
        commitAndAnswer(takeGroup())
        let isMore = waiting.withLock { waiting in
            waiting.isDraining = waiting.hasGroup || !waiting.closers.isEmpty
            return waiting.isDraining
        }
        if isMore { queue.async { self.drain() } }
    }

    /// Commits group after group until nothing waits; then closes, when it was asked to.
    private func drain() {
        while true {
            let group = takeGroup()
            if !group.isEmpty {
                commitAndAnswer(group)
                continue
            }
            let closers: [CheckedContinuation<Void, Never>]? = waiting.withLock { waiting in
                if waiting.hasGroup { return nil }
                waiting.isDraining = false
                defer { waiting.closers = [] }
                return waiting.closers
            }
            guard let closers else { continue }
            if !closers.isEmpty { database.close() }
            for closer in closers { closer.resume() }
            return
        }
    }

    private func takeGroup() -> [Waiter] {
        waiting.withLock { waiting in
            guard waiting.hasGroup else { return [] }
            waiting.callsToGather = 1
            var (count, bytes) = (0, 0)
            for waiter in waiting.calls.prefix(SQLiteLimits.groupCallsMax) {
                bytes += waiter.call.bytes
                if count > 0, bytes > groupBytesMax { break }
                count += 1
            }
            let group = Array(waiting.calls.prefix(count))
            waiting.calls.removeFirst(count)
            return group
        }
    }

    private func commitAndAnswer(_ group: [Waiter]) {
        let answers = commit(group.map(\.call))
        for (waiter, answer) in zip(group, answers) { waiter.answer.resume(returning: answer) }
    }

    // MARK: What the feed has told

    /// From before a transaction begins until its commits were told, there may be commits that readers see and
    /// subscribers have not heard of.
    private struct Telling {
        var isUnderWay = false
        /// The last commit that was told; the ledger may be ahead of it while one is under way.
        var told: Int64 = 0
        var waiters: [CheckedContinuation<Int64, Never>] = []
    }

    private let telling = Mutex(Telling())

    /// Waits until what readers can see has been told.
    func settledVersion() async -> Int64 {
        await withCheckedContinuation { waiter in
            let told: Int64? = telling.withLock { telling in
                if telling.isUnderWay { telling.waiters.append(waiter) }
                return telling.isUnderWay ? nil : telling.told
            }
            if let told { waiter.resume(returning: told) }
        }
    }

    private func commit(_ calls: [Call]) -> [Result<Call.Answer, StoreError>] {
        telling.withLock { $0.isUnderWay = true }
        defer {
            let told = committed.version
            let waiters = telling.withLock { telling in
                defer { telling = Telling(told: told) }
                return telling.waiters
            }
            for waiter in waiters { waiter.resume(returning: told) }
        }
        do {
            try verifyIfSuspect()
            let before = committed
            let group = CallGroup(calls: calls, path: database.path)
            let outcome = try recent.withLock { recent throws(StoreError) in
                try database.write { db in group.run(db, before, bounds, &recent) }
            }
            ledger.withLock { $0 = outcome.ledger }
            if case .syncFailed? = outcome.failure { database.suspect() } else { database.noteCommit() }
            for commit in outcome.commits { feed.publish(commit) }
            return outcome.answers
        } catch {
            return calls.map { _ in .failure(error) }
        }
    }

    /// After a failed sync nothing is acknowledged until the database was opened anew and found whole. What is in it
    /// then is the truth: the ledger is read from it, and subscribers are told to read again.
    private func verifyIfSuspect() throws(StoreError) {
        guard database.isSuspect else { return }
        try database.reopen()
        recent.withLock { $0.forgetAll() }
        var renewed = committed
        guard renewed.hasBegun else { return }
        let before = renewed
        do {
            renewed = try database.write { [bounds] db in
                let writer = CommitWriter(db, before, bounds)
                try writer.load()
                return writer.ledger
            }
        } catch {
            // Without these numbers nothing may be committed either.
            database.suspect()
            throw error
        }
        renewed.nextSequence = max(renewed.nextSequence, before.nextSequence)
        renewed.version += 1
        ledger.withLock { $0 = renewed }
        feed.publish(StoreCommit(version: renewed.version, changes: [], isReset: true))
    }
}
