import CausewayModels
import CausewayStorage
import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Commits what waits together, in the order of arrival.
///
/// Who owns what:
/// - `waiting` holds the calls that have arrived; whoever adds the first one starts the drain.
/// - the drain runs on `queue`, which is serial: it alone writes, changes `ledger`, publishes and resumes.
/// - for each group: transaction, ledger, feed, answers, in this order. So a caller that has its answer finds its
///   write in every query, and its subscribers have seen it.
final class GroupCommitter: Sendable {
    private struct Waiting {
        var calls: [(call: Call, answer: CheckedContinuation<Result<Call.Answer, StoreError>, Never>)] = []
        var isDraining = false
        var isClosed = false
    }

    private let waiting = Mutex(Waiting())
    /// Not 0 when a call waits; for looking without the lock.
    private let arrivals = Atomic<Int>(0)
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
    func submit(_ call: Call) async throws(StoreError) -> Call.Answer {
        let result = await withCheckedContinuation { answer in
            let mustDrain: Bool? = waiting.withLock { waiting in
                if waiting.isClosed { return nil }
                waiting.calls.append((call, answer))
                arrivals.store(1, ordering: .relaxed)
                defer { waiting.isDraining = true }
                return !waiting.isDraining
            }
            switch mustDrain {
            case true?: queue.async { self.drain() }
            case false?: break
            case nil: answer.resume(returning: .failure(.closed))
            }
        }
        return try result.get()
    }

    /// Commits what waits, then closes the database.
    func close() async {
        waiting.withLock { $0.isClosed = true }
        await withCheckedContinuation { done in
            // The queue is serial: a drain that was started before has ended when this runs.
            queue.async {
                self.database.close()
                done.resume()
            }
        }
    }

    private func drain() {
        while true {
            let calls = waiting.withLock { waiting in
                let group = Array(waiting.calls.prefix(SQLiteLimits.groupCallsMax))
                waiting.calls.removeFirst(group.count)
                arrivals.store(waiting.calls.count, ordering: .relaxed)
                return group
            }
            if calls.isEmpty {
                if linger() { continue }
                return
            }
            let answers = commit(calls.map(\.call))
            for (waiter, answer) in zip(calls, answers) { waiter.answer.resume(returning: answer) }
        }
    }

    /// Stays awake for a moment after the last answer: who creates one message after the other comes back at once, and
    /// waking a thread costs more than the whole insertion.
    ///
    /// - Returns: false when nobody came; the next call starts a new drain.
    private func linger() -> Bool {
        for _ in 0..<SQLiteLimits.lingerLooksMax {
            if arrivals.load(ordering: .relaxed) != 0 { return true }
            sched_yield()
        }
        return waiting.withLock { waiting in
            waiting.isDraining = !waiting.calls.isEmpty
            return waiting.isDraining
        }
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
