internal import CausewaySystem

/// The data folder of a hub, and the paths in it.
package struct DataFolder: Sendable, Hashable {
    package let path: String

    package init(_ path: String) {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        self.path = path
    }

    package var database: String { path + "/hub.sqlite" }
    /// The folder of the files that are attached to messages.
    package var blobs: String { path + "/blobs" }
    package var lock: String { path + "/hub.lock" }
    package var settings: String { path + "/hub.json" }
    package var authorityCertificate: String { path + "/tls/ca.pem" }
    package var authorityKey: String { path + "/tls/ca.key" }
    package var serverCertificate: String { path + "/tls/server.pem" }
    package var serverKey: String { path + "/tls/server.key" }
    /// The path to which the token of a new account is written. Names contain no `/` and are not `.` or `..`.
    package func token(of account: String) -> String { path + "/tokens/" + account + ".token" }

    package var isSetUp: Bool { FileSystem.exists(database) }

    /// - Throws: `configuration` if another user owns the folder, or others may write into it: they could replace
    ///   keys and messages.
    func checkOwner() throws(HubError) {
        if let problem = FileAccess.problem(ofFolder: path) {
            throw .configuration("the data folder \(path) \(problem)")
        }
    }

    /// Creates a folder that only its owner may read; an existing one is unchanged.
    static func makeFolder(_ path: String) throws(HubError) {
        try FileSystem.makeFolders(path) {
            HubError.io(path: $0, detail: "the folder cannot be created (\($1))")
        }
    }

    /// Writes a new file that only its owner may read, durably. Never follows a link or replaces a file.
    static func writeSecret(_ text: String, to path: String) throws(HubError) {
        try makeFolder(FileSystem.parent(of: path))
        let file: OpenFile
        do throws(SystemError) {
            file = try OpenFile(path, for: .writing, [.create, .exclusive])
        } catch {
            if error.isExisting { throw .alreadySetUp(path: path) }
            throw .io(path: path, detail: "the file cannot be created (\(error))")
        }
        do throws(SystemError) {
            try file.write(Array(text.utf8))
        } catch {
            throw .io(path: path, detail: "the file cannot be written (\(error))")
        }
        do throws(SystemError) {
            try file.sync()
        } catch {
            throw .io(path: path, detail: "the file cannot be synced to the disk (\(error))")
        }
    }

    /// Appends to a file that only its owner may read; creates it if necessary. The lines of two processes do not
    /// interleave.
    package static func append(_ bytes: some Sequence<UInt8>, to path: String) throws(HubError) {
        let file: OpenFile
        do throws(SystemError) {
            file = try OpenFile(path, for: .writing, [.create, .append, .noLink])
        } catch {
            throw .io(path: path, detail: "the file cannot be opened (\(error))")
        }
        do throws(SystemError) {
            try file.writeAtOnce(Array(bytes))
        } catch {
            throw .io(path: path, detail: "the file cannot be written (\(error))")
        }
    }

    static func rename(_ path: String, to target: String) throws(HubError) {
        do throws(SystemError) {
            try FileSystem.rename(path, to: target)
        } catch {
            throw .io(path: target, detail: "the file cannot be replaced (\(error))")
        }
    }

    static func remove(_ path: String) { try? FileSystem.remove(path) }
}

/// The right to serve from a data folder, held by one process until it ends or releases it.
///
/// An advisory lock on `hub.lock`, which contains the owner's process id for the operator. The account and channel
/// commands do not need it: each of them is one transaction of the database.
package final class DataFolderLock: Sendable {
    private let lock: FileLock

    /// - Throws: `HubError.inUse` with the owner's process id.
    package init(_ folder: DataFolder) throws(HubError) {
        do throws(FileLock.Problem) {
            lock = try FileLock(folder.lock, followsLink: true)
        } catch {
            switch error {
            case .held(let owner): throw .inUse(folder: folder.path, pid: owner)
            case .notOpened(let error):
                throw .io(path: folder.lock, detail: "the lock cannot be opened (\(error))")
            case .notTaken(let error): throw .io(path: folder.lock, detail: "the lock cannot be taken (\(error))")
            }
        }
    }

    /// Releases it; does nothing if it is released.
    package func release() { lock.unlock() }
}
