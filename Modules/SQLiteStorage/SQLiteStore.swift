import CausewayBlobs
public import CausewayModels
public import CausewayStorage
import Dispatch
import Foundation
import GRDB

/// A store on disk: SQLite in write-ahead mode, one folder for each store.
///
/// Commits go through ``GroupCommitter``, one group after another; reads run in parallel on connections of their own.
/// The folder contains the database (`store.sqlite` and its log), the files of media messages (`blobs`), a cache of
/// downloaded files (`received`), and `lock`, which names the process that owns the store.
public final class SQLiteStore: Store {
    /// The folder as passed to ``open(at:durability:)``.
    public let folder: String

    let database: StoreDatabase
    private let committer: GroupCommitter
    private let feed: CommitFeed
    private let bounds: OutboxBounds
    let files: BlobFolder

    public var blobs: (any BlobStore)? { files }
    public let received: (any ReceivedFiles)?

    /// Opens the store in `folder`; creates the folder (accessible only to its owner) and the store if they do not
    /// exist.
    ///
    /// Throws ``StoreError/locked(pid:path:)`` if another process has it open,
    /// ``StoreError/newerSchema(version:path:)`` if a newer version wrote it, ``StoreError/damaged(path:detail:)`` if
    /// it is damaged or belongs to another program, and ``StoreError/notAccessible(path:detail:)`` if the folder cannot
    /// be used. In all these cases the files are left unchanged.
    ///
    /// - Parameter durability: when a commit is on the disk.
    public static func open(
        at folder: String, durability: Durability = .full
    ) async throws(StoreError) -> SQLiteStore {
        try await open(at: folder, durability: durability, options: SQLiteOptions())
    }

    /// - Parameter options: bounds that tests lower.
    package static func open(
        at folder: String, durability: Durability, options: SQLiteOptions
    ) async throws(StoreError) -> SQLiteStore {
        let opened: Result<SQLiteStore, StoreError> = await withCheckedContinuation { continuation in
            // Opening blocks on the disk, so it must not use a thread of the shared pool.
            DispatchQueue.global(qos: .userInitiated).async {
                continuation.resume(
                    returning: Result { () throws(StoreError) in
                        let database = try StoreDatabase(
                            StoreFolder(path: folder, beforeAccess: options.beforeFolderAccess), durability, options)
                        // After the lock of the folder was taken: opening removes what an earlier run left.
                        let files = try Self.files(in: folder, durability)
                        return SQLiteStore(folder, database, files, options)
                    })
            }
        }
        return try opened.get()
    }

    private static func files(in folder: String, _ durability: Durability) throws(StoreError) -> BlobFolder {
        do throws(BlobError) {
            return try BlobFolder(at: folder + "/blobs", options: BlobOptions(durability: durability))
        } catch {
            throw .notAccessible(path: folder + "/blobs", detail: error.description)
        }
    }

    private init(_ folder: String, _ database: StoreDatabase, _ files: BlobFolder, _ options: SQLiteOptions) {
        self.folder = folder
        self.database = database
        self.files = files
        received = ReceivedFolder(at: folder + "/received")
        bounds = options.bounds
        feed = CommitFeed()
        committer = GroupCommitter(database, feed, options)
    }

    /// The effective settings of the writer's connection, as SQLite reports them. Blocks the thread.
    package func settingsInForce() throws(StoreError) -> SQLiteSettings {
        try database.write { db in try SQLiteSettings(db) }
    }

    // MARK: Commits

    public func start(_ opening: StartOptions) async throws(StoreError) -> OutboxSnapshot {
        let value = try await committer.submit(
            WriteRequest(isCompound: true) { applier in
                try applier.rows.prepareToStart()
                let outboxID = try applier.start(opening)
                applier.rows.counters.hasStarted = true
                return .outbox(try applier.rows.db.outbox(outboxID, applier.rows.counters))
            })
        guard case .outbox(var snapshot) = value else { preconditionFailure("start returns the outbox") }
        snapshot.loss = database.loss
        return snapshot
    }

    public func enqueue(_ draft: MessageDraft) async throws(StoreError) -> Message {
        let draft = draft.normalized
        let content = try ContentCoding.encode(draft.content)
        let value = try await committer.submit(
            // A draft that refers to another message takes more than one statement.
            WriteRequest(isCompound: draft.parent != nil, bytes: content.count) { [bounds] applier in
                if !applier.rows.counters.hasStarted { throw StoreError.notStarted }
                let operation = OperationDraft(draft)
                try applier.admit(operation, bytes: content.count, bounds)
                return .item(try applier.enqueue(operation, content: content))
            })
        guard case .item(.message(let message)) = value else {
            preconditionFailure("enqueue returns the message")
        }
        return message
    }

    public func commit(_ mutations: [Mutation], durability: Durability) async throws(StoreError) {
        let mutations = mutations.map(\.normalized)
        var contents: [Int: Data] = [:]
        for (index, mutation) in mutations.enumerated() {
            if let content = mutation.content { contents[index] = try ContentCoding.encode(content) }
        }
        _ = try await committer.submit(
            WriteRequest(
                isCompound: true, bytes: contents.values.reduce(mutations.recordBytes) { $0 + $1.count },
                durability: durability
            ) { [contents, bounds] applier in
                if !applier.rows.counters.hasStarted { throw StoreError.notStarted }
                for (index, mutation) in mutations.enumerated() {
                    let content = contents[index]
                    if case .enqueue(let draft) = mutation {
                        try applier.admit(draft, bytes: content?.count ?? 0, bounds)
                    }
                    try applier.apply(mutation, content: content)
                }
                return .done
            })
    }

