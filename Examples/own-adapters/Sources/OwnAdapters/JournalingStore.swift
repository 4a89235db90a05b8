package import Causeway
import Synchronization

/// A store that forwards to another one, and notes the states of each message as they are committed.
package final class JournalingStore: Store {
    private let inner: any Store
    private let journal = Mutex<[MessageID: [SyncState]]>([:])

    package init(_ inner: any Store) { self.inner = inner }

    package func states(of id: MessageID) -> [SyncState] { journal.withLock { $0[id] ?? [] } }

    package func start(_ opening: StartOptions) async throws(StoreError) -> OutboxSnapshot {
        try await inner.start(opening)
    }

    package func enqueue(_ draft: MessageDraft) async throws(StoreError) -> Message {
        // Noted first: the engine may send it before the call returns.
        journal.withLock { $0[draft.id] = [.created] }
        return try await inner.enqueue(draft)
    }

    package func commit(_ mutations: [Mutation], durability: Durability) async throws(StoreError) {
        try await inner.commit(mutations, durability: durability)
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

    package func message(_ id: MessageID) async throws(StoreError) -> Message? { try await inner.message(id) }

    package func messages(_ ids: [MessageID]) async throws(StoreError) -> [Message] { try await inner.messages(ids) }

    package func dependants(of id: MessageID) async throws(StoreError) -> [QueuedOperation] {
        try await inner.dependants(of: id)
    }

    package func operation(_ id: OperationID) async throws(StoreError) -> QueuedOperation? {
        try await inner.operation(id)
    }

    package func operations(_ ids: [OperationID]) async throws(StoreError) -> [QueuedOperation] {
        try await inner.operations(ids)
    }

    package func operations(_ query: OperationQuery) async throws(StoreError) -> OperationPage {
        try await inner.operations(query)
    }

    package func page(_ query: MessageQuery) async throws(StoreError) -> MessagePage {
        try await inner.page(query)
    }

    package func nextChannel(after channel: ChannelID?, keeping count: Int) async throws(StoreError) -> RetainedPart? {
        try await inner.nextChannel(after: channel, keeping: count)
    }

    package func counts() async throws(StoreError) -> StoreCounts { try await inner.counts() }

    package func deleteActions(before: Int64?, limit: Int) async throws(StoreError) -> [DeleteAction] {
        try await inner.deleteActions(before: before, limit: limit)
    }

    package func record(_ kind: RecordKind, _ id: String) async throws(StoreError) -> StoredRecord? {
        try await inner.record(kind, id)
    }

    package func records(_ query: RecordListQuery) async throws(StoreError) -> RecordListPage {
        try await inner.records(query)
    }

    package func session() async throws(StoreError) -> Session? { try await inner.session() }

    package func outbox() async throws(StoreError) -> OutboxSnapshot { try await inner.outbox() }

    package func subscribe(_ subscriber: @escaping @Sendable (StoreCommit) -> Void) -> StoreSubscription {
        inner.subscribe(subscriber)
    }

    package func settledVersion() async throws(StoreError) -> Int64 { try await inner.settledVersion() }

    package func close() async { await inner.close() }
}
