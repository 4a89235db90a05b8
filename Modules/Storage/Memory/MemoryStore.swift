public import CausewayModels
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A store that keeps all data in memory, for tests, simulation and previews.
///
/// Deterministic: it starts no task, reads no clock and never suspends. One lock guards the state; it is held while
/// subscribers are called, so that the feed reports commits in commit order.
public final class MemoryStore: Store {
    private struct Run {
        var state: MemoryState
        var hasStarted = false
        var isClosed = false
        /// The number of the last commit of this run.
        var version: Int64 = 0
        /// The errors of the next commits.
        var faults: [StoreError] = []
    }

    private let run: Mutex<Run>
    private let feed = CommitFeed()
    private let bounds: OutboxBounds
    private let files: MemoryBlobStore?

    public var blobs: (any BlobStore)? { files }

    /// Creates an empty store with the default capacity of the outbox, and without files: media messages are refused.
    public convenience init() { self.init(bounds: OutboxBounds()) }

    package convenience init(bounds: OutboxBounds = OutboxBounds(), blobs: MemoryBlobStore? = nil) {
        self.init(MemoryState(), bounds, blobs)
    }

    private init(_ state: MemoryState, _ bounds: OutboxBounds, _ files: MemoryBlobStore?) {
        run = Mutex(Run(state: state))
        self.bounds = bounds
        self.files = files
    }

    // MARK: For tests and simulators

    /// A new store, not yet started, with everything that was committed to this one: the state after a crash of the
    /// process. This store is unchanged, like a suspended process.
    package func crashed() -> MemoryStore { MemoryStore(run.withLock { $0.state }, bounds, files?.crashed()) }

    /// All committed data of the current account: the messages and the operations in the order of their arrival, the
    /// control entries by ascending sequence. Must not be called by a subscriber, which runs within a commit.
    package var contents: (items: [StoredItem], controls: [ChainMarker]) {
        run.withLock { run in
            (
                run.state.allItems().map(\.item),
                run.state.markers.values.sorted { $0.sequence < $1.sequence }
            )
        }
    }

    /// The current account; `nil` before the first session.
    package var account: Account? { run.withLock { $0.state.account } }

    /// The last history that the server of the current account named.
    package var history: ServerHistory? { run.withLock { $0.state.outbox.history } }
    /// The cursor up to which the server's events are stored.
    package var eventCursor: EventCursor? { run.withLock { $0.state.outbox.eventCursor } }
    package var outboxID: OutboxID? { run.withLock { $0.state.outbox.id } }

    /// Makes an item of the current account unreadable, as a damaged row on a disk is.
    package func damage(_ id: MessageID) {
        run.withLock { run in
            guard let old = run.state[id] else { return }
            var item = old.item
            if case .message(var message) = item {
                message.displayed = MessageBody(content: .unknown(type: "unreadable", body: .null))
                item = .message(message)
            }
            item.failure = .unreadable(at: item.createdAt)
            run.state.put(item, bytes: old.bytes)
        }
    }

    /// Makes the next `count` commits (including ``start(_:)`` and ``enqueue(_:)``) fail without changing anything.
    package func failNextCommits(_ count: Int, with error: StoreError) {
        run.withLock { $0.faults = Array(repeating: error, count: count) }
    }

    // MARK: Store

    public func start(_ opening: StartOptions) async throws(StoreError) -> OutboxSnapshot {
        try write(beginning: true) { applier throws(StoreError) in
            let outboxID = applier.start(opening)
            return applier.rows.snapshot(outboxID)
        }
    }

    public func enqueue(_ draft: MessageDraft) async throws(StoreError) -> Message {
        let draft = draft.normalized
        let content = try ContentCoding.encode(draft.content)
        return try write { [bounds] applier throws(StoreError) in
            let operation = OperationDraft(draft)
            if let refusal = applier.refusal(of: [(operation, content.count)], applier.rows.counts, bounds) {
                throw refusal
            }
            guard case .message(let message) = applier.enqueue(operation, content: content) else {
                preconditionFailure("the draft of a message creates one")
            }
            return message
        }
    }

    public func commit(_ mutations: [Mutation], durability: Durability) async throws(StoreError) {
        let mutations = mutations.map(\.normalized)
        var contents: [Data?] = []
        for mutation in mutations { contents.append(try mutation.content.map(ContentCoding.encode)) }
        try write { [bounds] applier throws(StoreError) in
            let drafts = zip(mutations, contents).compactMap { mutation, content in
                if case .enqueue(let draft) = mutation { (draft, content?.count ?? 0) } else { nil }
            }
            let isAdmitted = applier.refusal(of: drafts, applier.rows.counts, bounds) == nil
            // The mutations before a draft may make room for it. The copy costs as much as the store is large.
            let before: MemoryState? = isAdmitted ? nil : applier.rows
            for (mutation, content) in zip(mutations, contents) {
                if let before, case .enqueue(let draft) = mutation,
                    let refusal = applier.refusal(of: [(draft, content?.count ?? 0)], applier.rows.counts, bounds)
                {
                    applier.rows = before
                    throw refusal
                }
                applier.apply(mutation, content: content)
            }
        }
    }

