public import CausewayModels

/// The port to the files of other users' messages: a cache of downloads, named by their hash.
///
/// Nothing here needs to survive: the server has every file. A download that was cut is kept, and continues where it
/// ended.
///
/// Promises of every implementation:
///
/// 1. **Verified.** A file is complete only when its size and its hash are those of the attachment. A file that a loss
///    of power damaged is missing.
/// 2. **Bounded.** The files, with those under way, have at most `bytesMax` bytes. For a new one the files that were
///    used least recently are removed; one that can never fit is refused. An open file remains readable.
/// 3. **One download of a file at a time.** A second one waits until the first has ended.
public protocol ReceivedFiles: Sendable {
    /// An executor for a task that downloads a file: with this preference (`withTaskExecutorPreference`) the calls of
    /// the cache and of its parts change no thread, which takes longer than to write some kilobytes. By default `nil`:
    /// none is of use.
    ///
    /// It may have a single thread, which calls of others use as well: such a task yields between two parts, as the
    /// transfers of this package do.
    func makeExecutor() -> (any TaskExecutor)?

    /// The path of a complete file; `nil` if it must be downloaded. Counts as a use of the file.
    func path(of sha256: String) async throws(BlobError) -> String?

    /// Opens a complete file for reading; `nil` if it must be downloaded. Counts as a use of the file, which remains
    /// readable when it is removed.
    func open(_ attachment: Attachment) async throws(BlobError) -> (any Blob)?

    /// Begins or continues a download, and makes room for it. The caller calls ``ReceivedPart/end()``.
    ///
    /// Throws ``BlobError/storageFull(bytes:limit:)`` if the file is larger than `bytesMax`, or if the downloads under
    /// way leave no room for it.
    ///
    /// - Parameter bytesMax: the limit for all files together.
    func begin(_ attachment: Attachment, bytesMax: Int64) async throws(BlobError) -> any ReceivedPart

    /// Removes complete files whose messages are no longer in the store; one that is open remains readable. Files that
    /// are being downloaded stay.
    func remove(_ sha256s: Set<String>) async throws(BlobError)

    /// Removes all files. A download that is under way goes on, and is removed when it ends.
    func removeAll() async throws(BlobError)

    /// Waits for calls under way, then closes. Later calls throw ``BlobError/closed``. May be called twice.
    func close() async
}

extension ReceivedFiles {
    /// Default for caches that use no threads of their own.
    public func makeExecutor() -> (any TaskExecutor)? { nil }

    /// Default for caches that only have paths.
    public func open(_ attachment: Attachment) async throws(BlobError) -> (any Blob)? { nil }

    /// Default for caches in which files only become old.
    public func remove(_ sha256s: Set<String>) async throws(BlobError) {}
}

/// A file that is being downloaded; used by one task.
public protocol ReceivedPart: Sendable {
    /// The bytes that are there; the whole size if another download completed the file meanwhile.
    var length: Int64 { get }

    /// Adds bytes at the end.
    func append(_ bytes: [UInt8]) async throws(BlobError)

    /// Verifies the file, and returns its path.
    ///
    /// Throws ``BlobError/damaged(path:detail:)`` if the bytes are not those of the attachment: they are removed then.
    func finish() async throws(BlobError) -> String

    /// Ends the download; unless it was finished, what is there is kept for the next one.
    func end() async
}
