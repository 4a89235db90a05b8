import Causeway
import Synchronization

/// A store that forwards to another one, and notes the states of each message as they are committed.
final class JournalingStore: Store {
    private let inner: any Store
    private let journal = Mutex<[MessageID: [SyncState]]>([:])

    init(_ inner: any Store) { self.inner = inner }

    func states(of id: MessageID) -> [SyncState] { journal.withLock { $0[id] ?? [] } }

    func start(_ opening: StartOptions) async throws(StoreError) -> OutboxSnapshot {
        try await inner.start(opening)
    }

    func enqueue(_ draft: MessageDraft) async throws(StoreError) -> Message {
        // Noted first: the engine may send it before the call returns.
        journal.withLock { $0[draft.id] = [.created] }
        return try await inner.enqueue(draft)
    }

    func commit(_ mutations: [Mutation]) async throws(StoreError) {
        try await inner.commit(mutations)
        for id in journal.withLock({ Array($0.keys) }) {
            if let message = try await inner.message(id) { note(message) }
        }
    }

    private func note(_ message: Message) {
        journal.withLock { journal in
            guard journal[message.id]?.last != message.syncState else { return }
            journal[message.id, default: []].append(message.syncState)
        }
    }

    func message(_ id: MessageID) async throws(StoreError) -> Message? { try await inner.message(id) }

    func messages(_ ids: [MessageID]) async throws(StoreError) -> [Message] { try await inner.messages(ids) }

    func dependants(of id: MessageID) async throws(StoreError) -> [QueuedOperation] {
        try await inner.dependants(of: id)
    }

    func operation(_ id: OperationID) async throws(StoreError) -> QueuedOperation? {
        try await inner.operation(id)
    }

    func operations(_ ids: [OperationID]) async throws(StoreError) -> [QueuedOperation] {
        try await inner.operations(ids)
    }

    func operations(_ query: OperationQuery) async throws(StoreError) -> OperationPage {
        try await inner.operations(query)
    }

    func page(_ query: MessageQuery) async throws(StoreError) -> MessagePage {
        try await inner.page(query)
    }

    func counts() async throws(StoreError) -> StoreCounts { try await inner.counts() }

    func deleteActions(before: Int64?, limit: Int) async throws(StoreError) -> [DeleteAction] {
        try await inner.deleteActions(before: before, limit: limit)
    }

    func record(_ kind: RecordKind, _ id: String) async throws(StoreError) -> StoredRecord? {
        try await inner.record(kind, id)
    }

    func records(_ query: RecordListQuery) async throws(StoreError) -> RecordListPage {
        try await inner.records(query)
    }

    func session() async throws(StoreError) -> Session? { try await inner.session() }

    func outbox() async throws(StoreError) -> OutboxSnapshot { try await inner.outbox() }

    func subscribe(_ subscriber: @escaping @Sendable (StoreCommit) -> Void) -> StoreSubscription {
        inner.subscribe(subscriber)
    }

    func settledVersion() async throws(StoreError) -> Int64 { try await inner.settledVersion() }

    func close() async { await inner.close() }
}
