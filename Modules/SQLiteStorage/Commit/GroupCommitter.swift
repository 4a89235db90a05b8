import CausewayModels
import CausewayStorage
import Dispatch
import Foundation
import Synchronization

/// Commits what waits together, in the order of arrival.
///
/// Who owns what:
/// - `waiting` holds the calls that have arrived; whoever adds the first one starts the drain.
/// - the drain is one at a time (`isDraining`), the first group on the thread of its caller, what gathers meanwhile on
///   `queue`: it alone writes, changes `ledger`, publishes and resumes.
/// - for each group: transaction, ledger, feed, answers, in this order. So a caller that has its answer finds its
///   write in every query, and its subscribers have seen it.
final class GroupCommitter: Sendable {
    private struct Waiting {
        var calls: [(call: Call, answer: CheckedContinuation<Result<Call.Answer, StoreError>, Never>)] = []
        var isDraining = false
        var isClosed = false
        /// Who waits for the last commit to close.
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    private let waiting = Mutex(Waiting())
    private let ledger = Mutex(Ledger())
    /// What the writer remembers; only the drain takes this lock.
    private let recent = Mutex(RecentMessages())
    private let queue = DispatchQueue(label: "causeway.store", qos: .userInitiated)
    private let database: StoreDatabase
    private let feed: CommitFeed
    private let bounds: OutboxBounds

    init(_ database: StoreDatabase, _ feed: CommitFeed, _ bounds: OutboxBounds) {
        self.database = database
        self.feed = feed
        self.bounds = bounds
    }

    /// The numbers as of the last commit.
    var committed: Ledger { ledger.withLock { $0 } }

    /// Adds a call and waits for its commit. Cancelling the waiter does not cancel the call.
    ///
    /// A call that finds nobody at work commits on the thread it came on, which saves two changes of threads.
    /// `@concurrent` makes sure that this is a thread of the pool, never an actor's such as the main one. At most one
    /// thread of the pool is held so: whoever comes meanwhile adds its call and waits for `queue` to take it.
    @concurrent func submit(_ call: Call) async throws(StoreError) -> Call.Answer {
        let result = await withCheckedContinuation { answer in
            let mustDrain: Bool? = waiting.withLock { waiting in
                if waiting.isClosed { return nil }
                waiting.calls.append((call, answer))
                defer { waiting.isDraining = true }
                return !waiting.isDraining
            }
            switch mustDrain {
            case true? where Self.commitsInPlace: if drainOnce() { queue.async { self.drain() } }
            case true?: queue.async { self.drain() }
            case false?: break
            case nil: answer.resume(returning: .failure(.closed))
            }
        }
        return try result.get()
    }

    /// With a single processor the pool has a single thread: held by a commit, it would let no group gather.
    private static let commitsInPlace = ProcessInfo.processInfo.activeProcessorCount > 1

    /// Commits what waits, then closes the database.
    func close() async {
        await withCheckedContinuation { done in
            let isIdle = waiting.withLock { waiting in
                waiting.isClosed = true
                if waiting.isDraining { waiting.closers.append(done) }
                return !waiting.isDraining
            }
            if isIdle { queue.async { self.finish([done]) } }
        }
    }

    private func finish(_ closers: [CheckedContinuation<Void, Never>]) {
        database.close()
        for closer in closers { closer.resume() }
    }

    private func drain() {
        while drainOnce() {}
    }

    /// Commits one group; false when nothing waits any more, and the next call starts anew.
    private func drainOnce() -> Bool {
        let calls = waiting.withLock { waiting in
            let group = Array(waiting.calls.prefix(SQLiteLimits.groupCallsMax))
            waiting.calls.removeFirst(group.count)
            return group
        }
        let answers = commit(calls.map(\.call))
        let (mustGoOn, closers) = waiting.withLock { waiting in
            if !waiting.calls.isEmpty { return (true, [CheckedContinuation<Void, Never>]()) }
            waiting.isDraining = false
            defer { waiting.closers = [] }
            return (false, waiting.closers)
        }
        for (waiter, answer) in zip(calls, answers) { waiter.answer.resume(returning: answer) }
        if !closers.isEmpty { finish(closers) }
        return mustGoOn
    }

    private func commit(_ calls: [Call]) -> [Result<Call.Answer, StoreError>] {
        do {
            try verifyIfSuspect()
            let before = committed
            let group = CallGroup(calls: calls, path: database.path)
            let outcome = try recent.withLock { recent throws(StoreError) in
                try database.write { db in group.run(db, before, bounds, &recent) }
            }
            ledger.withLock { $0 = outcome.ledger }
            if case .syncFailed? = outcome.failure { database.suspect() }
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
        renewed = try database.write { [bounds] db in
            let writer = CommitWriter(db, before, bounds)
            try writer.load()
            return writer.ledger
        }
        renewed.nextSequence = max(renewed.nextSequence, before.nextSequence)
        renewed.version += 1
        ledger.withLock { $0 = renewed }
        feed.publish(StoreCommit(version: renewed.version, changes: [], isReset: true))
    }
}
