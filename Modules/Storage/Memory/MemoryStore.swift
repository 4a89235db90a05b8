public import CausewayModels
import Synchronization

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

    public convenience init() { self.init(bounds: OutboxBounds()) }

    package convenience init(bounds: OutboxBounds) { self.init(MemoryState(), bounds) }

    private init(_ state: MemoryState, _ bounds: OutboxBounds) {
        run = Mutex(Run(state: state))
        self.bounds = bounds
    }

    // MARK: For tests and simulators

    /// A new store, not yet started, with everything that was committed to this one: the state after a crash of the
    /// process. This store is unchanged, like a suspended process.
    package func crashed() -> MemoryStore { MemoryStore(run.withLock { $0.state }, bounds) }

    /// All committed data of the current account: the messages in the order of their arrival, the control entries by
    /// ascending sequence. Must not be called by a subscriber, which runs within a commit.
    package var contents: (messages: [Message], controls: [ChainMarker]) {
        run.withLock { run in
            (run.state.allMessages(), run.state.controls.values.sorted { $0.sequence < $1.sequence })
        }
    }

    /// The current account; `nil` before the first session.
    package var account: Account? { run.withLock { $0.state.account } }

    /// The last history that the server of the current account named.
    package var history: ServerHistory? { run.withLock { $0.state.history } }
    package var outboxID: OutboxID? { run.withLock { $0.state.outboxID } }

    /// Makes a message of the current account unreadable, as a damaged row on a disk is.
    package func damage(_ id: MessageID) {
        run.withLock { run in
            guard let old = run.state[id] else { return }
            var message = old.message
            message.displayed = MessageBody(content: .unknown(type: "unreadable", body: .null))
            message.failure = .unreadable(at: message.createdAt)
            run.state.put(message, bytes: old.bytes)
        }
    }

    /// Makes the next `count` commits (including ``start(_:)`` and ``enqueue(_:)``) fail without changing anything.
    package func failNextCommits(_ count: Int, with error: StoreError) {
        run.withLock { $0.faults = Array(repeating: error, count: count) }
    }

    // MARK: Store

    public func start(_ opening: StartOptions) async throws(StoreError) -> OutboxSnapshot {
        try write(beginning: true) { state, changes throws(StoreError) in
            let outboxID = state.outboxID ?? opening.newOutboxID
            state.outboxID = outboxID
            state.epoch += 1
            state.lineage.open(opening.opening, nextSequence: state.nextSequence)
            state.sweep(opening.restart, opening.failure)
            changes.isReset = true
            return state.outbox(outboxID)
        }
    }

    public func enqueue(_ draft: MessageDraft) async throws(StoreError) -> Message {
        let draft = draft.normalized
        let bytes = try ContentCoding.encode(draft.content).count
        return try write { [bounds] state, changes throws(StoreError) in
            try state.admit(draft, as: state.account)
            guard state[draft.id] == nil else { throw .duplicate(draft.id) }
            try bounds.admit(bytes: bytes, to: state.counts)
            state.enqueue(draft, bytes: bytes, &changes)
            guard let message = state[draft.id]?.message else { preconditionFailure("what was put in is there") }
            return message
        }
    }

    public func commit(_ mutations: [Mutation]) async throws(StoreError) {
        let mutations = mutations.map(\.normalized)
        var sizes: [Int] = []
        for mutation in mutations {
            sizes.append(try mutation.content.map(ContentCoding.encode)?.count ?? 0)
        }
        try write { [bounds] state, changes throws(StoreError) in
            try state.admit(mutations, sizes, bounds)
            for (mutation, bytes) in zip(mutations, sizes) { state.apply(mutation, bytes: bytes, to: &changes) }
        }
    }

    public func message(_ id: MessageID) async throws(StoreError) -> Message? {
        try read { state throws(StoreError) in state[id]?.message }
    }

    public func messages(_ ids: [MessageID]) async throws(StoreError) -> [Message] {
        try read { state throws(StoreError) in ids.compactMap { state[$0]?.message } }
    }

    public func dependants(of id: MessageID) async throws(StoreError) -> [Message] {
        try read { state throws(StoreError) in state.allDependants(of: id) }
    }

    public func page(_ query: MessageQuery) async throws(StoreError) -> MessagePage {
        try read { state throws(StoreError) in state.page(query) }
    }

    public func counts() async throws(StoreError) -> StoreCounts {
        try read { state throws(StoreError) in state.allCounts }
    }

    public func deleteActions(before: Int64?, limit: Int) async throws(StoreError) -> [DeleteAction] {
        let limit = min(max(1, limit), Limits.pageSizeMax)
        return try read { state throws(StoreError) in state.deleteActions(before: before, limit: limit) }
    }

    public func session() async throws(StoreError) -> Session? {
        try read { state throws(StoreError) in state.session }
    }

    public func outbox() async throws(StoreError) -> OutboxSnapshot {
        try read { state throws(StoreError) in
            guard let outboxID = state.outboxID else { throw StoreError.notStarted }
            return state.outbox(outboxID)
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

    /// Performs one commit. `body` throws before it changes anything.
    private func write<Value>(
        beginning: Bool = false,
        _ body: (inout MemoryState, inout CommitChanges) throws(StoreError) -> sending Value
    ) throws(StoreError) -> sending Value {
        try run.withLock { run throws(StoreError) in
            if run.isClosed { throw .closed }
            if run.hasStarted == beginning { throw beginning ? .startedTwice : .notStarted }
            if !run.faults.isEmpty { throw run.faults.removeFirst() }
            var changes = CommitChanges()
            let value = try body(&run.state, &changes)
            run.hasStarted = true
            run.version += 1
            feed.publish(changes.commit(version: run.version))
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
