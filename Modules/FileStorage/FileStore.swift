import CausewayBlobs
public import CausewayModels
public import CausewayStorage
import CausewaySystem
import Dispatch
import Foundation

/// A store on disk: an append-only journal with snapshots, one folder for each store.
///
/// Every commit is appended to the journal; calls that wait at the same time share one write and one sync. In memory
/// there is an index, about 75 bytes for each synced message and 90 more for a queued one; contents are read from the
/// journal when they are asked for. Snapshots of the index, and the compaction of the journal, run beside the commits.
/// The format is described in `Documentation/FileFormat.md`.
///
/// The folder contains the journal (`journal-…`), the last snapshot (`snapshot`), the files of media messages
/// (`blobs`), a cache of downloaded files (`received`), and `lock`, which names the process that owns the store.
public final class FileStore: Store {
    /// The folder as passed to ``open(at:durability:)``.
    public let folder: String
    /// The findings of opening the store.
    package let recovery: RecoveryReport

    let database: FileDatabase
    let committer: GroupCommitter
    private let maintenance: Maintenance
    private let feed: CommitFeed
    private let bounds: OutboxBounds
    let files: BlobFolder?
    private let lock: FileLock?

    public var blobs: (any BlobStore)? { files }
    public let received: (any ReceivedFiles)?

    /// True if the folder contains a store of this kind.
    public static func exists(at folder: String) -> Bool { FileFormat().exists(in: folder) }

    /// Opens the store in `folder`; creates the folder (accessible only to its owner) and the store if they do not
    /// exist.
    ///
    /// Throws ``StoreError/locked(by:path:)`` if another process has it open,
    /// ``StoreError/newerSchema(version:path:)`` if a newer version wrote it, ``StoreError/damaged(path:detail:)`` with
    /// the file and the offset if it is damaged, and ``StoreError/notAccessible(path:detail:)`` if the folder cannot be
    /// used, or contains a store of SQLite, or a backup or a migration that was interrupted. In all these cases the
    /// files are left unchanged. The remains of an unfinished last write are removed.
    ///
    /// Cost: reads the last snapshot, and the journal that was written since.
    ///
    /// - Parameter durability: when a commit is on the disk.
    public static func open(
        at folder: String, durability: Durability = .full
    ) async throws(StoreError) -> FileStore {
        try await open(at: folder, durability: durability, options: FileOptions())
    }

    package static func open(
        at folder: String, durability: Durability, options: FileOptions
    ) async throws(StoreError) -> FileStore {
        try await opened { () throws(StoreError) in
            let disk = SystemDisk(folder)
            do throws(SystemError) { try disk.makeFolder() } catch {
                throw StoreFiles(folder: folder).failure(error, at: "")
            }
            let lock = try takeLock(folder)
            try StoreErasure.complete(in: folder)
            try UnfinishedWork.require(none: folder)
            let journal = JournalFiles(StoreFiles(folder: folder))
            let opening = try JournalOpening(disk, journal, durability, newStore: newIdentity(options))
            // After the journal was found intact: opening the files removes what an earlier run left.
            return FileStore(disk, journal, opening, options, lock, try blobs(in: folder, durability))
        }
    }

    /// Opens a store without files of media messages, on a disk of a test's own.
    package static func open(
        on disk: any Disk, durability: Durability, options: FileOptions = FileOptions()
    ) async throws(StoreError) -> FileStore {
        try await opened { () throws(StoreError) in
            try FileStore(on: disk, durability: durability, options: options)
        }
    }

    /// The same at once, on a disk that does not block: the store uses no thread of its own, apart from maintenance
    /// without ``FileOptions/perform``.
    package convenience init(
        on disk: any Disk, durability: Durability, options: FileOptions = FileOptions()
    ) throws(StoreError) {
        let journal = JournalFiles(StoreFiles(folder: "store"))
        let opening = try JournalOpening(disk, journal, durability, newStore: Self.newIdentity(options))
        self.init(disk, journal, opening, options, nil, nil)
    }

    /// Tells the files of one store from those of another.
    private static func newIdentity(_ options: FileOptions) -> UInt64 {
        options.newStore ?? UInt64.random(in: 1...UInt64.max)
    }

