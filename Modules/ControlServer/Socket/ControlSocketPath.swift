import CausewayControlAPI
import CausewaySystem
import Foundation

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
    package var isListening: Bool { UnixSocket.isListening(at: path) }

    /// Creates the folder, acquires the lock, and returns a path to bind at.
    func prepare() throws(ControlError) -> Preparation {
        guard path.hasPrefix("/") else {
            throw ControlError(.configuration, "the socket's path \(path) must begin with /")
        }
        guard path.utf8.count <= UnixSocket.pathBytesMax else {
            throw ControlError(
                .configuration,
                "the socket's path \(path) is longer than \(UnixSocket.pathBytesMax) bytes;"
                    + " choose a shorter one with --socket")
        }
        try makeFolder()
        let lock = try takeLock()
        try removeStale()
        do throws(SystemError) {
            let privateFolder = try FileSystem.makeUniqueFolder(in: folder)
            return Preparation(place: self, privateFolder: privateFolder, lock: lock)
        } catch {
            throw failure("cannot create a folder in \(folder)", error)
        }
    }

    private func makeFolder() throws(ControlError) {
        try FileSystem.makeFolders(folder) { failure("cannot create the folder \($0)", $1) }
        let status: FileStatus
        do throws(SystemError) {
            status = try FileStatus(of: folder)
        } catch {
            throw failure("cannot use the folder \(folder)", error)
        }
        guard status.isOwn else {
            throw ControlError(
                .socketNotAccessible,
                "the folder \(folder) of the control socket belongs to another user; choose another with --socket")
        }
        guard status.permissions.isOwnerOnly else {
            throw ControlError(
                .socketNotAccessible,
                "the folder \(folder) of the control socket is accessible to others; run chmod 700 on it, or"
                    + " choose another socket with --socket")
        }
    }

    private func takeLock() throws(ControlError) -> FileLock {
        do throws(FileLock.Problem) {
            return try FileLock(path + ".lock")
        } catch {
            switch error {
            case .notOpened(let error): throw failure("cannot use \(path).lock", error)
            case .held, .notTaken: throw inUse
            }
        }
    }

    private var inUse: ControlError {
        ControlError(.socketInUse, "another daemon serves \(path); stop it, or choose another socket with --socket")
    }

    private func removeStale() throws(ControlError) {
        let status: FileStatus
        do throws(SystemError) {
            status = try FileStatus(of: path, followsLink: false)
        } catch {
            if error.isNotFound { return }
            throw failure("cannot use \(path)", error)
        }
        guard status.kind == .socket else {
            throw ControlError(
                .socketNotAccessible, "\(path) exists and is not a socket; remove it, or choose another with --socket")
        }
        if isListening { throw inUse }
        do throws(SystemError) { try FileSystem.remove(path) } catch { throw failure("cannot replace \(path)", error) }
    }

    func failure(_ what: String, _ error: SystemError) -> ControlError {
        ControlError(.socketNotAccessible, "\(what): \(error)")
    }

    /// An acquired socket path, before the socket exists.
    struct Preparation: Sendable {
        let place: ControlSocketPath
        let privateFolder: String
        /// Held until the process ends or ``leave()`` is called.
        let lock: FileLock

        /// The path to bind at.
        var bindPath: String { privateFolder + "/s" }

        /// Narrows the bound socket to its owner and moves it to its path.
        func publish() throws(ControlError) {
            do throws(SystemError) {
                try FileSystem.setPermissions(.owner, of: bindPath)
                try FileSystem.rename(bindPath, to: place.path)
            } catch {
                throw place.failure("cannot create the socket \(place.path)", error)
            }
            try? FileSystem.removeFolder(privateFolder)
        }

        /// Removes the socket, and releases the lock.
        func leave() {
            try? FileSystem.remove(place.path)
            try? FileSystem.remove(bindPath)
            try? FileSystem.removeFolder(privateFolder)
            lock.unlock()
        }
    }
}
