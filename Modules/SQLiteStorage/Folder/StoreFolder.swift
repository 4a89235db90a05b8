import CausewayStorage
import CausewaySystem

/// The folder of a store: the paths of its files, and their permissions.
struct StoreFolder: Sendable {
    let path: String
    /// Called before each change of a name; only tests set it. The change fails with the error that it returns.
    var beforeAccess: (@Sendable (FolderAccess) -> SystemError?)?

    var database: String { path + "/store.sqlite" }
    /// The write-ahead log.
    var log: String { database + "-wal" }
    /// Left behind when the first opening was interrupted while it switched to the log.
    var rollbackJournal: String { database + "-journal" }
    /// See ``LogEnd``.
    var logEnd: String { path + "/log-end" }
    /// The file in which a new database is prepared; renamed when it is complete.
    var newDatabase: String { path + "/store.sqlite.new" }
    var lock: String { path + "/lock" }

    /// Creates the folder and its missing parents, readable only by their owner. Each new folder survives power loss,
    /// because the folder that contains it is synced.
    func create() throws(StoreError) {
        try FileSystem.makeFolders(path) { parent throws(StoreError) in
            try sync(parent)
        } failed: { folder, error in
            Self.failure(error, at: folder)
        }
    }

    /// Takes the lock of the folder, which only one process can hold.
    func takeLock() throws(StoreError) -> FileLock {
        do throws(FileLock.Problem) {
            return try FileLock(lock)
        } catch {
            switch error {
            case .held(let owner): throw .locked(by: owner, path: path)
            case .notOpened(let error), .notTaken(let error): throw Self.failure(error, at: lock)
            }
        }
    }

    /// Throws if a new store cannot be made in the folder: it contains a file store (both kinds never share a folder),
    /// or the log of a database that is missing. SQLite would take that log for the new database's own.
    func requireNoRemains() throws(StoreError) {
        if let bytes = try size(of: log), bytes > 0 {
            throw .damaged(path: database, detail: "it is missing, although its log \(log) is there")
        }
        let names: [String]
        do throws(SystemError) { names = try FileSystem.names(in: path) } catch {
            throw Self.failure(error, at: path)
        }
        guard names.contains(where: { $0 == "snapshot" || $0.hasPrefix("journal-") }) else { return }
        throw .notAccessible(
            path: path,
            detail: "it contains a store of the other kind (file); set storage = file, or name another folder")
    }

    /// Renames the prepared database to its final name, in one step that survives power loss.
    func putNewDatabaseInPlace() throws(StoreError) {
        do throws(SystemError) {
            if let error = beforeAccess?(.rename(newDatabase, to: database)) { throw error }
            try FileSystem.rename(newDatabase, to: database)
        } catch {
            throw Self.failure(error, at: database)
        }
        try sync(path)
    }

    private func sync(_ path: String) throws(StoreError) {
        let folder: OpenFile
        do throws(SystemError) {
            folder = try OpenFile(path, for: .reading, .folder)
        } catch {
            throw Self.failure(error, at: path)
        }
        do throws(SystemError) {
            if let error = beforeAccess?(.sync(path)) { throw error }
            try folder.sync()
        } catch {
            throw .syncFailed(detail: "\(path): \(error)")
        }
    }

    /// Creates an empty file that only its owner may read, replacing an existing one.
    func createEmpty(_ file: String) throws(StoreError) {
        do throws(SystemError) {
            try FileSystem.removeIfPresent(file)
            _ = try OpenFile(file, for: .readingAndWriting, [.create, .exclusive])
        } catch {
            throw Self.failure(error, at: file)
        }
    }

    /// The size of a file in bytes; `nil` if it does not exist.
    func size(of file: String) throws(StoreError) -> Int64? {
        do throws(SystemError) {
            return try FileStatus(of: file).bytesCount
        } catch {
            if error.isNotFound { return nil }
            throw Self.failure(error, at: file)
        }
    }

    /// The first bytes of a file.
    func head(of file: String, count: Int) throws(StoreError) -> [UInt8] {
        try bytes(of: file, from: 0, count: count)
    }

    /// Bytes of a file from an offset; fewer at its end.
    func bytes(of file: String, from offset: Int64, count: Int) throws(StoreError) -> [UInt8] {
        do throws(SystemError) {
            return try OpenFile(file, for: .reading).bytes(at: offset, count: count)
        } catch {
            throw Self.failure(error, at: file)
        }
    }

    static func failure(_ error: SystemError, at path: String) -> StoreError {
        error.isFull
            ? .full(detail: "\(path): \(error)") : .notAccessible(path: path, detail: error.description)
    }
}
