import CausewayModels
import CausewayStorage
import Dispatch
import Foundation
import Synchronization

/// Commits waiting calls together, in the order of arrival.
///
/// Ownership:
/// - `waiting` holds the calls that have arrived. A caller that finds no active writer becomes the writer: it commits
///   the first group on its own thread, because waking another one costs more than the whole insertion, and leaves
///   calls that arrived meanwhile to `queue`. So at most one thread of the shared pool waits for the disk, and never an
///   actor's caller.
/// - Only the writer changes `ledger` and `recent`, publishes and resumes callers; `isDraining` is true while there is
///   a writer.
/// - For each group: transaction, ledger, feed, results, in this order. So a caller that has its result finds its write
///   in every query, and its subscribers have received it.
final class GroupCommitter: Sendable {
    private typealias Waiter = (call: Call, answer: CheckedContinuation<Result<Call.Answer, StoreError>, Never>)

    private struct Waiting {
        var calls: [Waiter] = []
        var closers: [CheckedContinuation<Void, Never>] = []
        var isDraining = false
        var isClosed = false
        /// The number of calls that the next group waits for; only tests set it above 1.
        var callsToGather = 1

        /// True if there is a group to commit.
        var hasGroup: Bool { !calls.isEmpty && (isClosed || calls.count >= callsToGather) }

        /// Returns true to the one caller that becomes the writer.
        mutating func becomeWriter() -> Bool {
            if isDraining || !hasGroup { return false }
            isDraining = true
            return true
        }
    }

    private let waiting = Mutex(Waiting())
    private let ledger = Mutex(Ledger())
    /// The writer's cache; only the writer takes this lock.
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
    /// Leaves the caller's actor, because waiting for the disk must not block the main thread.
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

    /// On a single processor the pool has a single thread: a commit on it would keep groups from gathering.
    private static let commitsInPlace = ProcessInfo.processInfo.activeProcessorCount > 1

    /// For tests: delays commits until `calls` calls are waiting, or the store is closed.
    func gather(_ calls: Int) { waiting.withLock { $0.callsToGather = calls } }

    /// Commits the waiting calls, then closes the database.
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

    /// Commits group after group until no call is waiting; then closes the database, if requested.
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

    // MARK: Published commits

    /// The state of publication. From before a transaction begins until its commits are published, there may be commits
    /// that are visible to readers and unknown to subscribers.
    private struct Telling {
        var isUnderWay = false
        /// The last commit that was published; the ledger may be ahead of it while a commit is under way.
        var told: Int64 = 0
        var waiters: [CheckedContinuation<Int64, Never>] = []
    }

    private let telling = Mutex(Telling())

    /// Waits until all commits that readers can see have been published.
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
            if case .syncFailed? = outcome.failure { database.suspect() } else { database.boundLog() }
            for commit in outcome.commits { feed.publish(commit) }
            return outcome.answers
        } catch {
            return calls.map { _ in .failure(error) }
        }
    }

    /// After a failed sync, blocks all acknowledgements until the database has been reopened and found intact. The
    /// database's contents are then authoritative: the ledger is loaded from it, and subscribers get a reset.
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
            // Without these numbers nothing may be committed.
            database.suspect()
            throw error
        }
        renewed.nextSequence = max(renewed.nextSequence, before.nextSequence)
        renewed.version += 1
        ledger.withLock { $0 = renewed }
        feed.publish(StoreCommit(version: renewed.version, changes: [], isReset: true))
    }
}
