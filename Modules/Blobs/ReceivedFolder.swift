package import CausewayModels
package import CausewayStorage
internal import CausewaySystem
import Synchronization

/// A folder of downloaded files, beside a store's database.
///
/// | name | is |
/// | --- | --- |
/// | `HASH` | a complete file: 64 hexadecimal digits of its SHA-256 |
/// | `HASH.part` | the beginning of a file |
/// | `removed-NUMBER` | a file that is being removed |
///
/// The names in the folder are the whole state; the index in memory is read from them at the first call, and orders
/// files of earlier runs by the time of their last change.
///
/// Nothing is synced: the server has every file. After a loss of power a file may have its name and not its content, so
/// a complete file of an earlier run is read and verified before its first use, and removed if it is damaged.
///
/// **Shared state.** One lock guards the index, the waiters, and the moment at which a removed file loses its name: the
/// same file can be downloaded again from then on, while its bytes are freed. The lock is held for a few renames at
/// most, never for reading, writing or removing. Files are read, written and hashed on threads of their own.
package final class ReceivedFolder: ReceivedFiles {
    private struct State {
        var index = ReceivedIndex()
        var isRead = false
        var isClosed = false
        /// Complete files of earlier runs that were not read yet. After the first call only a verification changes it.
        var unverified: Set<String> = []
        /// Files under way that are removed when they end.
        var unwanted: Set<String> = []
        /// The number of the last file of this run that lost its name.
        var lastNumber = 0
        /// Work under way, and the calls that wait for each.
        var turns: [Turn: [CheckedContinuation<Void, Never>]] = [:]
    }

    /// Work on a file that one call does at a time.
    private enum Turn: Hashable {
        case download(String)
        case verification(String)
    }

    /// The path of the folder; created with the first file.
    package let path: String
    private let state = Mutex(State())
    private let queues = BlockingQueues("causeway received", threads: 2)
    private let beforeRemoval: (@Sendable () -> Void)?

    /// - Parameters:
    ///   - path: of a folder that need not exist. Only the process that owns the store may use it.
    ///   - beforeRemoval: called before each removal of a file, which has lost its name; only tests set it.
    package init(at path: String, beforeRemoval: (@Sendable () -> Void)? = nil) {
        self.path = path
        self.beforeRemoval = beforeRemoval
    }

    package func makeExecutor() -> (any TaskExecutor)? { queues.makeExecutor() }

    package func path(of sha256: String) async throws(BlobError) -> String? {
        guard Attachment.isHash(sha256) else { return nil }
        return try await performVerified(sha256) {
            guard FileSystem.exists(self.file(sha256)) else { return nil }
            return self.state.withLock { $0.index.use(sha256) } ? self.file(sha256) : nil
        }
    }

    package func open(_ attachment: Attachment) async throws(BlobError) -> (any Blob)? {
        guard let path = try await path(of: attachment.sha256) else { return nil }
        return try await queues.perform { () throws(BlobError) in
            try OpenBlob(path, size: attachment.size, self.queues)
        }
    }

    package func begin(_ attachment: Attachment, bytesMax: Int64) async throws(BlobError) -> any ReceivedPart {
        guard Attachment.isHash(attachment.sha256), attachment.size >= 0 else {
            throw .missing(sha256: attachment.sha256)
        }
        await takeTurn(.download(attachment.sha256))
        do throws(BlobError) {
            return try await performVerified(attachment.sha256) { () throws(BlobError) in
                try self.open(attachment, bytesMax)
            }
        } catch {
            releaseTurn(.download(attachment.sha256))
            throw error
        }
    }

    package func remove(_ sha256s: Set<String>) async throws(BlobError) {
        try await queues.perform { () throws(BlobError) in
            try self.readFolder()
            for sha256 in sha256s where Attachment.isHash(sha256) {
                let aside = self.state.withLock { state in
                    state.turns[.download(sha256)] == nil ? self.moveAside([sha256], &state) : []
                }
                self.removeMoved(aside)
            }
        }
    }

    package func removeAll() async throws(BlobError) {
        try await queues.perform { () throws(BlobError) in
            try self.readFolder()
            let aside = self.state.withLock { state in
                let (removed, underWay) = state.index.removeAll()
                state.unwanted.formUnion(underWay)
                return self.moveAside(removed, &state)
            }
            self.removeMoved(aside)
        }
    }

    package func close() async {
        state.withLock { $0.isClosed = true }
        await queues.drain()
    }

    // MARK: - Downloads

    private func open(_ attachment: Attachment, _ bytesMax: Int64) throws(BlobError) -> OpenPart {
        let sha256 = attachment.sha256
        if FileSystem.exists(file(sha256)), state.withLock({ $0.index.use(sha256) }) {
            return OpenPart(attachment, nil, length: attachment.size, self, queues)
        }
        let aside = state.withLock { state -> [String]? in
            guard let removed = state.index.begin(sha256, size: attachment.size, bytesMax: bytesMax)
            else { return nil }
            return moveAside(removed, &state)
        }
        guard let aside else { throw .storageFull(bytes: attachment.size, limit: bytesMax) }
        removeMoved(aside)
        do throws(SystemError) {
            let part = try openPart(sha256)
            var length = try part.status().bytesCount
            if length > attachment.size {
                try part.truncate(to: 0)
                length = 0
            }
            return OpenPart(attachment, part, length: length, self, queues)
        } catch {
            state.withLock { $0.index.remove(sha256) }
            throw BlobFolder.failure(error, at: partPath(sha256))
        }
    }

    private func openPart(_ sha256: String) throws(SystemError) -> OpenFile {
        do throws(SystemError) {
            return try OpenFile(partPath(sha256), for: .readingAndWriting, [.create, .noLink])
        } catch {
            guard error.isNotFound else { throw error }
        }
        do throws(SystemError) { try FileSystem.makeFolder(path) } catch { if !error.isExisting { throw error } }
        return try OpenFile(partPath(sha256), for: .readingAndWriting, [.create, .noLink])
    }

    /// Gives a verified file its name. Blocks the thread.
    func complete(_ attachment: Attachment) throws(BlobError) -> String {
        let target = file(attachment.sha256)
        do throws(SystemError) {
            try FileSystem.rename(partPath(attachment.sha256), to: target)
        } catch {
            throw BlobFolder.failure(error, at: target)
        }
        return target
    }

    /// Removes what was downloaded of a file. Blocks the thread.
    func discard(_ sha256: String) { try? FileSystem.removeIfPresent(partPath(sha256)) }

    /// The download has ended.
    ///
    /// - Parameters:
    ///   - length: the bytes that are kept.
    ///   - isComplete: whether the file has its name; it may be empty.
    func ended(_ sha256: String, length: Int64, isComplete: Bool) {
        let aside = state.withLock { state -> [String] in
            if state.unwanted.remove(sha256) != nil { return moveAside([sha256], &state) }
            if isComplete || length > 0 {
                state.index.end(sha256, size: length)
            } else {
                state.index.remove(sha256)
            }
            return []
        }
        removeMoved(aside)
        releaseTurn(.download(sha256))
    }

    /// The download was not needed.
    func unused(_ sha256: String) { releaseTurn(.download(sha256)) }

    private func takeTurn(_ turn: Turn) async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.turns[turn] != nil {
                    state.turns[turn]?.append(continuation)
                    return false
                }
                state.turns[turn] = []
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    private func releaseTurn(_ turn: Turn) {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.turns[turn]?.isEmpty == false else {
                state.turns[turn] = nil
                return nil
            }
            return state.turns[turn]?.removeFirst()
        }
        next?.resume()
    }

    // MARK: - Files of earlier runs

    /// Performs a blocking call with a file that was verified if it is one of an earlier run.
    private func performVerified<Value: Sendable>(
        _ sha256: String, _ body: @escaping @Sendable () throws(BlobError) -> Value
    ) async throws(BlobError) -> Value {
        while true {
            // Once only: a file becomes verified, and stays so.
            let value = try await queues.perform { () throws(BlobError) -> Value? in
                try self.readFolder()
                return self.state.withLock { $0.unverified.contains(sha256) } ? nil : try body()
            }
            if let value { return value }
            await verify(sha256)
        }
    }

    /// Reads a complete file of an earlier run before its first use, and removes it if it is damaged.
    private func verify(_ sha256: String) async {
        await takeTurn(.verification(sha256))
        defer { releaseTurn(.verification(sha256)) }
        await queues.perform {
            // Another call may have read it meanwhile.
            guard self.state.withLock({ $0.unverified.contains(sha256) }) else { return }
            if (try? Self.hash(ofFileAt: self.file(sha256))) != sha256 {
                let aside = self.state.withLock { state in self.moveAside([sha256], &state) }
                self.removeMoved(aside)
            }
            self.state.withLock { _ = $0.unverified.remove(sha256) }
        }
    }

    private static func hash(ofFileAt path: String) throws(SystemError) -> String {
        var digest = BlobDigest()
        try digest.updateToEnd(of: try OpenFile(path, for: .reading, .noLink))
        return digest.sha256
    }

    // MARK: - Names

    func file(_ sha256: String) -> String { path + "/" + sha256 }

    private func partPath(_ sha256: String) -> String { file(sha256) + Self.partSuffix }

    private static let partSuffix = ".part"

    private static let asidePrefix = "removed-"

    /// Takes files out of the index, and their names from what the folder has of them.
    ///
    /// - Returns: the paths of the files to remove.
    private func moveAside(_ sha256s: [String], _ state: inout State) -> [String] {
        var moved: [String] = []
        for sha256 in sha256s {
            state.index.remove(sha256)
            for path in [file(sha256), partPath(sha256)] {
                let aside = file(Self.asidePrefix + String(state.lastNumber + 1))
                // Mostly there is one of them. What cannot be renamed is found by the next run.
                guard (try? FileSystem.rename(path, to: aside)) != nil else { continue }
                state.lastNumber += 1
                moved.append(aside)
            }
        }
        return moved
    }

    /// Removes files that have lost their names. The bytes of a large one take a while to free.
    private func removeMoved(_ aside: [String]) {
        for path in aside {
            beforeRemoval?()
            try? FileSystem.removeIfPresent(path)
        }
    }

    /// Reads the names at the first call. Blocks the thread.
    private func readFolder() throws(BlobError) {
        let isRead = try state.withLock { state throws(BlobError) in
            guard !state.isClosed else { throw .closed }
            return state.isRead
        }
        guard !isRead else { return }
        var found: [(sha256: String, status: FileStatus)] = []
        var complete: Set<String> = []
        do throws(SystemError) {
            for name in try FileSystem.names(in: path) {
                if name.hasPrefix(Self.asidePrefix) { try? FileSystem.removeIfPresent(path + "/" + name) }
                let sha256 = name.hasSuffix(Self.partSuffix) ? String(name.dropLast(Self.partSuffix.count)) : name
                guard Attachment.isHash(sha256),
                    let status = try? FileStatus(of: path + "/" + name, followsLink: false), status.kind == .file
                else { continue }
                found.append((sha256, status))
                if sha256 == name { complete.insert(name) }
            }
        } catch {
            guard error.isNotFound else { throw .notAccessible(path: path, detail: error.description) }
        }
        found.sort { $0.status.version.isBefore($1.status.version) }
        state.withLock { state in
            guard !state.isRead else { return }
            state.isRead = true
            for file in found { state.index.insert(file.sha256, size: file.status.bytesCount) }
            state.unverified = complete
        }
    }
}
