public import CausewayModels

/// A server's store of attachments: files that are named by their hash, and transferred in parts.
///
/// **Order of an upload.** ``begin(_:)`` names a session; the caller commits the session before the first byte, so that
/// a crash resumes it. ``offset(of:)`` returns the place to continue. ``send(_:to:from:progress:)`` transfers the rest
/// and returns the receipt; the caller commits the receipt together with the message's transition, and uploads nothing
/// twice.
///
/// Promises of every implementation:
///
/// 1. An offset once reported is never undercut: the server has those bytes, even after a crash or a power cut.
/// 2. A new request for a session ends the older one: there is no lock to wait for.
/// 3. A receipt means that the server has verified size and hash. A file whose bytes do not match is
///    ``TransportError/refused(code:detail:)`` with the code `hashMismatch`, and its session is gone.
/// 4. No file is held in memory, however large it is: an upload reads parts of at most ``partBytesMax`` bytes, few of
///    which are under way; of a download a bounded number of bytes waits for the caller (2 MiB over HTTP).
/// 5. Errors are classified as for ``Transport``. `unreachable`, `inDoubt`, `transient` and `rateLimited` leave the
///    session usable; `refused` ends it.
/// 6. Calls end soon after their task was cancelled; a cancelled upload keeps its session.
public protocol MediaStore: Sendable {
    /// Bytes that an upload reads of a file at a time.
    var partBytesMax: Int { get }
    /// Bytes of the largest file that the server accepts; checked when the message is created.
    var fileBytesMax: Int64 { get }

    /// Opens an upload, or finds that the server has the file already and the account may use it.
    func begin(_ file: Attachment) async throws(TransportError) -> UploadStart

    /// Opens an upload like ``begin(_:)``, and may transfer a small file in the same request, unless the server has
    /// it: the result is then ``UploadStart/present(_:)``. After a failure the caller uses ``begin(_:)``, of which a
    /// session remains.
    ///
    /// - Parameter source: the file's bytes; `nil` to transfer none.
    func begin(_ file: Attachment, from source: (any ByteSource)?) async throws(TransportError) -> UploadStart

    /// The number of bytes that the server has of a session.
    ///
    /// Throws ``TransportError/refused(code:detail:)`` with the code `sessionUnknown` if the session has expired: the
    /// upload begins again.
    func offset(of session: UploadSession) async throws(TransportError) -> Int64

    /// Transfers the bytes from `offset` to the end.
    ///
    /// - Parameters:
    ///   - offset: as reported by ``offset(of:)``, or 0 for a new session.
    ///   - source: the file's bytes; read from `offset` on, in order.
    ///   - progress: called with the number of bytes that the server has; never decreases, and is called at most once
    ///     for each part. Called on no particular thread; must return quickly.
    func send(
        _ source: any ByteSource, to session: UploadSession, from offset: Int64,
        progress: @escaping @Sendable (Int64) -> Void
    ) async throws(TransportError) -> UploadReceipt

    /// Cancels an upload whose message was deleted. The server collects sessions that are never cancelled.
    func cancel(_ session: UploadSession) async throws(TransportError)

    /// Reads an attachment from `offset` on; `body` gets its bytes in parts, in order, and may suspend to slow the
    /// transfer down.
    ///
    /// Returns after the last byte of `file`, never with fewer or more. The bytes are not compared with the hash, which
    /// covers the whole file: the caller does that, however many calls the file took.
    func download(
        _ file: Attachment, from offset: Int64,
        to body: @Sendable (_ part: [UInt8]) async throws(TransportError) -> Void
    ) async throws(TransportError)
}

extension MediaStore {
    /// Default for servers that transfer files in requests of their own.
    public func begin(
        _ file: Attachment, from source: (any ByteSource)?
    ) async throws(TransportError) -> UploadStart {
        try await begin(file)
    }
}

/// The bytes of a local file, which do not change while it is uploaded; implemented over a store's blobs. A transport
/// reads it from one task at a time, at any offset, some parts more than once.
public protocol ByteSource: Sendable {
    /// Reads up to `count` bytes at an offset; fewer only at the end of the file.
    ///
    /// Throws ``TransportError/notSent(code:detail:)`` if the file cannot be read.
    func read(at offset: Int64, count: Int) async throws(TransportError) -> [UInt8]
}
