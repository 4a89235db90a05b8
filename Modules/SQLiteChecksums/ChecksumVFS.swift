import GRDBSQLite
import Synchronization

/// A layer over SQLite's default file system that adds checksums to the pages of databases.
///
/// It differs from the layer below in one call: opening the file of a database. The files of the log, of journals and
/// of temporary tables are opened by the layer below alone. SQLite finds it under a name of its own, so that no other
/// connection of the process uses it.
enum ChecksumVFS {
    /// SQLite's description of a file system, and behind it the one that it stands on.
    @unsafe private struct Layer {
        var vfs: sqlite3_vfs
        var below: UnsafeMutablePointer<sqlite3_vfs>
    }

    /// The name of the layer over the present default, which is registered if it is not yet; `nil` if SQLite has no
    /// file system.
    ///
    /// A layer is never removed, because connections may use it at any time.
    static var name: String? {
        guard let below = unsafe sqlite3_vfs_find(nil), let title = unsafe below.pointee.zName else { return nil }
        let name = unsafe "causeway-" + String(cString: title)
        let isRegistered = registration.withLock { _ in
            if unsafe sqlite3_vfs_find(name) != nil { return true }
            return unsafe register(name, over: below)
        }
        return isRegistered ? name : nil
    }

    /// One thread at a time registers a layer.
    private static let registration = Mutex<Void>(())

    private static func register(_ name: String, over below: UnsafeMutablePointer<sqlite3_vfs>) -> Bool {
        let layer = UnsafeMutablePointer<Layer>.allocate(capacity: 1)
        unsafe layer.initialize(to: Layer(vfs: below.pointee, below: below))
        let vfs = unsafe UnsafeMutableRawPointer(layer).assumingMemoryBound(to: sqlite3_vfs.self)
        unsafe vfs.pointee.zName = permanent(name)
        unsafe vfs.pointee.pNext = nil
        unsafe vfs.pointee.szOsFile += Int32(ChecksumFile.headBytes)
        unsafe vfs.pointee.xOpen = { vfs, name, file, flags, used in
            guard let vfs = unsafe vfs, let file = unsafe file else { return SQLITE_CANTOPEN }
            return unsafe ChecksumVFS.open(ChecksumVFS.below(vfs), name, file, flags, used)
        }
        return unsafe sqlite3_vfs_register(vfs, 0) == SQLITE_OK
    }

    /// A copy of a text for the rest of the process.
    private static func permanent(_ text: String) -> UnsafePointer<CChar> {
        let bytes = text.utf8CString
        let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: bytes.count)
        _ = unsafe copy.initialize(fromContentsOf: bytes)
        return unsafe UnsafePointer(copy.baseAddress.unsafelyUnwrapped)
    }

    private static func below(_ vfs: UnsafeMutablePointer<sqlite3_vfs>) -> UnsafeMutablePointer<sqlite3_vfs> {
        unsafe UnsafeMutableRawPointer(vfs).assumingMemoryBound(to: Layer.self).pointee.below
    }

    private static func open(
        _ below: UnsafeMutablePointer<sqlite3_vfs>, _ name: UnsafePointer<CChar>?,
        _ file: UnsafeMutablePointer<sqlite3_file>, _ flags: Int32, _ used: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        guard let open = unsafe below.pointee.xOpen else { return SQLITE_CANTOPEN }
        guard let name = unsafe name, flags & SQLITE_OPEN_MAIN_DB != 0 else {
            return unsafe open(below, name, file, flags, used)
        }
        unsafe file.pointee.pMethods = nil
        let result = unsafe open(below, name, ChecksumFile.below(file), flags, used)
        if result == SQLITE_OK { unsafe ChecksumFile.install(in: file, name) }
        return result
    }
}
