internal import CausewayHubRules
internal import CausewaySystem
internal import CausewayTLS
internal import Synchronization

/// A part of an upload in a ``HubBlobFolder``.
///
/// It hashes the bytes as they are appended. Its hash survives ``close()`` in memory; after a restart of the hub, or of
/// a part that was not used for long, ``finish(as:size:)`` reads the file again.
///
/// A part whose file has a second name was finished: that name is, or was, the one of a blob. All of its bytes were
/// synced before, whatever length its own name has. It is opened for reading alone, because a write would change the
/// blob.
final class FolderPart: BlobPart {
    private struct State: ~Copyable {
        /// Open while the part is.
        var file: OpenFile?
        /// Bytes that were appended.
        var written: Int64
        /// Bytes that are durable, and in the name of the file.
        var durable: Int64
        /// The hash of all bytes up to `written`, if `isHashed`.
        var hash = SHA256Stream()
        var isHashed: Bool
        /// True after an error: the bytes after `durable` are unknown.
        var hasFailed = false
    }

    /// Bytes that are read at a time when a file is hashed again.
    private static let rehashedBytes = 256 * 1024

    let id: UploadID
    private let folder: HubBlobFolder
    private let state: Mutex<State>

    init(_ id: UploadID, length: Int64, in folder: HubBlobFolder) {
        self.id = id
        self.folder = folder
        state = Mutex(State(written: length, durable: length, isHashed: length == 0))
    }

    var length: Int64 { state.withLock { $0.durable } }

    private func path(_ durable: Int64) -> String {
        folder.partsFolder + "/" + HubBlobFolder.name(of: id, length: durable)
    }

    /// Opens the file and cuts the bytes after the durable ones, unless the part was finished. Blocks.
    ///
    /// - Returns: false if the file is gone, or shorter than it was.
    func open() throws(BlobStorageError) -> Bool {
        let path = path(length)
        return try state.withLock { state throws(BlobStorageError) in
            do throws(SystemError) {
                let status = try FileStatus(of: path, followsLink: false)
                let found = status.bytesCount
                guard status.kind == .file, found >= state.durable else { return false }
                let isFinished = status.linksCount > 1
                let file = try OpenFile(path, for: isFinished ? .reading : .readingAndWriting, .noLink)
                if found > state.durable {
                    if isFinished {
                        try rename(&state, to: found)
                        state.written = found
                        state.isHashed = false
                    } else {
                        try file.truncate(to: state.durable)
                    }
                }
                state.file = file
                return true
            } catch {
                if error.isNotFound { return false }
                throw HubBlobFolder.classified(error, path)
            }
        }
    }

    func append(_ bytes: [UInt8]) async throws(BlobStorageError) {
        try await changing { [folder] state throws(SystemError) in
            guard let file = state.file else { return }
            try folder.inject(.write)
            var count = 0
            while count < bytes.count {
                let rest = count == 0 ? bytes : Array(bytes[count...])
                count += try file.write(rest, at: state.written + Int64(count))
            }
            if state.isHashed { state.hash.update(bytes) }
            state.written += Int64(bytes.count)
        }
    }

    func sync() async throws(BlobStorageError) -> Int64 {
        try await changing { [self] state throws(SystemError) in try sync(&state) }
        return length
    }

    private func sync(_ state: inout State) throws(SystemError) {
        guard let file = state.file, state.written > state.durable else { return }
        try folder.inject(.sync)
        try file.syncData()
        let written = state.written
        try rename(&state, to: written)
    }

    /// Changes the durable length, and with it the name of the file.
    ///
    /// - Parameter length: the bytes that were synced.
    private func rename(_ state: inout State, to length: Int64) throws(SystemError) {
        let renamed = path(length)
        try FileSystem.rename(path(state.durable), to: renamed)
        do throws(SystemError) {
            try FileSystem.syncFolder(folder.partsFolder)
        } catch {
            // The length is that of the old name or of the new one: the part cannot be continued.
            folder.forget(id)
            try? FileSystem.remove(renamed)
            throw error
        }
        state.durable = length
        folder.note(state.durable, of: id)
    }

    func head(_ count: Int) async throws(BlobStorageError) -> [UInt8] {
        try await changing { state throws(SystemError) in
            try state.file?.bytes(at: 0, count: Int(min(Int64(count), state.written))) ?? []
        }
    }

    func finish(as name: BlobName, size: Int64) async throws(BlobStorageError) {
        let hash = try await changing { state throws(SystemError) in
            guard state.written == size, let file = state.file else { return [UInt8]() }
            if state.isHashed { return state.hash.digest() }
            var hash = SHA256Stream()
            var offset: Int64 = 0
            while offset < size {
                let bytes = try file.bytes(at: offset, count: Int(min(Int64(Self.rehashedBytes), size - offset)))
                guard !bytes.isEmpty else { return [] }
                hash.update(bytes)
                offset += Int64(bytes.count)
            }
            return hash.digest()
        }
        guard hash == name.bytes else { throw .mismatch }
        try await changing { [self] state throws(SystemError) in
            guard let file = state.file else { return }
            try folder.inject(.sync)
            try file.syncData()
            try folder.addBlob(name, from: path(state.durable), id)
        }
        await close()
    }

    func close() async {
        let isWhole = state.withLock { state in
            state.file = nil
            return !state.hasFailed && state.written == state.durable && state.isHashed
        }
        if isWhole { folder.keep(self) }
    }

    /// Runs a blocking step on a thread of the folder. After an error no further step is run.
    private func changing<Value: Sendable>(
        _ body: @escaping @Sendable (inout State) throws(SystemError) -> Value
    ) async throws(BlobStorageError) -> Value {
        try await folder.perform { [self] () throws(BlobStorageError) in
            try state.withLock { state throws(BlobStorageError) in
                let path = path(state.durable)
                guard !state.hasFailed else { throw BlobStorageError.io(path: path, detail: "an earlier write failed") }
                do throws(SystemError) {
                    return try body(&state)
                } catch {
                    state.hasFailed = true
                    throw HubBlobFolder.classified(error, path)
                }
            }
        }
    }
}
