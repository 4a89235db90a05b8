internal import CausewaySystem

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The data folder of a hub, and the paths in it.
package struct DataFolder: Sendable, Hashable {
    package let path: String

    package init(_ path: String) {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        self.path = path
    }

    package var database: String { path + "/hub.sqlite" }
    package var lock: String { path + "/hub.lock" }
    package var settings: String { path + "/hub.json" }
    package var authorityCertificate: String { path + "/tls/ca.pem" }
    package var authorityKey: String { path + "/tls/ca.key" }
    package var serverCertificate: String { path + "/tls/server.pem" }
    package var serverKey: String { path + "/tls/server.key" }
    /// The path to which the token of a new account is written. Names contain no `/` and are not `.` or `..`.
    package func token(of account: String) -> String { path + "/tokens/" + account + ".token" }

    package var isSetUp: Bool { Self.exists(database) }

    /// - Throws: `configuration` when another user owns the folder, or others may write into it: they could replace
    ///   keys and messages.
    func checkOwner() throws(HubError) {
        if let problem = FileAccess.problem(ofFolder: path) {
            throw .configuration("the data folder \(path) \(problem)")
        }
    }

    static func exists(_ path: String) -> Bool {
        var info = stat()
        return unsafe stat(path, &info) == 0
    }

    /// Creates a folder that only its owner may read; an existing one is unchanged.
    static func makeFolder(_ path: String) throws(HubError) {
        let parent = parent(of: path)
        if !parent.isEmpty, !exists(parent) { try makeFolder(parent) }
        guard unsafe mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        throw .io(path: path, detail: "the folder cannot be created (\(systemMessage()))")
    }

    /// Writes a new file that only its owner may read, durably. Never follows a link or replaces a file.
    static func writeSecret(_ text: String, to path: String) throws(HubError) {
        try makeFolder(parent(of: path))
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            if errno == EEXIST { throw .alreadySetUp(path: path) }
            throw .io(path: path, detail: "the file cannot be created (\(systemMessage()))")
        }
        defer { close(descriptor) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw .io(path: path, detail: "the file cannot be written (\(systemMessage()))") }
            rest = rest.dropFirst(count)
        }
        guard fsync(descriptor) == 0 else {
            throw .io(path: path, detail: "the file cannot be synced to the disk (\(systemMessage()))")
        }
    }

    /// Appends to a file that only its owner may read; creates it if necessary.
    package static func append(_ bytes: some Sequence<UInt8>, to path: String) throws(HubError) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw .io(path: path, detail: "the file cannot be opened (\(systemMessage()))")
        }
        defer { close(descriptor) }
        // One call, so that the lines of two processes do not interleave.
        let all = Array(bytes)
        let count = unsafe all.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        guard count == all.count else {
            throw .io(path: path, detail: "the file cannot be written (\(systemMessage()))")
        }
    }

    static func rename(_ path: String, to target: String) throws(HubError) {
        guard systemRename(path, target) != 0 else { return }
        throw .io(path: target, detail: "the file cannot be replaced (\(systemMessage()))")
    }

    /// Gives a file a second name.
    static func link(_ path: String, to target: String) throws(HubError) {
        guard systemLink(path, target) != 0 else { return }
        throw .io(path: target, detail: "the file cannot be kept (\(systemMessage()))")
    }

    /// Makes a file, or the names in a folder, durable.
    static func sync(_ path: String) throws(HubError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .io(path: path, detail: "it cannot be opened (\(systemMessage()))") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else {
            throw .io(path: path, detail: "it cannot be synced to the disk (\(systemMessage()))")
        }
    }

    static func isSameFile(_ path: String, _ other: String) -> Bool {
        var first = stat()
        var second = stat()
        guard unsafe stat(path, &first) == 0, unsafe stat(other, &second) == 0 else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    static func remove(_ path: String) { _ = unsafe unlink(path) }

    /// The system's description of the last failed call.
    static func systemMessage() -> String { message(of: errno) }

    static func message(of code: Int32) -> String { unsafe String(cString: strerror(code)) }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "" }
        return String(path[..<slash])
    }
}

/// The right to serve from a data folder, held by one process until it ends or releases it.
///
/// An advisory lock on `hub.lock`, which contains the owner's process id for the operator. The account and channel
/// commands do not need it: each of them is one transaction of the database.
package final class DataFolderLock: Sendable {
    private let descriptor: Int32

    /// - Throws: `HubError.inUse` with the owner's process id.
    package init(_ folder: DataFolder) throws(HubError) {
        let descriptor = unsafe open(folder.lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .io(path: folder.lock, detail: "the lock cannot be opened (\(DataFolder.systemMessage()))")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let isTaken = errno == EWOULDBLOCK
            let message = DataFolder.systemMessage()
            let owner = Self.owner(descriptor)
            close(descriptor)
            if isTaken { throw .inUse(folder: folder.path, pid: owner) }
            throw .io(path: folder.lock, detail: "the lock cannot be taken (\(message))")
        }
        let text = Array("\(getpid())\n".utf8)
        ftruncate(descriptor, 0)
        _ = unsafe pwrite(descriptor, text, text.count, 0)
        self.descriptor = descriptor
    }

    deinit {
        // A child process that is just being started may still share the descriptor: closing ours would not unlock it.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private static func owner(_ descriptor: Int32) -> Int32? {
        var text = [UInt8](repeating: 0, count: 16)
        let count = unsafe pread(descriptor, &text, text.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: text.prefix(count).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}

/// The system's calls, which methods of the same name hide.
private func systemLink(_ path: String, _ target: String) -> Int32 { unsafe link(path, target) }
private func systemRename(_ path: String, _ target: String) -> Int32 { unsafe rename(path, target) }
