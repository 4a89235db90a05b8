package import CausewayHubRules
internal import CausewayModels
internal import CausewaySystem
internal import Synchronization

/// The storage of blobs in a folder, the default.
///
/// - `ab/abcd…`: a blob, named by its SHA-256, in a folder of the first two digits.
/// - `parts/ID.LENGTH`: a part of an upload. The name has the durable length: it is changed after the bytes up to it
///   have been synced, so that a file system which extends a file before it writes its bytes cannot make a part look
///   longer than it is. Bytes beyond the length are cut when the part is opened.
/// - `parts/ID.blob`: a second name of a part's file on its way to the name of a blob, or a copy of the file where a
///   disk has no second names. A crash may leave one; it is removed when the folder is opened.
///
/// A change of a name is durable when its folder has been synced. A blob is a second name of the file of its part,
/// given after the bytes were hashed and synced: a blob is complete or not there, and the part stays until it is
/// removed.
///
/// Files and folders belong to the hub's user alone. The calls run on a queue of threads of their own, because a disk
/// may block for long.
package final class HubBlobFolder: BlobStorage {
    /// Parts whose hash is kept in memory between two requests; others are hashed again when they are finished.
    static let hashedPartsMax = 64

    private struct Parts {
        /// The durable lengths of all parts.
        var lengths: [UploadID: Int64] = [:]
        /// Closed parts, which continue their hash when they are opened again; the one that was closed last at the end.
        var hashed: [FolderPart] = []
    }

    let path: String
    let threads = BlockingThreads("causeway.hub.blobs", .concurrent)
    private let faults: BlobFaults?
    private let known = Mutex(Parts())
    /// The names of folders of blobs that are durable in their parent. At most 256, and those that do not belong here.
    let durableFolders = Mutex<Set<String>>([])

    var partsFolder: String { path + "/parts" }

    /// Opens the folder, and creates it if necessary. No other process may write to it.
    ///
    /// - Parameter faults: for tests only.
    package init(path: String, faults: BlobFaults? = nil) throws(BlobStorageError) {
        self.path = path
        self.faults = faults
        try FileSystem.makeFolders(path + "/parts") {
            BlobStorageError.io(path: $0, detail: "the folder cannot be created (\($1))")
        }
        let folders = try names(in: path)
        let parent = FileSystem.parent(of: path)
        try Self.doing(path) { () throws(SystemError) in
            try FileSystem.syncFolder(path)
            try FileSystem.syncFolder(parent.isEmpty ? "." : parent)
        }
        durableFolders.withLock { $0.formUnion(folders) }
        let partNames = try names(in: partsFolder)
        for name in partNames where name.hasSuffix(Self.temporarySuffix) {
            try? FileSystem.remove(partsFolder + "/" + name)
        }
        let parts = partNames.compactMap(Self.part)
        known.withLock { known in
            for part in parts { known.lengths[part.id] = part.length }
        }
    }

    // MARK: - Parts

    package func createPart(_ id: UploadID) async throws(BlobStorageError) {
        let path = partsFolder + "/" + Self.name(of: id, length: 0)
        try await perform { [self] () throws(BlobStorageError) in
            try Self.doing(path) { () throws(SystemError) in
                try inject(.create)
                _ = try OpenFile(path, for: .writing, [.create, .exclusive])
            }
        }
        known.withLock { $0.lengths[id] = 0 }
    }

    package func openPart(_ id: UploadID) async throws(BlobStorageError) -> (any BlobPart)? {
        let (length, kept) = known.withLock { known in
            (known.lengths[id], known.hashed.firstIndex { $0.id == id }.map { known.hashed.remove(at: $0) })
        }
        guard let length else { return nil }
        return try await perform { [self] () throws(BlobStorageError) -> FolderPart? in
            let part = kept ?? FolderPart(id, length: length, in: self)
            return try part.open() ? part : nil
        }
    }

    package func removePart(_ id: UploadID) async throws(BlobStorageError) {
        let length = known.withLock { known in
            known.hashed.removeAll { $0.id == id }
            return known.lengths[id]
        }
        guard let length else { return }
        let path = partsFolder + "/" + Self.name(of: id, length: length)
        try await perform { [self] () throws(BlobStorageError) in
            try Self.doing(path) { () throws(SystemError) in
                try inject(.remove)
                try FileSystem.removeIfPresent(path)
            }
        }
        forget(id)
    }

    package func lastChange(ofPart id: UploadID) async throws(BlobStorageError) -> Int64? {
        guard let length = known.withLock({ $0.lengths[id] }) else { return nil }
        let path = partsFolder + "/" + Self.name(of: id, length: length)
        // A part that has just got another length, and another name, is in use; the caller looks again in its turn.
        return try await perform { (try? FileStatus(of: path))?.version.milliseconds }
    }

    package func parts() async throws(BlobStorageError) -> [UploadID] { known.withLock { Array($0.lengths.keys) } }

    /// Records that a part has another durable length, and another name.
    func note(_ length: Int64, of id: UploadID) { known.withLock { $0.lengths[id] = length } }

    /// Records that a part is gone.
    func forget(_ id: UploadID) { known.withLock { $0.lengths[id] = nil } }

    /// Keeps the hash of a part that was closed after everything that was appended had been synced.
    func keep(_ part: FolderPart) {
        known.withLock { known in
            guard known.lengths[part.id] == part.length else { return }
            known.hashed.removeAll { $0.id == part.id }
            known.hashed.append(part)
            known.hashed.removeFirst(max(0, known.hashed.count - Self.hashedPartsMax))
        }
    }

    /// The end of the name that the file of a part has on its way to the name of a blob.
    static let temporarySuffix = ".blob"

    static func name(of id: UploadID, length: Int64) -> String { "\(id.text).\(length)" }

    private static func part(_ name: String) -> (id: UploadID, length: Int64)? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let id = UploadID(parts[0]), let length = Int64(parts[1]), length >= 0 else {
            return nil
        }
        return (id, length)
    }

    // MARK: - Blobs

    package func open(_ name: BlobName) async throws(BlobStorageError) -> (any BlobReader)? {
        let path = path(of: name)
        return try await perform { [self] () throws(BlobStorageError) -> FolderReader? in
            do throws(SystemError) {
                let file = try OpenFile(path, for: .reading, .noLink)
                return FolderReader(file, path: path, size: try file.status().bytesCount, in: self)
            } catch {
                if error.isNotFound { return nil }
                throw Self.classified(error, path)
            }
        }
    }

    package func remove(_ name: BlobName) async throws(BlobStorageError) {
        let path = path(of: name)
        try await perform { [self] () throws(BlobStorageError) in
            try Self.doing(path) { () throws(SystemError) in
                try inject(.remove)
                try FileSystem.removeIfPresent(path)
            }
        }
    }

    package func names(firstByte: UInt8) async throws(BlobStorageError) -> [BlobName] {
        let folder = path + "/" + Hexadecimal.text(of: [firstByte])
        return try await perform { () throws(BlobStorageError) in
            try Self.namesIfPresent(in: folder)?.compactMap { BlobName($0) } ?? []
        }
    }

    package func freeBytes() async throws(BlobStorageError) -> Int64 {
        try await perform { [path] () throws(BlobStorageError) in
            try Self.doing(path) { () throws(SystemError) in try FileSystem.freeBytes(at: path) }
        }
    }

    func path(of name: BlobName) -> String { folder(of: name) + "/" + name.text }

    func folder(of name: BlobName) -> String { path + "/" + name.text.prefix(2) }

    private func names(in folder: String) throws(BlobStorageError) -> [String] {
        try Self.doing(folder) { () throws(SystemError) in try FileSystem.names(in: folder) }
    }

    /// The names in a folder; `nil` if there is none. A folder that cannot be read is not missing.
    static func namesIfPresent(in folder: String) throws(BlobStorageError) -> [String]? {
        do throws(SystemError) { return try FileSystem.names(in: folder) } catch {
            guard error.isNotFound else { throw classified(error, folder) }
            return nil
        }
    }

    // MARK: - Threads and errors

    /// Runs a blocking call on a thread for such calls.
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable () throws(BlobStorageError) -> Value
    ) async throws(BlobStorageError) -> Value {
        try await threads.perform(body)
    }

    func inject(_ step: BlobFaults.Step) throws(SystemError) { try faults?.inject(step) }

    static func doing<Value>(
        _ path: String, _ body: () throws(SystemError) -> Value
    ) throws(BlobStorageError) -> Value {
        do throws(SystemError) {
            return try body()
        } catch {
            throw classified(error, path)
        }
    }

    static func classified(_ error: SystemError, _ path: String) -> BlobStorageError {
        error.isFull ? .full(path: path) : .io(path: path, detail: error.description)
    }
}
