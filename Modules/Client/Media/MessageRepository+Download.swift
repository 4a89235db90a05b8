public import CausewayModels
import CausewayStorage
import CausewaySync
import CausewayTransport
import Synchronization

/// The files of messages.
extension MessageRepository {
    /// A local path of a message's file: the store's own copy of a file that was sent from here, or a download.
    ///
    /// A download is kept in a cache of at most ``ClientConfiguration/receivedBytesMax`` bytes, from which the file
    /// that was used least recently is removed first: open or copy the file at once, and do not change it. One that was
    /// cut continues where it ended; size and hash are verified. Concurrent calls share one download.
    ///
    /// Throws ``ClientError/messageNotFound(_:)``, ``ContentProblem/unsupported(_:)`` for a message without a file and
    /// for a server or a store without files, ``ClientError/noSession`` if the file is not here and no user is logged
    /// in, ``ClientError/transport(_:)`` if the server cannot be reached or does not have the file any longer,
    /// ``ClientError/blob(_:)``, for instance if the file here is damaged, and ``ClientError/store(_:)`` on a full
    /// disk.
    ///
    /// - Parameters:
    ///   - id: the message.
    ///   - progress: called with the number of bytes that are here, after each part, on no particular thread.
    public func file(
        of id: MessageID, progress: @escaping @Sendable (Int64) -> Void = { _ in }
    ) async throws(ClientError) -> String {
        let (attachment, type, files) = try await attachment(of: id)
        if let path = await files.path(of: attachment) { return path }
        guard let received = files.received else { throw .content(.unsupported(type)) }
        return try await file(attachment, type, in: received, progress)
    }

    /// Reads a message's file from `offset` on: from this machine if it is here, as the store's own copy or a download,
    /// else from the server, without keeping it. Cancelling the calling task ends it. The errors are those of
    /// ``file(of:progress:)``.
    ///
    /// The size is verified, the hash is not: a caller that keeps the bytes compares that of the whole file with
    /// ``Attachment/sha256``, as ``file(of:progress:)`` does.
    ///
    /// - Parameters:
    ///   - id: the message.
    ///   - offset: the number of bytes to leave out.
    ///   - body: gets the bytes in parts, in order; may suspend to slow the transfer down.
    public func readFile(
        of id: MessageID, from offset: Int64 = 0,
        to body: @Sendable (_ part: [UInt8]) async throws(TransportError) -> Void
    ) async throws(ClientError) {
        let (attachment, type, files) = try await attachment(of: id)
        if let blob = await files.reader(of: attachment) {
            return try await Self.read(blob, from: offset, to: body)
        }
        try await download(attachment, type, from: offset, to: body)
    }

    /// Passes a file's bytes from the session's server to `body`.
    private func download(
        _ attachment: Attachment, _ type: MessageType, from offset: Int64,
        to body: @Sendable (_ part: [UInt8]) async throws(TransportError) -> Void
    ) async throws(ClientError) {
        let (media, session): ((any MediaStore)?, SessionID)
        do throws(SyncError) { (media, session) = try await engine.media() } catch { throw ClientError(error) }
        guard let media else { throw .content(.unsupported(type)) }
        do throws(TransportError) {
            try await media.download(attachment, from: offset, to: body)
        } catch {
            throw ClientError(await engine.cause(of: error, in: session))
        }
    }

    private static func read(
        _ blob: any Blob, from offset: Int64, to body: @Sendable (_ part: [UInt8]) async throws(TransportError) -> Void
    ) async throws(ClientError) {
        var offset = offset
        while offset < blob.size {
            guard !Task.isCancelled else { throw ClientError(BlobError.cancelled) }
            let part: [UInt8]
            do throws(BlobError) {
                part = try await blob.read(at: offset, count: Limits.blobPartBytesMax)
                if part.isEmpty {
                    throw .damaged(path: blob.path ?? "of the message", detail: "the file ends before its size")
                }
            } catch {
                throw ClientError(error)
            }
            do throws(TransportError) { try await body(part) } catch { throw .transport(error) }
            offset += Int64(part.count)
        }
    }

    private func attachment(of id: MessageID) async throws(ClientError) -> (Attachment, MessageType, MessageFiles) {
        guard let message = try await storedMessage(id) else { throw .messageNotFound(id) }
        guard let attachment = message.content.attachment, let files else {
            throw .content(.unsupported(message.content.type))
        }
        return (attachment, message.content.type, files)
    }

    /// A file of the cache, or a download into it. Off the caller's actor, and on one thread.
    @concurrent private func file(
        _ attachment: Attachment, _ type: MessageType, in received: any ReceivedFiles,
        _ progress: @escaping @Sendable (Int64) -> Void
    ) async throws(ClientError) -> String {
        try await withTaskExecutorPreference(received.makeExecutor()) { () async throws(ClientError) in
            let part: any ReceivedPart
            do throws(BlobError) {
                if let path = try await received.path(of: attachment.sha256) { return path }
                part = try await received.begin(attachment, bytesMax: receivedBytesMax)
            } catch {
                throw ClientError(error)
            }
            let result = await download(attachment, type, to: part, progress)
            await part.end()
            return try result.get()
        }
    }

    private func download(
        _ attachment: Attachment, _ type: MessageType, to part: any ReceivedPart,
        _ progress: @escaping @Sendable (Int64) -> Void
    ) async -> Result<String, ClientError> {
        if part.length < attachment.size {
            let problem = DownloadProblem()
            do throws(ClientError) {
                try await download(attachment, type, from: part.length) { bytes throws(TransportError) in
                    do throws(BlobError) {
                        try await part.append(bytes)
                    } catch {
                        problem.set(error)
                        throw .notSent(code: "fileNotStored", detail: error.description)
                    }
                    progress(part.length)
                }
            } catch {
                if let problem = problem.error { return .failure(ClientError(problem)) }
                return .failure(error)
            }
        }
        do throws(BlobError) {
            return .success(try await part.finish())
        } catch {
            return .failure(ClientError(error))
        }
    }
}

/// The reason why a part could not be stored.
private final class DownloadProblem: Sendable {
    private let stored = Mutex(BlobError?.none)

    var error: BlobError? { stored.withLock { $0 } }

    func set(_ error: BlobError) { stored.withLock { $0 = error } }
}
