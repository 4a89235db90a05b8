public import CausewayModels
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A complete store made of rows: an author of another store writes ``CommittingRows``, and passes the result to
/// `CausewayStorageConformance`.
///
/// ```swift
/// struct NotebookRows: CommittingRows { … }       // finds, writes and removes single values
/// let store = RowStore(try NotebookRows(path: path))
/// let client = try await CausewayClient.open(store: store, transports: transports, credentials: credentials)
/// ```
///
/// It applies every ``Mutation`` to the rows, assigns numbers, keeps the bounds of the outbox, builds pages and
/// publishes each commit to the feed: the rules are those of all stores, whatever the rows are.
///
/// One lock orders all calls, and is held during each call of the rows and of a subscriber: reads wait for a commit,
/// and a call blocks its thread as long as the rows take. Commits are not grouped. Rows that are slow to commit are
/// better behind a ``Store`` of their own kind.
public final class RowStore<Rows: CommittingRows>: Store {
    private struct Run {
        var applier: MutationApplier<Rows>
        var hasStarted = false
        var isClosed = false
        /// The number of the last commit of this run.
        var version: Int64 = 0
    }

    private let run: Mutex<Run>
    private let feed = CommitFeed()
    private let bounds: OutboxBounds
    public let blobs: (any BlobStore)?

    /// Makes a store that has not been started.
    ///
    /// - Parameters:
    ///   - rows: as the last commit left them.
    ///   - bounds: the capacity of the outbox.
    ///   - blobs: the files of media messages; without them, media messages cannot be created.
    public init(_ rows: Rows, bounds: OutboxBounds = OutboxBounds(), blobs: (any BlobStore)? = nil) {
        run = Mutex(Run(applier: MutationApplier(rows: rows)))
        self.bounds = bounds
        self.blobs = blobs
    }

    /// Calls `body` with the rows between two commits, also when the store is closed. Must not be called by a
    /// subscriber, which runs within a commit.
    public func withRows<Value: Sendable>(_ body: (Rows) -> Value) -> Value {
        run.withLock { body($0.applier.rows) }
    }

    // MARK: Commits

    public func start(_ opening: StartOptions) async throws(StoreError) -> OutboxSnapshot {
        try write(.full, beginning: true) { applier throws(StoreError) in
            let outboxID = try applier.start(opening)
            return try applier.rows.snapshot(outboxID)
        }
    }

    public func enqueue(_ draft: MessageDraft) async throws(StoreError) -> Message {
        let operation = OperationDraft(draft.normalized)
        let content = try ContentCoding.encode(operation.payload.content)
        return try write(.full) { [bounds] applier throws(StoreError) in
            let counts = try applier.rows.counts()
            if let refusal = try applier.refusal(of: [(operation, content.count)], counts, bounds) { throw refusal }
            guard case .message(let message) = try applier.enqueue(operation, content: content) else {
                preconditionFailure("the draft of a message creates one")
            }
            return message
        }
    }

    public func commit(_ mutations: [Mutation], durability: Durability) async throws(StoreError) {
        let mutations = mutations.map(\.normalized)
        var contents: [Data?] = []
        for mutation in mutations { contents.append(try mutation.content.map(ContentCoding.encode)) }
        try write(durability) { [bounds] applier throws(StoreError) in
            for (mutation, content) in zip(mutations, contents) {
                if case .enqueue(let draft) = mutation {
                    let counts = try applier.rows.counts()
                    let refusal = try applier.refusal(of: [(draft, content?.count ?? 0)], counts, bounds)
                    if let refusal { throw refusal }
                }
                try applier.apply(mutation, content: content)
            }
        }
    }

    /// Performs one commit, or leaves the rows as they were.
    private func write<Value>(
        _ durability: Durability, beginning: Bool = false,
        _ body: (inout MutationApplier<Rows>) throws(StoreError) -> sending Value
    ) throws(StoreError) -> sending Value {
        try run.withLock { run throws(StoreError) in
            if run.isClosed { throw .closed }
            if run.hasStarted == beginning { throw beginning ? .startedTwice : .notStarted }
            run.applier.changes = CommitChanges()
            do throws(StoreError) {
                let value = try body(&run.applier)
                try run.applier.rows.commit(durability)
                run.hasStarted = true
                run.version += 1
                feed.publish(run.applier.changes.commit(version: run.version))
                return value
            } catch {
                run.applier.rows.rollBack()
                throw error
            }
        }
    }

    public func subscribe(_ subscriber: @escaping @Sendable (StoreCommit) -> Void) -> StoreSubscription {
        feed.subscribe(subscriber)
    }

    /// Commits are published under the lock that reads take.
    public func settledVersion() async throws(StoreError) -> Int64 {
        try run.withLock { run throws(StoreError) in
            if run.isClosed { throw .closed }
            return run.version
        }
    }

    public func close() async {
        run.withLock { run in
            if run.isClosed { return }
            run.isClosed = true
            run.applier.rows.close()
        }
        await blobs?.close()
    }

    func read<Value>(_ body: (Rows) throws(StoreError) -> sending Value) throws(StoreError) -> sending Value {
        try run.withLock { run throws(StoreError) in
            if run.isClosed { throw .closed }
            if !run.hasStarted { throw .notStarted }
            return try body(run.applier.rows)
        }
    }
}
