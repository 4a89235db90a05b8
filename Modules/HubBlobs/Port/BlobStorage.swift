package import CausewayHubRules
package import NIOCore

/// The bytes of a hub's files: complete ones (blobs), named by their SHA-256, and parts of uploads.
///
/// Their descriptions, owners and rights are rows of the hub's `MediaStorage`; this storage knows only names and bytes.
///
/// Promises of every implementation, whichever process or machine ends at any time:
///
/// 1. A length that ``BlobPart/sync()`` has returned is never undercut: the bytes up to it are there in the next run.
/// 2. A blob has the SHA-256 that it is named by, and is durable, from the return of ``BlobPart/finish(as:size:)``
///    until it is removed. It never changes.
/// 3. A part that was not finished is no blob; there is no other trace of it than its id among ``parts()``.
/// 4. A part stays until ``removePart(_:)``, also after ``BlobPart/finish(as:size:)``: the bytes of one that is missing
///    are lost. A part that was finished never changes, and can be finished again.
/// 5. No call holds more of a file in memory than the bytes that are passed to it or from it, and a buffer of constant
///    size.
///
/// Every call may come from any task; calls on one id or name come one after the other. No call blocks the thread of
/// the caller, unless it is one of the storage's own (``BlobReader/executor``). A call is not undone when its task is
/// cancelled.
package protocol BlobStorage: Sendable {
    /// Creates an empty part. It is durable with its first bytes (``BlobPart/sync()``); until then a crash may remove
    /// it.
    func createPart(_ id: UploadID) async throws(BlobStorageError)

    /// Opens a part for writing at its durable length; `nil` if there is none, or if it lost bytes. Closed by
    /// ``BlobPart/close()``.
    func openPart(_ id: UploadID) async throws(BlobStorageError) -> (any BlobPart)?

    /// Removes a part; does nothing if there is none.
    func removePart(_ id: UploadID) async throws(BlobStorageError)

    /// The time at which a part was created or last got bytes, in milliseconds since 1970; `nil` if there is none.
    func lastChange(ofPart id: UploadID) async throws(BlobStorageError) -> Int64?

    /// The ids of all parts.
    func parts() async throws(BlobStorageError) -> [UploadID]

    /// Opens a blob for reading; `nil` if there is none.
    func open(_ name: BlobName) async throws(BlobStorageError) -> (any BlobReader)?

    /// Removes a blob; does nothing if there is none. A reader that has opened it can still read it.
    func remove(_ name: BlobName) async throws(BlobStorageError)

    /// The names of all blobs whose first byte is this one: a hub has a 256th of its blobs for each.
    func names(firstByte: UInt8) async throws(BlobStorageError) -> [BlobName]

    /// Bytes that can still be stored.
    func freeBytes() async throws(BlobStorageError) -> Int64
}

/// A part that is open for writing. Its calls come one after the other.
package protocol BlobPart: Sendable {
    /// The durable length.
    var length: Int64 { get }

    /// Appends bytes after those that were appended before. They are durable after ``sync()``.
    ///
    /// After an error nothing more is appended: the part is closed, and opened again at its durable length.
    func append(_ bytes: [UInt8]) async throws(BlobStorageError)

    /// Makes all appended bytes durable.
    ///
    /// - Returns: the durable length.
    func sync() async throws(BlobStorageError) -> Int64

    /// The first bytes of the part, at most `count`, among those that were appended.
    func head(_ count: Int) async throws(BlobStorageError) -> [UInt8]

    /// Verifies size and hash, stores the bytes as a blob, durably, and closes the part. It replaces a blob of
    /// this name in one step: the disk may have lost or changed bytes of that.
    ///
    /// The part stays until ``BlobStorage/removePart(_:)``, so that a caller whose next step fails finishes it again.
    ///
    /// - Throws: `mismatch` if size or hash differ; the part is unchanged then.
    func finish(as name: BlobName, size: Int64) async throws(BlobStorageError)

    /// Releases the file. Bytes that were not synced may be lost.
    func close() async
}

/// A blob that is open for reading. Its calls come one after the other. Closed when it is released.
package protocol BlobReader: Sendable {
    /// Bytes of the blob.
    var size: Int64 { get }
    /// The executor whose threads ``read(at:count:)`` uses: a task that prefers it reads without a change of threads.
    /// `nil` if none is of use.
    var executor: (any TaskExecutor)? { get }

    /// Reads up to `count` bytes at an offset; fewer only at the end.
    ///
    /// A caller that has released the buffer before the next call saves memory: it is used again.
    func read(at offset: Int64, count: Int) async throws(BlobStorageError) -> ByteBuffer
}

/// The failure of a call to the storage of blobs. `path` names a file or a folder.
package enum BlobStorageError: Error, Sendable, Equatable {
    /// There is no room left.
    case full(path: String)
    /// The disk or the system reported an error.
    case io(path: String, detail: String)
    /// The bytes of a part do not have the size or the hash that they should have.
    case mismatch
}

extension BlobStorageError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .full(let path): "no space left for \(path); free some space"
        case .io(let path, let detail): "\(path): \(detail)"
        case .mismatch: "the bytes do not have the announced size and SHA-256"
        }
    }
}
