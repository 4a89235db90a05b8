package import CausewayModels
package import CausewayStorage
internal import CausewaySystem
internal import CausewayTLS
import Synchronization

/// A folder of blobs, beside a store's database.
///
/// The names in the folder are the whole state (``BlobFileName``): blobs, and references as empty files beside them.
/// The index in memory is read from them when the folder is opened, which also removes incomplete copies, blobs without
/// a reference and references without a blob.
///
/// **A copy** is made under a name of its own, hashed from the same bytes, synced and only then renamed to its hash,
/// after its reference was created; the folder is synced last. A crash at any point leaves something that the next
/// opening removes, or a complete blob with its reference. Where the file system can share blocks, a copy takes no
/// space until the source changes.
///
/// **Shared state.** One lock guards the index and every change of a name that the index lists, so that both never
/// differ for another call. It is held for a few system calls, never for reading, writing or syncing. Copies and reads
/// run on threads of their own.
///
/// Only the process that owns the store may open the folder.
package final class BlobFolder: BlobStore {
    struct State {
        var index: BlobIndex
        /// Calls that copy or wait to.
        var addsCount = 0
        /// The number of the last incomplete file of this run.
        var lastNumber = 0
        var hasFolder: Bool
        var isClosed = false
        /// The works under way during which nothing may be removed.
        var holdsCount = 0
        /// References that are to be released when the last of them has ended, unless they are added again before.
        var deferred: Set<BlobIndex.Key> = []
    }

    /// The path of the folder; created with the first blob.
    package let path: String
    let options: BlobOptions
    let state: Mutex<State>
    private let copies: BlockingQueues
    private let reads: BlockingQueues

    /// Opens a folder, which need not exist. Blocks the thread; linear in the number of files.
    package init(at path: String, options: BlobOptions = BlobOptions()) throws(BlobError) {
        self.path = path
        self.options = options
        let contents = try BlobFolderContents(of: path, bounds: options.bounds)
        state = Mutex(State(index: contents.index, hasFolder: contents.hasFolder))
        copies = BlockingQueues("blob copies", threads: options.copyThreads)
        reads = BlockingQueues("blob reads", threads: options.readThreads)
    }

    package func add(
        fileAt path: String, for reference: BlobReference, bytesMax: Int64
    ) async throws(BlobError) -> Attachment {
        try enterAdd()
        defer { state.withLock { $0.addsCount -= 1 } }
        let key = Self.key(reference)
        let isCancelled = Flag()
        let result: Result<Attachment, BlobError> = await withTaskCancellationHandler {
            do throws(BlobError) {
                return .success(
                    try await copies.perform { () throws(BlobError) in
                        try self.copy(path, for: key, bytesMax: bytesMax, isCancelled)
                    })
            } catch {
                return .failure(error)
            }
        } onCancel: {
            isCancelled.set()
        }
        return try result.get()
    }

    private func enterAdd() throws(BlobError) {
        try state.withLock { state throws(BlobError) in
            guard !state.isClosed else { throw .closed }
            guard state.addsCount < options.addsMax else { throw .busy(limit: options.addsMax) }
            state.addsCount += 1
        }
    }

    package func makeIncomingFile() async throws(BlobError) -> any IncomingFile {
        _ = try await usage()
        return try await copies.perform { [copies] () throws(BlobError) in
            let made = try self.makeIncomplete()
            return IncomingBlob(made.path, made.file, copies)
        }
    }

    package func open(_ sha256: String) async throws(BlobError) -> any Blob {
        let size = try withIndex { index in index.size(of: sha256) }
        guard let size else { throw .missing(sha256: sha256) }
        let path = file(BlobFileName.blob(sha256))
        return try await reads.perform { [reads] () throws(BlobError) in
            try OpenBlob(path, size: size, reads)
        }
    }

    package func release(_ references: [BlobReference]) async throws(BlobError) {
        guard !references.isEmpty else { return }
        let keys = references.map(Self.key)
        try await copies.perform { () throws(BlobError) in try self.release(keys) }
    }

    package func references(of account: Account) async throws(BlobError) -> [BlobReference] {
        try withIndex { index in index.messages(of: Self.key(account)) }
            .map { BlobReference(account: account, message: $0) }
    }

    package func usage() async throws(BlobError) -> BlobUsage { try withIndex { index in index.usage } }

    package func close() async {
        state.withLock { $0.isClosed = true }
        await copies.drain()
        await reads.drain()
    }

    private func withIndex<Value: Sendable>(_ body: (BlobIndex) -> Value) throws(BlobError) -> Value {
        try state.withLock { state throws(BlobError) in
            guard !state.isClosed else { throw .closed }
            return body(state.index)
        }
    }

    /// Violations of the index's invariants, for tests.
    package var violations: [String] { state.withLock { $0.index.violations } }

    // MARK: - Names

    func file(_ name: String) -> String { path + "/" + name }

    /// The name of the file that keeps a blob for a message.
    static func referenceName(_ sha256: String, _ reference: BlobReference) -> String {
        BlobFileName.reference(sha256, key(reference))
    }

    private static func key(_ reference: BlobReference) -> BlobIndex.Key {
        BlobIndex.Key(account: key(reference.account), message: reference.message)
    }

    /// A hash of the account: its name may be longer than that of a file.
    private static func key(_ account: Account) -> String {
        let digest = Digest.sha256((account.server + "\n" + account.user.description).utf8)
        return String(Hexadecimal.text(of: digest).prefix(BlobFileName.accountDigits))
    }
}

/// A mark that is set once.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
}
