import CausewayModels
import CausewayStorage
import Synchronization

/// A memory store whose disk can fail and recover.
final class FailingStore: Store {
    private struct State {
        var areReadsFailing = false
        var areCommitsFailing = false
        /// Runs during the next commit, before it fails.
        var beforeCommit: (@Sendable () async -> Void)?
        /// True if the feed reports the next commit as a reset.
        var isNextCommitReset = false
        /// The durability of the last commit with a cursor of the server's events.
        var ofEvents: Durability?
        /// True if no session can be saved.
        var areSessionSavesFailing = false
        /// True if no session can be read.
        var areSessionsFailing = false
        /// True if reads fail from the next login or logout on.
        var isLastSession = false
        /// The number of pages that can still be read.
        var pagesLeft = Int.max
        var failures = 0
        var commits = 0
        var contentsRead = 0
        /// The number of failures after which it recovers by itself.
        var failuresMax = Int.max
    }

    let base: MemoryStore
    let received: (any ReceivedFiles)?
    let blobs: (any BlobStore)?
    private let state = Mutex(State())

    /// The durability of the last commit with a cursor of the server's events.
    var durabilityOfEvents: Durability? { state.withLock { $0.ofEvents } }

    /// The number of commits so far.
    var commits: Int { state.withLock { $0.commits } }

    /// The number of calls that read messages or operations by their ids.
    var contentsRead: Int { state.withLock { $0.contentsRead } }

    /// The number of calls that have failed.
    var failures: Int { state.withLock { $0.failures } }

    init(
        base: MemoryStore = MemoryStore(), received: (any ReceivedFiles)? = nil, blobs: (any BlobStore)? = nil
    ) {
        self.base = base
        self.received = received
        self.blobs = blobs
    }

    func fail() {
        state.withLock { state in
            state.areReadsFailing = true
            state.areCommitsFailing = true
        }
    }

    /// Lets the next commit fail, after `work`.
    func failNextCommit(after work: @escaping @Sendable () async -> Void) {
        state.withLock { $0.beforeCommit = work }
    }

    /// Acts as if the disk had lost the latest commits: the store is in an earlier state, and the feed says so.
    func goBack(by mutations: [Mutation]) async throws(StoreError) {
        state.withLock { $0.isNextCommitReset = true }
        try await base.commit(mutations)
    }

    func failSessions(times: Int) {
        state.withLock { state in
            state.areSessionsFailing = true
            state.failuresMax = state.failures + times
        }
    }

    func failReads(times: Int) {
        state.withLock { state in
            state.areReadsFailing = true
            state.failuresMax = state.failures + times
        }
    }

    func failSessionSaves() { state.withLock { $0.areSessionSavesFailing = true } }

    func failReadsAfterNextSession() { state.withLock { $0.isLastSession = true } }

    func failPages(after count: Int) { state.withLock { $0.pagesLeft = count } }

    func recover() { state.withLock { $0 = State(failures: $0.failures) } }

    private static let gone = StoreError.syncFailed(detail: "the disk was taken away")

    private func read<Value>(_ body: () async throws(StoreError) -> Value) async throws(StoreError) -> Value {
        try check(\.areReadsFailing)
        return try await body()
    }

    private func check(_ isFailing: KeyPath<State, Bool>) throws(StoreError) {
        let fails = state.withLock { state in
            guard state[keyPath: isFailing], state.failures < state.failuresMax else { return false }
            state.failures += 1
            return true
        }
        if fails { throw Self.gone }
    }

    func start(_ opening: StartOptions) async throws(StoreError) -> OutboxSnapshot { try await base.start(opening) }

    func enqueue(_ draft: MessageDraft) async throws(StoreError) -> Message {
        try check(\.areCommitsFailing)
        return try await base.enqueue(draft)
    }

    func commit(_ mutations: [Mutation], durability: Durability) async throws(StoreError) {
        if let work = state.withLock({ $0.beforeCommit.take() }) {
            await work()
            throw Self.gone
        }
        if mutations.contains(where: { if case .setEventCursor = $0 { true } else { false } }) {
            state.withLock { $0.ofEvents = durability }
        }
        let savesSession = mutations.contains { if case .saveSession = $0 { true } else { false } }
        try check(\.areCommitsFailing)
        if savesSession { try check(\.areSessionSavesFailing) }
        try await base.commit(mutations, durability: durability)
        state.withLock { $0.commits += 1 }
        guard savesSession else { return }
        state.withLock { state in
            if state.isLastSession { state.areReadsFailing = true }
        }
    }

    func message(_ id: MessageID) async throws(StoreError) -> Message? {
        try await read { () async throws(StoreError) in try await base.message(id) }
    }

    func messages(_ ids: [MessageID]) async throws(StoreError) -> [Message] {
        state.withLock { $0.contentsRead += 1 }
        return try await read { () async throws(StoreError) in try await base.messages(ids) }
    }

    func operation(_ id: OperationID) async throws(StoreError) -> QueuedOperation? {
        try await read { () async throws(StoreError) in try await base.operation(id) }
    }

    func operations(_ ids: [OperationID]) async throws(StoreError) -> [QueuedOperation] {
        state.withLock { $0.contentsRead += 1 }
        return try await read { () async throws(StoreError) in try await base.operations(ids) }
    }

    func operations(_ query: OperationQuery) async throws(StoreError) -> OperationPage {
        let isLeft = state.withLock { state in
            state.pagesLeft -= 1
            return state.pagesLeft >= 0
        }
        guard isLeft else { throw Self.gone }
        return try await read { () async throws(StoreError) in try await base.operations(query) }
    }

    func dependants(of id: MessageID) async throws(StoreError) -> [QueuedOperation] {
        try await read { () async throws(StoreError) in try await base.dependants(of: id) }
    }

    func page(_ query: MessageQuery) async throws(StoreError) -> MessagePage {
        let isLeft = state.withLock { state in
            state.pagesLeft -= 1
            return state.pagesLeft >= 0
        }
        guard isLeft else { throw Self.gone }
        return try await read { () async throws(StoreError) in try await base.page(query) }
    }

    func counts() async throws(StoreError) -> StoreCounts {
        try await read { () async throws(StoreError) in try await base.counts() }
    }

    func deleteActions(before: Int64?, limit: Int) async throws(StoreError) -> [DeleteAction] {
        try await read { () async throws(StoreError) in try await base.deleteActions(before: before, limit: limit) }
    }

    func record(_ kind: RecordKind, _ id: String) async throws(StoreError) -> StoredRecord? {
        try await read { () async throws(StoreError) in try await base.record(kind, id) }
    }

    func records(_ query: RecordListQuery) async throws(StoreError) -> RecordListPage {
        try await read { () async throws(StoreError) in try await base.records(query) }
    }

    func session() async throws(StoreError) -> Session? {
        try check(\.areSessionsFailing)
        return try await read { () async throws(StoreError) in try await base.session() }
    }

    func outbox() async throws(StoreError) -> OutboxSnapshot {
        try await read { () async throws(StoreError) in try await base.outbox() }
    }

    func subscribe(_ subscriber: @escaping @Sendable (StoreCommit) -> Void) -> StoreSubscription {
        base.subscribe { [weak self] commit in
            let isReset = self?.state.withLock { state in
                defer { state.isNextCommitReset = false }
                return state.isNextCommitReset
            }
            subscriber(isReset == true ? StoreCommit(version: commit.version, changes: [], isReset: true) : commit)
        }
    }

    func settledVersion() async throws(StoreError) -> Int64 { try await base.settledVersion() }
    func close() async { await base.close() }
}
