public import CausewayModels

/// The port to the files of media messages: the store's own copies, named by their hash.
///
/// A file is copied in when its message is created, and belongs to that message from then on: it does not matter what
/// happens to the source afterwards. A blob is kept as long as a *reference*, a message of an account, holds it; a
/// message may hold several.
///
/// Promises of every implementation, which `BlobStoreConformance` checks:
///
/// 1. **Complete or absent.** ``add(fileAt:for:bytesMax:)`` returns when the copy is complete, hashed and, with
///    `durability == full`, on the disk; after an error nothing of the file remains.
/// 2. **One copy.** Equal files are one blob, however often they are added. It goes with its last reference.
/// 3. **Constant memory.** At most ``Limits/blobPartBytesMax`` bytes of a file are in memory at a time.
/// 4. **Bounded.** A file beyond `bytesMax` or the store's own limits is refused before anything of it is copied, and
///    nothing old is removed for it.
/// 5. **Readers are undisturbed.** An open ``Blob`` remains readable after its last reference is gone.
///
/// The order that a creator keeps: add the file, then enqueue the message, and release the reference if that fails. A
/// crash between the steps leaves a reference without a message, which the next sweep finds (``references(of:)``).
public protocol BlobStore: Sendable {
    /// Copies a file, and describes it.
    ///
    /// - Parameters:
    ///   - path: the file; a link is followed. It is not changed.
    ///   - reference: the message that will hold the blob.
    ///   - bytesMax: the largest file to accept, as far as the caller knows of a limit.
    /// - Returns: the description: type, dimensions, size and hash come from the bytes, the name from the path. Without
    ///   a preview.
    ///
    /// Throws ``BlobError/cancelled`` soon after the calling task was cancelled.
    func add(
        fileAt path: String, for reference: BlobReference, bytesMax: Int64
    ) async throws(BlobError) -> Attachment

    /// Makes an empty file for bytes that have no path yet, which is then added by its path. Throws
    /// ``BlobError/notAccessible(path:detail:)`` if the store keeps no files on a disk.
    func makeIncomingFile() async throws(BlobError) -> any IncomingFile

    /// Opens the blob with this hash; throws ``BlobError/missing(sha256:)`` if there is none.
    func open(_ sha256: String) async throws(BlobError) -> any Blob

    /// Releases references, and removes the blobs that none holds any longer. Does nothing for an unknown reference.
    func release(_ references: [BlobReference]) async throws(BlobError)

    /// The messages of an account that hold a blob, in no order. Cost: linear in the references.
    func references(of account: Account) async throws(BlobError) -> [BlobReference]

    /// The number of blobs and their bytes.
    func usage() async throws(BlobError) -> BlobUsage

    /// Completes waiting calls, then closes. All later calls throw ``BlobError/closed``. May be called twice.
    func close() async
}

extension BlobStore {
    /// Default for stores without a disk.
    public func makeIncomingFile() async throws(BlobError) -> any IncomingFile {
        throw .notAccessible(path: "the store", detail: "it has no folder for files without a path")
    }
}

/// A file that is being received, and has no other name than its path; used by one task. One that is never removed is
/// removed when the store is opened again.
public protocol IncomingFile: Sendable {
    /// The path of the file on the disk, by which it is added to the store.
    var path: String { get }
    /// Writes bytes at the end of the file. If it throws, the file is incomplete, and must be removed.
    func append(_ bytes: [UInt8]) async throws(BlobError)
    /// Removes the file; may be called again.
    func remove() async
}

/// The holder of a blob: a message of an account.
public struct BlobReference: Sendable, Hashable {
    /// The account of the message.
    public let account: Account
    /// The message that holds the blob.
    public let message: MessageID

    /// Creates a reference; it holds nothing before it is passed to a store.
    public init(account: Account, message: MessageID) {
        self.account = account
        self.message = message
    }
}

/// A blob that is open for reading.
public protocol Blob: Sendable {
    /// The size in bytes.
    var size: Int64 { get }
    /// The path of the file, for reading only; valid while the blob is in its store. `nil` if it is not on a disk.
    var path: String? { get }
    /// Reads bytes from an offset, at most `count` and at most ``Limits/blobPartBytesMax``; fewer only at the end.
    ///
    /// Throws ``BlobError/damaged(path:detail:)`` if the file ends before its size, or cannot be read.
    func read(at offset: Int64, count: Int) async throws(BlobError) -> [UInt8]
}

/// The space that blobs occupy.
public struct BlobUsage: Sendable, Hashable {
    /// The number of blobs.
    public var blobs: Int
    /// The bytes of all blobs.
    public var bytes: Int64

    /// Creates a usage; see the properties.
    public init(blobs: Int, bytes: Int64) {
        self.blobs = blobs
        self.bytes = bytes
    }
}

/// The capacity of a blob store; beyond it a file is refused and nothing old is removed.
public struct BlobBounds: Sendable, Hashable {
    /// The maximum size of one file, in bytes.
    public var fileBytesMax: Int64
    /// The maximum size of all blobs together, in bytes.
    public var bytesMax: Int64
    /// The maximum number of blobs, of all accounts.
    public var blobsMax: Int

    /// Creates a capacity: by default ``Limits/fileBytesMax`` for one file, and 64 GiB in 250,000 blobs for all.
    public init(
        fileBytesMax: Int64 = Limits.fileBytesMax, bytesMax: Int64 = 64 << 30, blobsMax: Int = 250_000
    ) {
        self.fileBytesMax = fileBytesMax
        self.bytesMax = bytesMax
        self.blobsMax = blobsMax
    }
}