    public func message(_ id: MessageID) async throws(StoreError) -> Message? {
        try read { state throws(StoreError) in state[id]?.message }
    }

    public func messages(_ ids: [MessageID]) async throws(StoreError) -> [Message] {
        try read { state throws(StoreError) in ids.compactMap { state[$0]?.message } }
    }

    public func operation(_ id: OperationID) async throws(StoreError) -> QueuedOperation? {
        try read { state throws(StoreError) in state[id]?.item.queued }
    }

    public func operations(_ ids: [OperationID]) async throws(StoreError) -> [QueuedOperation] {
        try read { state throws(StoreError) in ids.compactMap { state[$0]?.item.queued } }
    }

    public func dependants(of id: MessageID) async throws(StoreError) -> [QueuedOperation] {
        try read { state throws(StoreError) in state.allDependants(of: id).compactMap(\.item.queued) }
    }

    public func operations(_ query: OperationQuery) async throws(StoreError) -> OperationPage {
        try read { state throws(StoreError) in state.page(query) }
    }

    public func page(_ query: MessageQuery) async throws(StoreError) -> MessagePage {
        try read { state throws(StoreError) in state.page(query) }
    }

    public func nextChannel(after channel: ChannelID?, keeping count: Int) async throws(StoreError) -> RetainedPart? {
        try read { state throws(StoreError) in state.nextChannel(after: channel, keeping: count) }
    }

    public func counts() async throws(StoreError) -> StoreCounts {
        try read { state throws(StoreError) in state.allCounts }
    }

    public func deleteActions(before: Int64?, limit: Int) async throws(StoreError) -> [DeleteAction] {
        let limit = min(max(1, limit), Limits.pageSizeMax)
        return try read { state throws(StoreError) in state.deleteActions(before: before, limit: limit) }
    }

    public func record(_ kind: RecordKind, _ id: String) async throws(StoreError) -> StoredRecord? {
        try read { state throws(StoreError) in state.records.record(kind, id) }
    }

    public func records(_ query: RecordListQuery) async throws(StoreError) -> RecordListPage {
        try read { state throws(StoreError) in
            RecordListPage(state.records.records(query, limit: query.limit + 1), of: query)
        }
    }

    public func session() async throws(StoreError) -> Session? {
        try read { state throws(StoreError) in state.lastSession }
    }

    public func outbox() async throws(StoreError) -> OutboxSnapshot {
        try read { state throws(StoreError) in
            guard let outboxID = state.outbox.id else { throw StoreError.notStarted }
            return state.snapshot(outboxID)
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

    public func close() async { run.withLock { $0.isClosed = true } }

    // MARK: Commits

    /// Performs one commit. `body` leaves the rows as they were when it throws.
    private func write<Value>(
        beginning: Bool = false,
        _ body: (inout MutationApplier<MemoryState>) throws(StoreError) -> sending Value
    ) throws(StoreError) -> sending Value {
        try run.withLock { run throws(StoreError) in
            if run.isClosed { throw .closed }
            if run.hasStarted == beginning { throw beginning ? .startedTwice : .notStarted }
            if !run.faults.isEmpty { throw run.faults.removeFirst() }
            var applier = MutationApplier(rows: MemoryState())
            swap(&applier.rows, &run.state)
            defer { swap(&applier.rows, &run.state) }
            let value = try body(&applier)
            run.hasStarted = true
            run.version += 1
            feed.publish(applier.changes.commit(version: run.version))
            return value
        }
    }

    private func read<Value>(
        _ body: (MemoryState) throws(StoreError) -> sending Value
    ) throws(StoreError) -> sending Value {
        try run.withLock { run throws(StoreError) in
            if run.isClosed { throw .closed }
            if !run.hasStarted { throw .notStarted }
            return try body(run.state)
        }
    }
}

extension StoreError {
    /// Misuse by the caller: see the lifecycle of ``Store``.
    package static let notStarted = StoreError.other(detail: "used before start")
    /// Misuse by the caller: see the lifecycle of ``Store``.
    package static let startedTwice = StoreError.other(detail: "start was called twice")
}