    // MARK: Queries

    public func message(_ id: MessageID) async throws(StoreError) -> Message? {
        try await read { db, account in try db.storedMessage(id, account)?.message }
    }

    public func messages(_ ids: [MessageID]) async throws(StoreError) -> [Message] {
        try await read { db, account in try ids.compactMap { try db.storedMessage($0, account)?.message } }
    }

    public func operation(_ id: OperationID) async throws(StoreError) -> QueuedOperation? {
        try await read { db, account in try db.storedItem(id, account)?.item.queued }
    }

    public func operations(_ ids: [OperationID]) async throws(StoreError) -> [QueuedOperation] {
        try await read { db, account in
            try ids.compactMap { try db.storedItem($0, account)?.item.queued }
        }
    }

    public func dependants(of id: MessageID) async throws(StoreError) -> [QueuedOperation] {
        try await read { db, account in try db.dependants(of: id, account).compactMap(\.item.queued) }
    }

    public func operations(_ query: OperationQuery) async throws(StoreError) -> OperationPage {
        try await read { db, account in try db.page(query, account) }
    }

    public func page(_ query: MessageQuery) async throws(StoreError) -> MessagePage {
        try await read { db, account in try db.page(query, account) }
    }

    public func nextChannel(after channel: ChannelID?, keeping count: Int) async throws(StoreError) -> RetainedPart? {
        try await read { db, account in try db.nextChannel(after: channel, keeping: count, account) }
    }

    public func counts() async throws(StoreError) -> StoreCounts {
        if database.isClosed { throw .closed }
        let counters = committer.committed
        if !counters.hasStarted { throw .notStarted }
        var counts = counters.counts
        if counters.awaited.count > 0, counts.error > 0 {
            counts.blocked = try await read { db, account in try db.blockedCount(account) }
        }
        return counts
    }

    public func deleteActions(before: Int64?, limit: Int) async throws(StoreError) -> [DeleteAction] {
        let limit = min(max(1, limit), Limits.pageSizeMax)
        return try await read { db, account in try db.deleteActions(before: before, limit: limit, account) }
    }

    public func record(_ kind: RecordKind, _ id: String) async throws(StoreError) -> StoredRecord? {
        try await read { db, account in try db.storedRecord(kind, id, account) }
    }

    public func records(_ query: RecordListQuery) async throws(StoreError) -> RecordListPage {
        try await read { db, account in
            RecordListPage(try db.storedRecords(query, limit: query.limit + 1, account), of: query)
        }
    }

    public func session() async throws(StoreError) -> Session? {
        try await read { db, _ in try db.storedSession() }
    }

    public func outbox() async throws(StoreError) -> OutboxSnapshot {
        let counters = committer.committed
        guard let outboxID = counters.outbox.id else { throw database.isClosed ? .closed : .notStarted }
        return try await read { db, _ in try db.outbox(outboxID, counters) }
    }

    public func subscribe(_ subscriber: @escaping @Sendable (StoreCommit) -> Void) -> StoreSubscription {
        feed.subscribe(subscriber)
    }

    public func settledVersion() async throws(StoreError) -> Int64 {
        if database.isClosed { throw .closed }
        return await committer.settledVersion()
    }

    public func close() async {
        // The committer releases the lock of the folder, so it closes last.
        await files.close()
        await received?.close()
        await committer.close()
    }

    private func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database, AccountRow) throws -> Value
    ) async throws(StoreError) -> Value {
        if database.isClosed { throw .closed }
        let counters = committer.committed
        if !counters.hasStarted { throw .notStarted }
        // After a failed sync the first caller has the database reopened, even a reader.
        if database.needsVerification { try await recover() }
        return try await database.read { db in try body(db, counters.account) }
    }

    private func recover() async throws(StoreError) {
        _ = try await committer.submit(WriteRequest(isCompound: false) { _ in .done })
    }

    /// For tests: acts as if the disk had failed to confirm a write.
    package func requireVerification() { database.requireVerification() }

    /// For tests: delays the next commit until `requests` calls are waiting.
    package func gather(_ requests: Int) { committer.gather(requests) }
}

extension [Mutation] {
    /// The size of the records among them.
    fileprivate var recordBytes: Int {
        reduce(0) { bytes, mutation in
            guard case .mergeRecords(let merge) = mutation else { return bytes }
            return merge.records.reduce(bytes) { $0 + $1.value.count }
        }
    }
}

extension MutationApplier<SQLiteRows> {
    /// Throws the reason to refuse a draft. The unique index of the ids recognises one that exists already.
    fileprivate func admit(_ draft: OperationDraft, bytes: Int, _ bounds: OutboxBounds) throws {
        if let refusal = try refusal(of: draft, bytes: bytes, rows.counters.counts, bounds) {
            throw refusal
        }
    }
}
