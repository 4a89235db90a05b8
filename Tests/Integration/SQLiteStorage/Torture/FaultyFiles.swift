import CausewayFileStorage
import CausewaySQLiteStorage
import CausewayStoreTorture
import CausewaySystem
import Foundation
import GRDBSQLite
import Synchronization

/// SQLite's own files with a ``FaultyDisk`` beside them.
///
/// Every write, sync, open and removal that SQLite asks of the system for a file of an attached folder goes to that
/// disk first: it counts them, may fail them, and knows which of them are durable. Then the system does the same, so
/// that SQLite reads what it has written. Files elsewhere are opened by the system's methods alone, so that other tests
/// of this process notice nothing. A sync of the system is left out: only the disk decides what is durable.
enum FaultyFiles {
    private static let disks = Mutex<[String: FaultyDisk]>([:])

    /// Must come before the store is opened.
    ///
    /// - Parameter folder: an absolute path without links.
    static func attach(_ disk: FaultyDisk, to folder: String) {
        precondition(isRegistered, "SQLite has no file system of this name")
        disks.withLock { $0[folder] = disk }
    }

    static func detach(_ folder: String) { disks.withLock { $0[folder] = nil } }

    /// The disk beside a file, and the file's name there.
    private static func disk(beside path: String) -> (disk: FaultyDisk, name: String)? {
        guard let slash = path.lastIndex(of: "/") else { return nil }
        guard let disk = disks.withLock({ $0[String(path[..<slash])] }) else { return nil }
        return (disk, String(path[path.index(after: slash)...]))
    }

    /// A change of a name by the store itself; see `SQLiteOptions.beforeFolderAccess`.
    ///
    /// - Returns: the failure.
    static func change(_ access: FolderAccess) -> SystemError? {
        do throws(SystemError) {
            switch access {
            case .sync(let folder): try disks.withLock { $0[folder] }?.syncNames()
            case .rename(let path, let target):
                guard let (disk, name) = disk(beside: path), let slash = target.lastIndex(of: "/") else { return nil }
                try disk.rename(name, to: String(target[target.index(after: slash)...]))
            }
            return nil
        } catch {
            return error
        }
    }

    // MARK: The file system

    private static let isRegistered: Bool = {
        guard let system = unsafe system else { return false }
        let own = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        unsafe own.initialize(to: system.pointee)
        unsafe own.pointee.zName = UnsafePointer(strdup("faulty"))
        unsafe own.pointee.szOsFile += Int32(FaultyFile.headBytes)
        unsafe own.pointee.xOpen = { _, name, file, flags, used in
            unsafe FaultyFiles.open(name, file, flags, used)
        }
        unsafe own.pointee.xDelete = { _, name, syncs in unsafe FaultyFiles.remove(name, syncsNames: syncs != 0) }
        return unsafe sqlite3_vfs_register(own, 1) == SQLITE_OK
    }()

    private static var system: UnsafeMutablePointer<sqlite3_vfs>? { unsafe sqlite3_vfs_find("unix") }

    private static func open(
        _ path: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
        _ used: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        guard let file = unsafe file, let system = unsafe system, let openFile = unsafe system.pointee.xOpen else {
            return SQLITE_CANTOPEN
        }
        guard let path = unsafe path, let (disk, name) = unsafe disk(beside: String(cString: path)) else {
            return unsafe openFile(system, path, file, flags, used)
        }
        unsafe file.pointee.pMethods = nil
        do throws(SystemError) {
            let mayCreate = flags & SQLITE_OPEN_CREATE != 0
            guard let opened = try unsafe openDouble(name, on: disk, at: String(cString: path), mayCreate) else {
                return SQLITE_CANTOPEN
            }
            let below = unsafe FaultyFile.below(file)
            let result = unsafe openFile(system, path, below, flags, used)
            if result == SQLITE_OK { unsafe FaultyFile(disk, opened.file, opened.isNew).install(in: file) }
            return result
        } catch {
            return error.isFull ? SQLITE_FULL : SQLITE_CANTOPEN
        }
    }

    /// Opens the file on the disk; `nil` if it is missing and may not be created.
    private static func openDouble(
        _ name: String, on disk: FaultyDisk, at path: String, _ mayCreate: Bool
    ) throws(SystemError) -> (file: any DiskFile, isNew: Bool)? {
        let exists = FileSystem.exists(path)
        if exists, disk[name] == nil {
            // Made without SQLite: the store prepares an empty file.
            let file = try OpenFile(path, for: .reading)
            disk[name] = try file.bytes(at: 0, count: Int(file.status().bytesCount))
        }
        if !exists, disk[name] != nil { disk[name] = nil }
        if !exists, !mayCreate { return nil }
        return (try disk.open(name, isNew: !exists), !exists)
    }

    private static func remove(_ path: UnsafePointer<CChar>?, syncsNames: Bool) -> Int32 {
        guard let system = unsafe system, let removeFile = unsafe system.pointee.xDelete else {
            return extended(SQLITE_IOERR, 10)
        }
        guard let path = unsafe path, let (disk, name) = unsafe disk(beside: String(cString: path)) else {
            return unsafe removeFile(system, path, syncsNames ? 1 : 0)
        }
        do throws(SystemError) { try disk.remove(name) } catch { return extended(SQLITE_IOERR, 10) }
        let result = unsafe removeFile(system, path, 0)
        guard result == SQLITE_OK, syncsNames else { return result }
        do throws(SystemError) { try disk.syncNames() } catch { return extended(SQLITE_IOERR, 5) }
        return SQLITE_OK
    }

    /// An extended result code: `SQLITE_IOERR_FSYNC` and its like are no constants in Swift.
    static func extended(_ code: Int32, _ number: Int32) -> Int32 { code | number << 8 }
}
