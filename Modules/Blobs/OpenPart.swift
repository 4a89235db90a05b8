internal import CausewayModels
internal import CausewayStorage
internal import CausewaySystem
import Synchronization

/// A file that is being downloaded into a ``ReceivedFolder``.
final class OpenPart: ReceivedPart {
    private struct State {
        var length: Int64
        /// Whether the file was verified, and has its name.
        var isComplete = false
        var isEnded = false
    }

    private let attachment: Attachment
    /// `nil` if the file is complete.
    private let file: OpenFile?
    private let state: Mutex<State>
    /// The hash of the file's beginning. Locked while bytes are hashed, on a thread that may block. A download from the
    /// first byte on is not read again.
    private let digest = Mutex(BlobDigest())
    private let folder: ReceivedFolder
    private let queues: BlockingQueues

    init(
        _ attachment: Attachment, _ file: OpenFile?, length: Int64, _ folder: ReceivedFolder, _ queues: BlockingQueues
    ) {
        self.attachment = attachment
        self.file = file
        state = Mutex(State(length: length))
        self.folder = folder
        self.queues = queues
    }

    var length: Int64 { state.withLock { $0.length } }

    func append(_ bytes: [UInt8]) async throws(BlobError) {
        guard let file else { return }
        let path = folder.path
        try await queues.perform { [self] () throws(BlobError) in
            let offset = length
            do throws(SystemError) {
                try file.writeAll(bytes, at: offset)
            } catch {
                throw BlobFolder.failure(error, at: path)
            }
            digest.withLock { digest in
                // The beginning of a file that was here before is read at the end.
                if digest.bytesCount == offset { digest.update(bytes) }
            }
            state.withLock { $0.length = offset + Int64(bytes.count) }
        }
    }

    func finish() async throws(BlobError) -> String {
        guard let file else { return folder.file(attachment.sha256) }
        return try await queues.perform { [self] () throws(BlobError) in
            guard length == attachment.size, try hash(of: file) == attachment.sha256 else {
                folder.discard(attachment.sha256)
                state.withLock { $0.length = 0 }
                throw .damaged(
                    path: folder.path, detail: "the downloaded file is not the one that the message names; try again")
            }
            let path = try folder.complete(attachment)
            state.withLock { $0.isComplete = true }
            return path
        }
    }

    /// The hash of the whole file, of which only bytes are read that were not hashed yet.
    private func hash(of file: OpenFile) throws(BlobError) -> String {
        do throws(SystemError) {
            return try digest.withLock { digest throws(SystemError) in
                try digest.updateToEnd(of: file)
                return digest.sha256
            }
        } catch {
            throw BlobFolder.failure(error, at: folder.path)
        }
    }

    func end() async {
        let ended = state.withLock { state in
            defer { state.isEnded = true }
            return state
        }
        guard !ended.isEnded else { return }
        guard file != nil else { return folder.unused(attachment.sha256) }
        folder.ended(attachment.sha256, length: ended.length, isComplete: ended.isComplete)
    }
}
