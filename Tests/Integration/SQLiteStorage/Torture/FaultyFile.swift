import CausewayFileStorage
import CausewayStoreTorture
import CausewaySystem
import GRDBSQLite

/// An open file of SQLite with its double on a ``FaultyDisk``.
///
/// SQLite allocates one block for each file: a head with the methods and this object, and behind it the system's file.
final class FaultyFile {
    @unsafe struct Head {
        var file: sqlite3_file
        var object: Unmanaged<FaultyFile>
    }

    static var headBytes: Int { (unsafe MemoryLayout<Head>.stride + 15) / 16 * 16 }

    private let disk: FaultyDisk
    private let double: any DiskFile
    /// True until the name of a new file was synced with it.
    private var isNew: Bool

    init(_ disk: FaultyDisk, _ double: any DiskFile, _ isNew: Bool) {
        self.disk = disk
        self.double = double
        self.isNew = isNew
    }

    /// The system's file.
    static func below(_ file: UnsafeMutablePointer<sqlite3_file>) -> UnsafeMutablePointer<sqlite3_file> {
        unsafe UnsafeMutableRawPointer(file).advanced(by: headBytes).assumingMemoryBound(to: sqlite3_file.self)
    }

    func install(in file: UnsafeMutablePointer<sqlite3_file>) {
        let head = unsafe UnsafeMutableRawPointer(file).bindMemory(to: Head.self, capacity: 1)
        let methods = unsafe UnsafePointer<sqlite3_io_methods>(bitPattern: Self.methods)
        unsafe head.initialize(to: Head(file: sqlite3_file(pMethods: methods), object: .passRetained(self)))
    }

    private static func object(_ file: UnsafeMutablePointer<sqlite3_file>) -> FaultyFile {
        unsafe UnsafeMutableRawPointer(file).assumingMemoryBound(to: Head.self).pointee.object.takeUnretainedValue()
    }

    // MARK: The calls that can fail

    private func write(_ bytes: [UInt8], at offset: Int64) -> Int32 {
        do throws(SystemError) {
            var written = 0
            while written < bytes.count {
                let count = try double.write(bytes, from: written, at: offset + Int64(written))
                if count <= 0 { throw SystemError.full }
                written += count
            }
            return SQLITE_OK
        } catch {
            return error.isFull ? SQLITE_FULL : FaultyFiles.extended(SQLITE_IOERR, 3)
        }
    }

    private func truncate(to length: Int64) -> Int32 {
        do throws(SystemError) {
            try double.truncate(to: length)
            return SQLITE_OK
        } catch {
            return FaultyFiles.extended(SQLITE_IOERR, 6)
        }
    }

    /// A new file is durable with its name, as on the usual file systems.
    private func sync() -> Int32 {
        do throws(SystemError) {
            try double.sync()
            if isNew { try disk.syncNames() }
            isNew = false
            return SQLITE_OK
        } catch {
            return FaultyFiles.extended(SQLITE_IOERR, 4)
        }
    }

    // MARK: SQLite's table

    /// The address of the methods, which live as long as the process.
    private static let methods: UInt = {
        var table = sqlite3_io_methods()
        table.iVersion = 2
        addCallsThatCanFail(to: &table)
        addReading(to: &table)
        addLocks(to: &table)
        let address = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        unsafe address.initialize(to: table)
        return UInt(bitPattern: address)
    }()

    private typealias Pointer = UnsafeMutablePointer<sqlite3_file>

    private static func addCallsThatCanFail(to table: inout sqlite3_io_methods) {
        unsafe table.xWrite = { file, bytes, count, offset in
            guard let file = unsafe file, let bytes = unsafe bytes else { return SQLITE_IOERR }
            let content = unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(count)))
            let result = unsafe FaultyFile.object(file).write(content, at: offset)
            guard result == SQLITE_OK else { return result }
            return unsafe FaultyFile.system(file) { unsafe $1.xWrite?($0, bytes, count, offset) }
        }
        unsafe table.xTruncate = { file, length in
            guard let file = unsafe file else { return SQLITE_IOERR }
            let result = unsafe FaultyFile.object(file).truncate(to: length)
            guard result == SQLITE_OK else { return result }
            return unsafe FaultyFile.system(file) { unsafe $1.xTruncate?($0, length) }
        }
        unsafe table.xSync = { file, _ in
            guard let file = unsafe file else { return SQLITE_IOERR }
            return unsafe FaultyFile.object(file).sync()
        }
        unsafe table.xClose = { file in
            guard let file = unsafe file else { return SQLITE_IOERR }
            let result = unsafe FaultyFile.system(file) { unsafe $1.xClose?($0) }
            unsafe UnsafeMutableRawPointer(file).assumingMemoryBound(to: Head.self).pointee.object.release()
            unsafe file.pointee.pMethods = nil
            return result
        }
    }

    private static func addReading(to table: inout sqlite3_io_methods) {
        unsafe table.xRead = { file, bytes, count, offset in
            unsafe FaultyFile.system(file) { unsafe $1.xRead?($0, bytes, count, offset) }
        }
        unsafe table.xFileSize = { file, size in unsafe FaultyFile.system(file) { unsafe $1.xFileSize?($0, size) } }
        unsafe table.xFileControl = { file, code, argument in
            unsafe FaultyFile.system(file) { unsafe $1.xFileControl?($0, code, argument) }
        }
        unsafe table.xSectorSize = { file in unsafe FaultyFile.system(file) { unsafe $1.xSectorSize?($0) } }
        unsafe table.xDeviceCharacteristics = { file in
            unsafe FaultyFile.system(file) { unsafe $1.xDeviceCharacteristics?($0) }
        }
    }

    private static func addLocks(to table: inout sqlite3_io_methods) {
        unsafe table.xLock = { file, level in unsafe FaultyFile.system(file) { unsafe $1.xLock?($0, level) } }
        unsafe table.xUnlock = { file, level in unsafe FaultyFile.system(file) { unsafe $1.xUnlock?($0, level) } }
        unsafe table.xCheckReservedLock = { file, result in
            unsafe FaultyFile.system(file) { unsafe $1.xCheckReservedLock?($0, result) }
        }
        unsafe table.xShmMap = { file, page, size, extends, address in
            unsafe FaultyFile.system(file) { unsafe $1.xShmMap?($0, page, size, extends, address) }
        }
        unsafe table.xShmLock = { file, offset, count, flags in
            unsafe FaultyFile.system(file) { unsafe $1.xShmLock?($0, offset, count, flags) }
        }
        unsafe table.xShmBarrier = { file in
            _ = unsafe FaultyFile.system(file) { file, methods in
                unsafe methods.xShmBarrier?(file)
                return SQLITE_OK
            }
        }
        unsafe table.xShmUnmap = { file, deletes in
            unsafe FaultyFile.system(file) { unsafe $1.xShmUnmap?($0, deletes) }
        }
    }

    /// Calls a method of the system's file.
    private static func system(
        _ file: UnsafeMutablePointer<sqlite3_file>?,
        _ call: (UnsafeMutablePointer<sqlite3_file>, sqlite3_io_methods) -> Int32?
    ) -> Int32 {
        guard let file = unsafe file else { return SQLITE_IOERR }
        let below = unsafe below(file)
        guard let methods = unsafe below.pointee.pMethods else { return SQLITE_IOERR }
        return unsafe call(below, methods.pointee) ?? SQLITE_IOERR
    }
}
