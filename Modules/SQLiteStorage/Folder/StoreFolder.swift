import CausewayStorage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The folder of a store: the paths of its files, and their permissions.
struct StoreFolder: Sendable {
    let path: String

    var database: String { path + "/store.sqlite" }
    /// The write-ahead log.
    var log: String { database + "-wal" }
    /// See ``LogEnd``.
    var logEnd: String { path + "/log-end" }
    /// The file in which a new database is prepared; renamed when it is complete.
    var newDatabase: String { path + "/store.sqlite.new" }
    var lock: String { path + "/lock" }

    /// Creates the folder and its missing parents, readable only by their owner. Each new folder survives power loss,
    /// because the folder that contains it is synced.
    func create() throws(StoreError) {
        var made = ""
        var parent = path.hasPrefix("/") ? "/" : "."
        for part in path.split(separator: "/", omittingEmptySubsequences: false) {
            made += part
            if !made.isEmpty {
                if unsafe mkdir(made, 0o700) == 0 {
                    try Self.sync(parent)
                } else if errno != EEXIST {
                    let code = errno
                    // A folder on the path that cannot be written, such as a read-only root, is acceptable as long as
                    // it can be traversed.
                    if unsafe access(made, X_OK) != 0 { throw Self.failure(code, at: made) }
                }
                parent = made
            }
            made += "/"
        }
    }

    /// Renames the prepared database to its final name, in one step that survives power loss.
    func putNewDatabaseInPlace() throws(StoreError) {
        guard unsafe rename(newDatabase, database) == 0 else { throw Self.failure(errno, at: database) }
        try Self.sync(path)
    }

    private static func sync(_ path: String) throws(StoreError) {
        let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(errno, at: path) }
        defer { _ = close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .syncFailed(detail: "\(path): \(words(for: errno))") }
    }

    /// Creates an empty file that only its owner may read, replacing an existing one.
    func createEmpty(_ file: String) throws(StoreError) {
        guard unsafe unlink(file) == 0 || errno == ENOENT else { throw Self.failure(errno, at: file) }
        let descriptor = unsafe open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure(errno, at: file) }
        _ = close(descriptor)
    }

    /// The size of a file in bytes; `nil` if it does not exist.
    func size(of file: String) throws(StoreError) -> Int64? {
        var status = stat()
        guard unsafe stat(file, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw Self.failure(errno, at: file)
        }
        return Int64(status.st_size)
    }

    /// The first bytes of a file.
    func head(of file: String, count: Int) throws(StoreError) -> [UInt8] {
        try bytes(of: file, from: 0, count: count)
    }

    /// Bytes of a file from an offset; fewer at its end.
    func bytes(of file: String, from offset: Int64, count: Int) throws(StoreError) -> [UInt8] {
        let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(errno, at: file) }
        defer { _ = close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: count)
        let size = unsafe bytes.withUnsafeMutableBytes {
            unsafe pread(descriptor, $0.baseAddress, count, off_t(offset))
        }
        guard size >= 0 else { throw Self.failure(errno, at: file) }
        return Array(bytes.prefix(size))
    }

    static func failure(_ code: Int32, at path: String) -> StoreError {
        switch code {
        case ENOSPC, EDQUOT: .full(detail: "\(path): \(words(for: code))")
        default: .notAccessible(path: path, detail: words(for: code))
        }
    }

    static func words(for code: Int32) -> String {
        guard let text = unsafe strerror(code) else { return "error \(code)" }
        return unsafe String(cString: text)
    }
}
