import CausewayFileStorage
import CausewayModels
import CausewayStorage
import CausewayStoreTorture
import Synchronization

/// A store that waits for no other thread, so that a client runs on it in simulated time.
protocol SimulatedStore: Store {
    /// The store as the next process finds it when this one ends now. This store is unchanged, like that of a suspended
    /// process.
    func crashedCopy() throws -> any SimulatedStore

    /// Makes the next commits fail without changing anything.
    func failNextCommits(_ count: Int, with error: StoreError)
}

extension MemoryStore: SimulatedStore {
    func crashedCopy() throws -> any SimulatedStore { crashed() as MemoryStore }
}

extension SimulatedStore {
    var eventCursor: EventCursor? {
        get async throws(StoreError) { try await outbox().eventCursor }
    }
}

/// The stores on which the client is tested in simulated time; SQLite reads on threads of its own.
enum SimulatedStoreKind: CaseIterable, Sendable {
    case memory, file

    /// The store of one of many seeds: every fourth has files, which cost a multiple.
    static func of(_ seed: UInt64) -> SimulatedStoreKind { seed % 4 == 3 ? .file : .memory }

    func make() throws -> any SimulatedStore {
        switch self {
        case .memory: MemoryStore()
        case .file: try SimulatedFileStore(on: FaultyDisk())
        }
    }
}

/// A file store on a disk in memory.
final class SimulatedFileStore: SimulatedStore {
    private let base: FileStore
    let disk: FaultyDisk
    private let faults = Mutex<[StoreError]>([])

    init(on disk: FaultyDisk) throws(StoreError) {
        self.disk = disk
        base = try FileStore(on: disk, durability: .full)
    }

    func crashedCopy() throws -> any SimulatedStore { try SimulatedFileStore(on: disk.copy()) }

    func failNextCommits(_ count: Int, with error: StoreError) {
        faults.withLock { $0 = Array(repeating: error, count: count) }
    }

    private func admit() throws(StoreError) {
        if let fault = faults.withLock({ $0.popLast() }) { throw fault }
    }

    // MARK: Store

    func start(_ opening: StartOptions) async throws(StoreError) -> OutboxSnapshot {
        try admit()
        return try await base.start(opening)
    }

    func enqueue(_ draft: MessageDraft) async throws(StoreError) -> Message {
        try admit()
        return try await base.enqueue(draft)
    }

    func commit(_ mutations: [Mutation], durability: Durability) async throws(StoreError) {
        try admit()
        try await base.commit(mutations, durability: durability)
    }

    func message(_ id: MessageID) async throws(StoreError) -> Message? { try await base.message(id) }

    func messages(_ ids: [MessageID]) async throws(StoreError) -> [Message] { try await base.messages(ids) }

    func operation(_ id: OperationID) async throws(StoreError) -> QueuedOperation? { try await base.operation(id) }

    func operations(_ ids: [OperationID]) async throws(StoreError) -> [QueuedOperation] {
        try await base.operations(ids)
    }

    func dependants(of id: MessageID) async throws(StoreError) -> [QueuedOperation] {
        try await base.dependants(of: id)
    }

    func operations(_ query: OperationQuery) async throws(StoreError) -> OperationPage {
        try await base.operations(query)
    }

    func page(_ query: MessageQuery) async throws(StoreError) -> MessagePage { try await base.page(query) }

    func nextChannel(after channel: ChannelID?, keeping count: Int) async throws(StoreError) -> RetainedPart? {
        try await base.nextChannel(after: channel, keeping: count)
    }

    func counts() async throws(StoreError) -> StoreCounts { try await base.counts() }

    func deleteActions(before: Int64?, limit: Int) async throws(StoreError) -> [DeleteAction] {
        try await base.deleteActions(before: before, limit: limit)
    }

    func record(_ kind: RecordKind, _ id: String) async throws(StoreError) -> StoredRecord? {
        try await base.record(kind, id)
    }

    func records(_ query: RecordListQuery) async throws(StoreError) -> RecordListPage {
        try await base.records(query)
    }

    func session() async throws(StoreError) -> Session? { try await base.session() }

    func outbox() async throws(StoreError) -> OutboxSnapshot { try await base.outbox() }

    func subscribe(_ subscriber: @escaping @Sendable (StoreCommit) -> Void) -> StoreSubscription {
        base.subscribe(subscriber)
    }

    func settledVersion() async throws(StoreError) -> Int64 { try await base.settledVersion() }

    func close() async { await base.close() }
}
