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
/// - Only the writer changes `counters` and `rowCache`, publishes and resumes callers; `isDraining` is true while there
///   is a writer.
/// - For each group: transaction, counters, feed, results, in this order. So a caller that has its result finds its
///   write in every query, and its subscribers have received it.
final class GroupCommitter: Sendable {
    private typealias Waiter = (
        request: WriteRequest, continuation: CheckedContinuation<Result<WriteRequest.Value, StoreError>, Never>
    )

    private struct Waiting {
        var requests: [Waiter] = []
        var closers: [CheckedContinuation<Void, Never>] = []
        var isDraining = false
        var isClosed = false
        /// The number of calls that the next group waits for; only tests set it above 1.
        var requestsToGather = 1

        /// True if there is a group to commit.
        var hasGroup: Bool { !requests.isEmpty && (isClosed || requests.count >= requestsToGather) }

        /// Returns true to the one caller that becomes the writer.
        mutating func becomeWriter() -> Bool {
            if isDraining || !hasGroup { return false }
            isDraining = true
            return true
        }
    }

    private let waiting = Mutex(Waiting())
    private let counters = Mutex(CommitCounters())
    /// The writer's cache; only the writer takes this lock.
    private let rowCache = Mutex(RowCache())
    private let queue = DispatchQueue(label: "causeway.store", qos: .userInitiated)
    private let database: StoreDatabase
    private let feed: CommitFeed
    private let groupBytesMax: Int

    init(_ database: StoreDatabase, _ feed: CommitFeed, _ options: SQLiteOptions) {
        self.database = database
        self.feed = feed
        groupBytesMax = options.groupBytesMax
    }

    /// The numbers as of the last commit.
    var committed: CommitCounters { counters.withLock { $0 } }

    /// Adds a call and waits for its commit. Cancelling the waiter does not cancel the call.
    ///
    /// Leaves the caller's actor, because waiting for the disk must not block the main thread.
    @concurrent
    func submit(_ request: WriteRequest) async throws(StoreError) -> WriteRequest.Value {
        let result = await withCheckedContinuation { continuation in
            let isFirst: Bool? = waiting.withLock { waiting in
                if waiting.isClosed { return nil }
                waiting.requests.append((request, continuation))
                return waiting.becomeWriter()
            }
            switch isFirst {
            case true? where Self.commitsInPlace: commitFirstGroup()
            case true?: queue.async { self.drain() }
            case false?: break
            case nil: continuation.resume(returning: .failure(.closed))
            }
        }
        return try result.get()
    }

    /// On a single processor the pool has a single thread: a commit on it would keep groups from gathering.
    private static let commitsInPlace = ProcessInfo.processInfo.activeProcessorCount > 1

    /// For tests: delays commits until `requests` calls are waiting, or the store is closed.
    func gather(_ requests: Int) { waiting.withLock { $0.requestsToGather = requests } }

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
        commitAndResume(takeGroup())
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
                commitAndResume(group)
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
            waiting.requestsToGather = 1
            var (count, bytes) = (0, 0)
            for waiter in waiting.requests.prefix(SQLiteLimits.groupRequestsMax) {
                bytes += waiter.request.bytes
                if count > 0, bytes > groupBytesMax { break }
                count += 1
            }
            if count == waiting.requests.count {
                defer { waiting.requests = [] }
                return waiting.requests
            }
            let group = Array(waiting.requests.prefix(count))
            waiting.requests.removeFirst(count)
            return group
        }
    }

    private func commitAndResume(_ group: [Waiter]) {
        let results = commit(group.map(\.request))
        for (waiter, result) in zip(group, results) { waiter.continuation.resume(returning: result) }
    }

    // MARK: Published commits

    /// The state of publication. From before a transaction begins until its commits are published, there may be commits
    /// that are visible to readers and unknown to subscribers.
    private struct PublishState {
        var isUnderWay = false
        /// The last commit that was published; the counters may be ahead of it while a commit is under way.
        var published: Int64 = 0
        var waiters: [CheckedContinuation<Int64, Never>] = []
    }

    private let publishing = Mutex(PublishState())

    /// Waits until all commits that readers can see have been published.
    func settledVersion() async -> Int64 {
        await withCheckedContinuation { waiter in
            let published: Int64? = publishing.withLock { publishing in
                if publishing.isUnderWay { publishing.waiters.append(waiter) }
                return publishing.isUnderWay ? nil : publishing.published
            }
            if let published { waiter.resume(returning: published) }
        }
    }

    private func commit(_ requests: [WriteRequest]) -> [Result<WriteRequest.Value, StoreError>] {
        publishing.withLock { $0.isUnderWay = true }
        defer {
            let published = counters.withLock { $0.version }
            let waiters = publishing.withLock { publishing in
                defer { publishing = PublishState(published: published) }
                return publishing.waiters
            }
            for waiter in waiters { waiter.resume(returning: published) }
        }
        do {
            try verifyIfNeeded()
            let before = committed
            let group = CommitGroup(
                requests: requests, followsUnconfirmed: database.hasUnconfirmed, path: database.path)
            let outcome = try rowCache.withLock { rowCache throws(StoreError) in
                try database.write(group.durability) { db in group.run(db, before, &rowCache) }
            }
            counters.withLock { $0 = outcome.counters }
            if !outcome.commits.isEmpty { database.noteCommit(group.durability) }
            if case .syncFailed? = outcome.failure { database.requireVerification() } else { database.boundLog() }
            for commit in outcome.commits { feed.publish(commit) }
            return outcome.results
        } catch {
            return requests.map { _ in .failure(error) }
        }
    }

    /// After a failed sync, blocks all acknowledgements until the database has been reopened and found intact. The
    /// database's contents are then authoritative: the counters are loaded from it, and subscribers get a reset.
    private func verifyIfNeeded() throws(StoreError) {
        guard database.needsVerification else { return }
        try database.reopen()
        rowCache.withLock { $0.forgetAll() }
        var renewed = committed
        guard renewed.hasStarted else { return }
        let before = renewed
        do {
            renewed = try database.write { db in
                var rows = SQLiteRows(db, before)
                try rows.load()
                return rows.counters
            }
        } catch {
            // Without these numbers nothing may be committed.
            database.requireVerification()
            throw error
        }
        renewed.nextSequence = max(renewed.nextSequence, before.nextSequence)
        renewed.version += 1
        counters.withLock { $0 = renewed }
        feed.publish(StoreCommit(version: renewed.version, changes: [], isReset: true))
    }
}
