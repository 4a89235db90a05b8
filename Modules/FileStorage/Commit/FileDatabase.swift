import CausewayModels
import CausewayStorage
import Synchronization

/// The writer's own state: the end of the journal, and what belongs to it.
struct JournalState {
    var writer: JournalWriter
    var cache = RowCache()
    /// Compaction is removing the files before this one.
    var oldestKept: UInt32
    /// Bytes in the files before the last one.
    var formerBytes: Int64 = 0
    /// Bytes that were written since the last snapshot.
    var bytesSinceSnapshot: Int64 = 0
    /// The size of a file at which the next commit begins another one.
    var fileBytesMax = FileLimits.journalBytesMax

    var journalBytes: Int64 { formerBytes + writer.end.offset }

    /// Continues in another file.
    mutating func beginFile() throws(StoreError) {
        let bytes = writer.end.offset
        try writer.beginFile()
        formerBytes += bytes
    }
}

/// The open store: its index, its journal, and how a group of calls becomes a transaction.
///
/// Ownership:
/// - `visible` is what queries see: what the disk has confirmed. A commit holds its lock while it computes, and again
///   while it makes the changes, never while it waits for the disk.
/// - Only the writer (see ``GroupCommitter``) takes `journal`, which is the outer lock.
/// - For each group: computation, taking it back, disk, changes, feed, results, in this order. So a caller that has its
///   result finds its write in every query, and its subscribers have received it.
final class FileDatabase: Sendable {
    private struct Visible {
        var index: FileIndex
        var hasStarted = false
        var isClosed = false
        /// The number of the last commit of this run.
        var version: Int64 = 0
    }

    private let visible: Mutex<Visible>
    private let journal: Mutex<JournalState>
    let files: JournalFiles
    private let feed: CommitFeed
    /// Called after each group, by the writer.
    private let afterCommit = Mutex(CommitObserver())

    /// False if the disk is in memory: a query stays on its caller's executor then.
    private let mayBlock: Bool

    init(
        _ index: FileIndex, _ journal: JournalState, _ files: JournalFiles, _ feed: CommitFeed, mayBlock: Bool = true
    ) {
        self.mayBlock = mayBlock
        visible = Mutex(Visible(index: index))
        self.journal = Mutex(journal)
        self.files = files
        self.feed = feed
    }

    // MARK: Queries

    /// Picks in the index, then reads what was picked from the journal.
    ///
    /// - Parameter pick: returns at once; it holds up writers.
    func read<Picked: Sendable, Value: Sendable>(
        _ pick: @Sendable (borrowing FileIndex) -> Picked,
        _ finish: @Sendable (Picked, RecordReader) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        if mayBlock { return try await readElsewhere(pick, finish) }
        return try readHere(pick, finish)
    }

    /// Leaves the caller's actor, because the disk may block.
    @concurrent
    private func readElsewhere<Picked: Sendable, Value: Sendable>(
        _ pick: @Sendable (borrowing FileIndex) -> Picked,
        _ finish: @Sendable (Picked, RecordReader) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try readHere(pick, finish)
    }

    private func readHere<Picked, Value>(
        _ pick: (borrowing FileIndex) -> Picked, _ finish: (Picked, RecordReader) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let (picked, open) = try visible.withLock { visible throws(StoreError) in
            if visible.isClosed { throw .closed }
            if !visible.hasStarted { throw .notStarted }
            // The files of one moment: compaction removes one only after nothing in the index is in it.
            return (pick(visible.index), files.all)
        }
        return try finish(picked, RecordReader(open, files.names))
    }

    func value<Value: Sendable>(_ pick: (borrowing FileIndex) -> Value) throws(StoreError) -> Value {
        try visible.withLock { visible throws(StoreError) in
            if visible.isClosed { throw .closed }
            if !visible.hasStarted { throw .notStarted }
            return pick(visible.index)
        }
    }

    /// Picks in the index of any store, also of one that has not been started, or is closed.
    func peek<Value>(_ pick: (borrowing FileIndex) -> Value) -> Value { visible.withLock { pick($0.index) } }

    /// The number of the last frame of the journal.
    var lastFrame: UInt64 { journal.withLock { $0.writer.end.number - 1 } }

    func requireOpen() throws(StoreError) {
        if visible.withLock({ $0.isClosed }) { throw .closed }
    }

    // MARK: Commits

    func observeCommits(_ observer: @escaping @Sendable (JournalSizes) -> Void) {
        afterCommit.withLock { $0.call = observer }
    }

    /// Commits a group of calls: all of them share one write and one sync. A call that fails is taken back alone.
    ///
    /// Throws if the disk fails: then every call of the group has failed, and nothing has changed.
    ///
    /// - Parameter more: called when the calls so far are computed, and returns others that join them; none ends the
    ///   group. It may not read the store.
    /// - Returns: a result for each call, in order.
    func commit(
        _ requests: [WriteRequest], more: () -> [WriteRequest] = { [] }
    ) throws(StoreError) -> [Result<WriteRequest.Value, StoreError>] {
        publishing.begin()
        let (results, sizes) = journal.withLock { journal in
            let results = Result { () throws(StoreError) in try commit(requests, more, &journal) }
            return (results, JournalSizes(journal, liveBytes: visible.withLock { $0.index.liveBytes }))
        }
        publishing.end(visible.withLock { $0.version })
        let observer = afterCommit.withLock { $0 }
        observer.call?(sizes)
        return try results.get()
    }