    /// Opening blocks on the disk, so it must not use a thread of the shared pool.
    private static func opened(
        _ open: @escaping @Sendable () throws(StoreError) -> FileStore
    ) async throws(StoreError) -> FileStore {
        let result: Result<FileStore, StoreError> = await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async {
                continuation.resume(returning: Result { () throws(StoreError) in try open() })
            }
        }
        return try result.get()
    }

    private static func takeLock(_ folder: String) throws(StoreError) -> FileLock {
        let path = folder + "/lock"
        do throws(FileLock.Problem) {
            return try FileLock(path)
        } catch {
            switch error {
            case .held(let owner): throw .locked(by: owner, path: folder)
            case .notOpened(let error), .notTaken(let error):
                throw StoreFiles(folder: folder).failure(error, at: "lock")
            }
        }
    }

    private static func blobs(in folder: String, _ durability: Durability) throws(StoreError) -> BlobFolder {
        do throws(BlobError) {
            return try BlobFolder(at: folder + "/blobs", options: BlobOptions(durability: durability))
        } catch {
            throw .notAccessible(path: folder + "/blobs", detail: error.description)
        }
    }

    private init(
        _ disk: any Disk, _ journal: JournalFiles, _ opening: JournalOpening, _ options: FileOptions,
        _ lock: FileLock?, _ files: BlobFolder?
    ) {
        folder = journal.names.folder
        recovery = opening.report
        bounds = options.bounds
        self.lock = lock
        self.files = files
        received = files == nil ? nil : ReceivedFolder(at: folder + "/received")
        feed = CommitFeed()
        var state = opening.state
        state.fileBytesMax = options.journalBytesMax
        state.writer.bytesAhead = options.journalBytesAhead
        let database = FileDatabase(opening.index, state, journal, feed, mayBlock: lock != nil)
        self.database = database
        committer = GroupCommitter(database, mayBlock: lock != nil)
        let policy = MaintenancePolicy(
            snapshotBytes: opening.snapshotBytes, snapshotJournalBytes: options.snapshotJournalBytes,
            compactionBytesMin: options.compactionBytesMin)
        let maintenance = Maintenance(disk, database, committer, policy, perform: options.perform)
        self.maintenance = maintenance
        database.observeCommits { [weak maintenance] sizes in maintenance?.consider(sizes) }
    }

    // MARK: Commits

    public func start(_ opening: StartOptions) async throws(StoreError) -> OutboxSnapshot {
        let value = try await committer.submit(
            WriteRequest { applier throws(StoreError) in
                if applier.rows.hasStarted { throw .startedTwice }
                _ = try applier.start(opening)
                applier.rows.hasStarted = true
                return .outbox(try applier.rows.outboxSnapshot())
            })
        guard case .outbox(var snapshot) = value else { preconditionFailure("start returns the outbox") }
        snapshot.loss = recovery.loss
        return snapshot
    }

    public func enqueue(_ draft: MessageDraft) async throws(StoreError) -> Message {
        let draft = draft.normalized
        let content = try ContentCoding.encode(draft.content)
        let value = try await committer.submit(
            WriteRequest(bytes: content.count) { [bounds] applier throws(StoreError) in
                if !applier.rows.hasStarted { throw .notStarted }
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
        let coded = contents
        _ = try await committer.submit(
            WriteRequest(
                bytes: coded.values.reduce(mutations.recordBytes) { $0 + $1.count }, durability: durability
            ) { [bounds] applier throws(StoreError) in
                if !applier.rows.hasStarted { throw .notStarted }
                for (index, mutation) in mutations.enumerated() {
                    if case .enqueue(let draft) = mutation {
                        try applier.admit(draft, bytes: coded[index]?.count ?? 0, bounds)
                    }
                    try applier.apply(mutation, content: coded[index])
                }
                return .done
            })
    }

    public func subscribe(_ subscriber: @escaping @Sendable (StoreCommit) -> Void) -> StoreSubscription {
        feed.subscribe(subscriber)
    }

    public func settledVersion() async throws(StoreError) -> Int64 { try await database.settledVersion() }

    public func close() async {
        await files?.close()
        await received?.close()
        await maintenance.close()
        await committer.close()
        database.close()
        lock?.unlock()
    }

    /// Writes a snapshot now, or compacts the journal.
    ///
    /// - Parameter progress: called with the part that is done, from 0 to 1, after each step of a compaction.
    package func maintain(
        _ work: FileMaintenance, progress: @escaping @Sendable (_ done: Double) -> Void = { _ in }
    ) async throws(StoreError) {
        try await maintenance.perform(work == .snapshot ? .snapshot : .compaction, progress: progress)
    }

    /// For tests: the works of maintenance that have ended well, and the error of the last one that did not.
    package var maintained: (snapshots: Int, compactions: Int, failure: StoreError?) { maintenance.report }

    /// The bytes of memory in which the index holds the messages of the current account.
    package var indexBytes: Int {
        get throws(StoreError) { try database.value { $0.current.bytesCount } }
    }

    /// For tests: acts as if the disk had failed to confirm a write.
    package func requireVerification() { database.requireRepair() }

    /// For tests: delays the next commit until `requests` calls are waiting.
    package func gather(_ requests: Int) { committer.gather(requests) }
}

/// The works beside the commits that can be requested.
package enum FileMaintenance: Sendable { case snapshot, compaction }

extension [Mutation] {
    /// The size of the records among them.
    fileprivate var recordBytes: Int {
        reduce(0) { sum, mutation in
            guard case .mergeRecords(let merge) = mutation else { return sum }
            return sum + merge.records.reduce(0) { $0 + $1.value.count }
        }
    }
}

extension MutationApplier<FileRows> {
    /// - Throws: the reason to refuse a draft.
    fileprivate func admit(_ draft: OperationDraft, bytes: Int, _ bounds: OutboxBounds) throws(StoreError) {
        if let refusal = try refusal(of: draft, bytes: bytes, rows.index.current.counts, bounds) { throw refusal }
    }
}
