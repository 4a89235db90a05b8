import CausewayControlAPI
import CausewaySystem
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The path of a control socket, and the steps that create it safely.
///
/// 1. The folder is accessible to its owner only (0700): created so, or refused when it is wider.
/// 2. The socket is bound in a private folder of its own, narrowed to 0600, and only then moved to its path: it is
///   never wider than its mode.
/// 3. A lock file beside it decides which process serves; the socket of a dead process is replaced, that of a live one
///   never.
package struct ControlSocketPath: Sendable {
    package let path: String

    package init(path: String) { self.path = path }

    private var folder: String { URL(fileURLWithPath: path).deletingLastPathComponent().path }

    /// True when a process accepts connections at the path.
    package var isListening: Bool {
        guard var address = Self.address(path) else { return false }
        let type = Int32(SOCK_STREAM.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { return false }
        defer { _ = close(descriptor) }
        // A full queue of a live process fails with EAGAIN instead of blocking.
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe connect(descriptor, $0, size) }
        }
        return result == 0 || errno == EAGAIN || errno == EINPROGRESS
    }

    private static func address(_ path: String) -> sockaddr_un? {
        let bytes = Array(path.utf8)
        guard bytes.count <= ControlServerLimits.socketPathBytesMax, !bytes.contains(0) else { return nil }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        return address
    }

    /// Creates the folder, acquires the lock, and returns a path to bind at.
    func prepare() throws(ControlError) -> Preparation {
        guard path.hasPrefix("/") else {
            throw ControlError(.configuration, "the socket's path \(path) must begin with /")
        }
        guard path.utf8.count <= ControlServerLimits.socketPathBytesMax else {
            throw ControlError(
                .configuration,
                "the socket's path \(path) is longer than \(ControlServerLimits.socketPathBytesMax) bytes;"
                    + " choose a shorter one with --socket")
        }
        try makeFolder()
        let lock = try takeLock()
        do throws(ControlError) {
            try removeStale()
            return Preparation(place: self, privateFolder: try makePrivateFolder(), lock: lock)
        } catch {
            _ = close(lock)
            throw error
        }
    }

    private func makeFolder() throws(ControlError) {
        var made = ""
        for part in folder.split(separator: "/") {
            made += "/" + part
            if unsafe mkdir(made, 0o700) != 0, errno != EEXIST, unsafe access(made, X_OK) != 0 {
                throw failure("cannot create the folder \(made)")
            }
        }
        var status = stat()
        guard unsafe stat(folder, &status) == 0 else { throw failure("cannot use the folder \(folder)") }
        guard status.st_uid == geteuid() else {
            throw ControlError(
                .socketNotAccessible,
                "the folder \(folder) of the control socket belongs to another user; choose another with --socket")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw ControlError(
                .socketNotAccessible,
                "the folder \(folder) of the control socket is accessible to others; run chmod 700 on it, or"
                    + " choose another socket with --socket")
        }
    }

    private func takeLock() throws(ControlError) -> Int32 {
        let lock = unsafe open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else { throw failure("cannot use \(path).lock") }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            _ = close(lock)
            throw inUse
        }
        return lock
    }

    private var inUse: ControlError {
        ControlError(.socketInUse, "another daemon serves \(path); stop it, or choose another socket with --socket")
    }

    private func removeStale() throws(ControlError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            if errno == ENOENT { return }
            throw failure("cannot use \(path)")
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw ControlError(
                .socketNotAccessible, "\(path) exists and is not a socket; remove it, or choose another with --socket")
        }
        if isListening { throw inUse }
        guard unsafe unlink(path) == 0 else { throw failure("cannot replace \(path)") }
    }

    private func makePrivateFolder() throws(ControlError) -> String {
        var template = Array((folder + "/.XXXXXX").utf8CString)
        let isMade = unsafe template.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return false }
            return unsafe mkdtemp(start) != nil
        }
        guard isMade else {
            throw failure("cannot create a folder in \(folder)")
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func failure(_ what: String) -> ControlError {
        ControlError(.socketNotAccessible, "\(what): \(SystemWords.words(for: errno))")
    }

    /// An acquired socket path, before the socket exists.
    struct Preparation: Sendable {
        let place: ControlSocketPath
        let privateFolder: String
        /// Held until the process ends or ``leave()`` is called.
        let lock: Int32

        /// The path to bind at.
        var bindPath: String { privateFolder + "/s" }

        /// Narrows the bound socket and moves it to its path.
        func publish() throws(ControlError) {
            guard unsafe chmod(bindPath, 0o600) == 0, unsafe rename(bindPath, place.path) == 0 else {
                throw place.failure("cannot create the socket \(place.path)")
            }
            _ = unsafe rmdir(privateFolder)
        }

        /// Removes the socket, and releases the lock.
        func leave() {
            _ = unsafe unlink(place.path)
            _ = unsafe unlink(bindPath)
            _ = unsafe rmdir(privateFolder)
            // Unlocked explicitly: a child that is just being started may hold a copy of the descriptor for a moment.
            _ = flock(lock, LOCK_UN)
            _ = close(lock)
        }
    }
}