    private func commit(
        _ requests: [WriteRequest], _ more: () -> [WriteRequest], _ journal: inout JournalState
    ) throws(StoreError) -> [Result<WriteRequest.Value, StoreError>] {
        do throws(StoreError) {
            if journal.writer.needsRepair { try journal.writer.repair() }
            if journal.writer.end.offset >= journal.fileBytesMax { try journal.beginFile() }
            if case .exclusive(let work)? = requests.first?.work {
                try work(&journal)
                return [.success(.done)]
            }
            return try transact(requests, more, &journal)
        } catch {
            journal.cache.forgetAll()
            throw error
        }
    }

    private func transact(
        _ requests: [WriteRequest], _ more: () -> [WriteRequest], _ journal: inout JournalState
    ) throws(StoreError) -> [Result<WriteRequest.Value, StoreError>] {
        var transaction = try compute(requests, more, &journal)
        let before = journal.writer.end
        if !transaction.buffer.isEmpty {
            try journal.writer.append(transaction.buffer, transaction.isAwaited ? .full : .normal)
        } else if transaction.isAwaited {
            // It may rest on commits that the disk has not confirmed.
            try journal.writer.confirm()
        }
        journal.bytesSinceSnapshot += journal.writer.end.offset - before.offset
        let version = visible.withLock { visible in
            for change in transaction.changes { visible.index.apply(change) }
            visible.hasStarted = transaction.hasStarted
            visible.version += Int64(transaction.commits.count)
            return visible.version
        }
        let first = version - Int64(transaction.commits.count)
        for (index, changes) in transaction.commits.enumerated() {
            feed.publish(changes.commit(version: first + Int64(index) + 1))
        }
        transaction.commits = []
        return transaction.results
    }

    /// A computed transaction: what is to be written, and what it changes.
    private struct Transaction {
        var buffer: FrameBuffer
        var changes: [IndexChange]
        var results: [Result<WriteRequest.Value, StoreError>] = []
        /// The changes of each successful call that the feed reports.
        var commits: [CommitChanges] = []
        /// True if one of the calls waits for the disk.
        var isAwaited = false
        var hasStarted: Bool
    }

    private func compute(
        _ requests: [WriteRequest], _ more: () -> [WriteRequest], _ journal: inout JournalState
    ) throws(StoreError) -> Transaction {
        try visible.withLock { visible throws(StoreError) in
            if visible.isClosed { throw .closed }
            var applier = MutationApplier(
                rows: FileRows(
                    files, journal.writer.makeBuffer(), counter: visible.index.nextSequence,
                    oldestKept: journal.oldestKept))
            applier.rows.hasStarted = visible.hasStarted
            swap(&applier.rows.index, &visible.index)
            swap(&applier.rows.cache, &journal.cache)
            defer {
                applier.rows.rollback()
                swap(&applier.rows.index, &visible.index)
                swap(&applier.rows.cache, &journal.cache)
            }
            var transaction = Transaction(buffer: applier.rows.buffer, changes: [], hasStarted: visible.hasStarted)
            var next = requests
            while !next.isEmpty {
                for request in next {
                    let result = run(request, &applier)
                    transaction.results.append(result)
                    if case .success = result, !request.isSilent { transaction.commits.append(applier.changes) }
                    if request.durability == .full { transaction.isAwaited = true }
                }
                next = more()
            }
            try applier.rows.storeCounter()
            transaction.buffer = applier.rows.buffer
            transaction.changes = applier.rows.changes
            transaction.hasStarted = applier.rows.hasStarted
            return transaction
        }
    }

    private func run(
        _ request: WriteRequest, _ applier: inout MutationApplier<FileRows>
    ) -> Result<WriteRequest.Value, StoreError> {
        guard case .write(let write) = request.work else { return .failure(.closed) }
        applier.changes = CommitChanges()
        let (mark, hasStarted) = (applier.rows.mark, applier.rows.hasStarted)
        do throws(StoreError) {
            return .success(try write(&applier))
        } catch {
            applier.rows.revert(to: mark)
            applier.rows.hasStarted = hasStarted
            return .failure(error)
        }
    }

    // MARK: Published commits

    private let publishing = Publishing()

    /// Waits until all commits that readers can see have been published.
    func settledVersion() async throws(StoreError) -> Int64 {
        try requireOpen()
        return await publishing.settled()
    }

    /// The index as of a position of the journal, for a snapshot. Called by the writer.
    func snapshot(_ journal: JournalState, oldestFile: UInt32) -> Snapshot {
        visible.withLock { visible in
            Snapshot(
                visible.index, store: journal.writer.store, at: journal.writer.end, oldestFile: oldestFile)
        }
    }

    // MARK: The end

    /// Refuses all later calls, and makes everything durable. Called when no call is waiting.
    func close() {
        let isFirst = visible.withLock { visible in
            defer { visible.isClosed = true }
            return !visible.isClosed
        }
        guard isFirst else { return }
        journal.withLock { journal in
            // Nothing is acknowledged by this: under `normal` it is a courtesy, and a store at rest has no zeros at its
            // end.
            if journal.writer.needsRepair { try? journal.writer.repair() }
            if !journal.writer.needsRepair { try? journal.writer.trim() }
        }
        files.removeAll()
    }

    /// For tests: acts as if the disk had failed to confirm a write.
    func requireRepair() { journal.withLock { $0.writer.requireRepair() } }
}

/// A function in a structure: a bare one in a `Mutex` is wrapped in two more functions whenever the lock is taken, so
/// that every call would take longer than the one before it.
private struct CommitObserver {
    var call: (@Sendable (JournalSizes) -> Void)?
}

/// The sizes by which maintenance is decided.
struct JournalSizes: Sendable, Equatable {
    var journalBytes: Int64
    var liveBytes: Int64
    var bytesSinceSnapshot: Int64

    init(_ journal: JournalState, liveBytes: Int64) {
        journalBytes = journal.journalBytes
        bytesSinceSnapshot = journal.bytesSinceSnapshot
        self.liveBytes = liveBytes
    }
}
