import CausewayModels
import CausewayStorage
import Synchronization

/// A violation of the port by a store, planted to show that histories detect it.
enum StoreFault: CaseIterable {
    /// Some commits are not reported.
    case losesCommits
    /// A commit of several changes is reported without its last one.
    case losesChanges
    /// A page lacks a row.
    case leavesOutRows
    /// The feed counts as settled before it has reported the commits.
    case settlesTooEarly
}

/// A store that other writers use at the worst moments, and whose feed lags behind its contents.
///
/// Whenever a page is read, `turbulence` may write before and after it. Commits can be read at once; subscribers are
/// notified of them at the end of the writer's call, as the port allows: ``publish()``.
final class TurbulentStore: Store {
    private struct State {
        var untold: [StoreCommit] = []
        var subscribers: [Int: @Sendable (StoreCommit) -> Void] = [:]
        var nextSubscriber = 0
        var turbulence: Turbulence?
        var readsToFail = 0
        var readError = StoreError.other(detail: "a reading that was told to fail")
        var settlingsToFail = 0
        var commitsToFail = 0
        var failed = Failed()
        var readCount = 0
        var subscription: StoreSubscription?
    }

    /// The number of calls that failed as requested.
    struct Failed: Sendable {
        var reads = 0
        var settlings = 0
        var commits = 0
    }

    struct Turbulence: Sendable {
        let strike: @Sendable () async throws(StoreError) -> Void
    }

    let base: any Store
    private let fault: StoreFault?
    private let state = Mutex(State())

    init(_ base: any Store, fault: StoreFault? = nil) {
        self.base = base
        self.fault = fault
        let subscription = base.subscribe { [weak self] commit in
            if fault == .losesCommits, commit.version % 4 == 0 { return }
            self?.state.withLock { $0.untold.append(fault == .losesChanges ? commit.withoutLastChange : commit) }
        }
        state.withLock { $0.subscription = subscription }
    }

    func setTurbulence(_ turbulence: Turbulence?) { state.withLock { $0.turbulence = turbulence } }
    func failNextReads(
        _ count: Int, with error: StoreError = .other(detail: "a reading that was told to fail")
    ) {
        state.withLock { state in
            state.readsToFail = count
            state.readError = error
        }
    }

    func failNextSettlings(_ count: Int) { state.withLock { $0.settlingsToFail = count } }
    func failNextCommits(_ count: Int) { state.withLock { $0.commitsToFail = count } }
    var failed: Failed { state.withLock { $0.failed } }
    /// Reads of pages and records so far.
    var readCount: Int { state.withLock { $0.readCount } }

    /// Notifies subscribers of the commits that they have not received, in order.
    func publish() {
        while let (commit, subscribers) = state.withLock({ state in
            state.untold.isEmpty ? nil : (state.untold.removeFirst(), Array(state.subscribers.values))
        }) {
            for subscriber in subscribers { subscriber(commit) }
        }
    }

    private func strike() async throws(StoreError) {
        let (turbulence, error) = state.withLock { state in
            guard state.readsToFail > 0 else { return (state.turbulence, StoreError?.none) }
            state.readsToFail -= 1
            state.failed.reads += 1
            return (state.turbulence, state.readError)
        }
        if let error { throw error }
        try await turbulence?.strike()
    }

    // MARK: Reading

    func page(_ query: MessageQuery) async throws(StoreError) -> MessagePage {
        state.withLock { $0.readCount += 1 }
        try await strike()
        var page = try await base.page(query)
        if fault == .leavesOutRows, page.messages.count > 1 { page.messages.remove(at: 1) }
        try await strike()
        return page
    }

    func message(_ id: MessageID) async throws(StoreError) -> Message? {
        try await strike()
        let message = try await base.message(id)
        try await strike()
        return message
    }

    func deleteActions(before: Int64?, limit: Int) async throws(StoreError) -> [DeleteAction] {
        try await strike()
        let actions = try await base.deleteActions(before: before, limit: limit)
        try await strike()
        return actions
    }

    func session() async throws(StoreError) -> Session? {
        try await strike()
        return try await base.session()
    }

    func dependants(of id: MessageID) async throws(StoreError) -> [QueuedOperation] {
        try await base.dependants(of: id)
    }
    func operation(_ id: OperationID) async throws(StoreError) -> QueuedOperation? {
        try await base.operation(id)
    }
    func operations(_ ids: [OperationID]) async throws(StoreError) -> [QueuedOperation] {
        try await base.operations(ids)
    }
    func operations(_ query: OperationQuery) async throws(StoreError) -> OperationPage {
        try await base.operations(query)
    }
    func messages(_ ids: [MessageID]) async throws(StoreError) -> [Message] {
        try await base.messages(ids)
    }

    func record(_ kind: RecordKind, _ id: String) async throws(StoreError) -> StoredRecord? {
        try await strike()
        let record = try await base.record(kind, id)
        try await strike()
        return record
    }

    func records(_ query: RecordListQuery) async throws(StoreError) -> RecordListPage {
        state.withLock { $0.readCount += 1 }
        try await strike()
        let page = try await base.records(query)
        try await strike()
        return page
    }

    func counts() async throws(StoreError) -> StoreCounts { try await base.counts() }
    func outbox() async throws(StoreError) -> OutboxSnapshot { try await base.outbox() }

    // MARK: Writing

    func start(_ opening: StartOptions) async throws(StoreError) -> OutboxSnapshot { try await base.start(opening) }
    func enqueue(_ draft: MessageDraft) async throws(StoreError) -> Message { try await base.enqueue(draft) }
    func commit(_ mutations: [Mutation], durability: Durability) async throws(StoreError) {
        let fails = state.withLock { state in
            guard state.commitsToFail > 0 else { return false }
            state.commitsToFail -= 1
            state.failed.commits += 1
            return true
        }
        if fails { throw .other(detail: "a commit that was told to fail") }
        try await base.commit(mutations, durability: durability)
    }
    func close() async { await base.close() }

    // MARK: The feed

    func subscribe(_ subscriber: @escaping @Sendable (StoreCommit) -> Void) -> StoreSubscription {
        let number = state.withLock { state in
            state.nextSubscriber += 1
            state.subscribers[state.nextSubscriber] = subscriber
            return state.nextSubscriber
        }
        return StoreSubscription { [weak self] in self?.state.withLock { $0.subscribers[number] = nil } }
    }

    func settledVersion() async throws(StoreError) -> Int64 {
        let fails = state.withLock { state in
            guard state.settlingsToFail > 0 else { return false }
            state.settlingsToFail -= 1
            state.failed.settlings += 1
            return true
        }
        if fails { throw .other(detail: "a settling that was told to fail") }
        let version = try await base.settledVersion()
        if fault != .settlesTooEarly { publish() }
        return version
    }
}

extension StoreCommit {
    fileprivate var withoutLastChange: StoreCommit {
        var commit = self
        if commit.changes.count > 1 { commit.changes.removeLast() }
        return commit
    }
}
