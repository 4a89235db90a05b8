import GRDBSQLite
import Synchronization

/// The open file of a database with checksums: SQLite's methods, of which reading and writing know pages.
///
/// SQLite allocates one block for each file: a head, and behind it the file of the layer below. One connection uses a
/// file, one call at a time.
enum ChecksumFile {
    @unsafe struct Head {
        var file: sqlite3_file
        /// SQLite's copy of the name, with the parameters of the URI; valid while the file is open.
        var name: UnsafePointer<CChar>
        /// True while the first page says that every page has room for a checksum.
        var hasChecksums: Bool
    }

    typealias Pointer = UnsafeMutablePointer<sqlite3_file>

    static var headBytes: Int { (unsafe MemoryLayout<Head>.stride + 15) / 16 * 16 }

    static func below(_ file: Pointer) -> Pointer {
        unsafe UnsafeMutableRawPointer(file).advanced(by: headBytes).assumingMemoryBound(to: sqlite3_file.self)
    }

    /// Wraps the open file that is below.
    static func install(in file: Pointer, _ name: UnsafePointer<CChar>) {
        let head = unsafe UnsafeMutableRawPointer(file).bindMemory(to: Head.self, capacity: 1)
        let methods = unsafe UnsafePointer<sqlite3_io_methods>(bitPattern: Self.methods)
        let isNew = unsafe sqlite3_uri_boolean(name, PageChecksums.Parameter.isNew, 0) != 0
        unsafe head.initialize(to: Head(file: sqlite3_file(pMethods: methods), name: name, hasChecksums: isNew))
    }

    private static func head(_ file: Pointer) -> UnsafeMutablePointer<Head> {
        unsafe UnsafeMutableRawPointer(file).assumingMemoryBound(to: Head.self)
    }

    // MARK: Pages

    private static func read(
        _ file: Pointer, _ buffer: UnsafeMutableRawPointer, _ count: Int32, _ offset: Int64
    ) -> Int32 {
        let result = unsafe system(file) { unsafe $1.xRead?($0, buffer, count, offset) }
        guard result == SQLITE_OK else { return result }
        let bytes = unsafe UnsafeMutableRawBufferPointer(start: buffer, count: Int(count))
        let head = unsafe head(file)
        if offset == 0, let has = unsafe announcesChecksums(UnsafeRawBufferPointer(bytes)) {
            unsafe head.pointee.hasChecksums = has
        }
        guard unsafe head.pointee.hasChecksums, PageChecksum.isPage(bytes.count), offset % Int64(count) == 0
        else { return SQLITE_OK }
        guard unsafe PageChecksum.verdict(on: UnsafeRawBufferPointer(bytes), isFirst: offset == 0) != .wrong else {
            unsafe note(PageDamage(offset: offset, bytesCount: bytes.count), head.pointee.name)
            return SQLITE_IOERR | 32 << 8
        }
        unsafe PageChecksum.remove(from: bytes)
        return SQLITE_OK
    }

    private static func write(_ file: Pointer, _ buffer: UnsafeRawPointer, _ count: Int32, _ offset: Int64) -> Int32 {
        let bytes = unsafe UnsafeRawBufferPointer(start: buffer, count: Int(count))
        let head = unsafe head(file)
        if offset == 0, let has = unsafe announcesChecksums(bytes) { unsafe head.pointee.hasChecksums = has }
        guard unsafe head.pointee.hasChecksums, PageChecksum.isPage(bytes.count), offset % Int64(count) == 0 else {
            return unsafe system(file) { unsafe $1.xWrite?($0, buffer, count, offset) }
        }
        // SQLite's own copy stays as it is: in a log, it has a checksum already.
        return unsafe withUnsafeTemporaryAllocation(byteCount: bytes.count, alignment: 8) { page in
            unsafe page.copyMemory(from: bytes)
            unsafe PageChecksum.seal(page, isFirst: offset == 0)
            return unsafe system(file) { unsafe $1.xWrite?($0, page.baseAddress, count, offset) }
        }
    }

    /// True if the beginning of a database says that its pages have room for checksums; `nil` if this is no beginning
    /// of a database.
    ///
    /// A page that has another number of reserved bytes, but the checksum of one with room for it, had that room: the
    /// number is damaged.
    private static func announcesChecksums(_ bytes: UnsafeRawBufferPointer) -> Bool? {
        guard bytes.count >= 100, unsafe bytes.starts(with: "SQLite format 3\0".utf8) else { return nil }
        let reserved = Int(unsafe bytes[reservedAt])
        if reserved == PageChecksum.bytesCount { return true }
        guard PageChecksum.isPage(bytes.count) else { return false }
        return unsafe withUnsafeTemporaryAllocation(byteCount: bytes.count, alignment: 8) { page in
            unsafe page.copyMemory(from: bytes)
            unsafe page[reservedAt] = UInt8(PageChecksum.bytesCount)
            return unsafe PageChecksum.verdict(on: UnsafeRawBufferPointer(page), isFirst: true) == .right
        }
    }

    /// The number of reserved bytes of each page, in the header of the database (SQLite's file format, §1.3.4).
    static let reservedAt = 20

    private static func note(_ damage: PageDamage, _ name: UnsafePointer<CChar>) {
        guard let path = unsafe sqlite3_uri_parameter(name, PageChecksums.Parameter.path) else { return }
        let file = unsafe String(cString: path)
        DamageLog.ofProcess.withLock { $0.note(damage, in: file) }
    }

    // MARK: SQLite's table

    /// The address of the methods, which live as long as the process and never change.
    private static let methods: UInt = {
        var table = sqlite3_io_methods()
        // Without the calls of version 3, which map the file into memory and would pass the checksums by.
        table.iVersion = 2
        addPages(to: &table)
        addFile(to: &table)
        addLocks(to: &table)
        let address = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        unsafe address.initialize(to: table)
        return UInt(bitPattern: address)
    }()

    private static func addPages(to table: inout sqlite3_io_methods) {
        unsafe table.xRead = { file, bytes, count, offset in
            guard let file = unsafe file, let bytes = unsafe bytes else { return SQLITE_IOERR }
            return unsafe ChecksumFile.read(file, bytes, count, offset)
        }
        unsafe table.xWrite = { file, bytes, count, offset in
            guard let file = unsafe file, let bytes = unsafe bytes else { return SQLITE_IOERR }
            return unsafe ChecksumFile.write(file, bytes, count, offset)
        }
        unsafe table.xDeviceCharacteristics = { file in
            // Later versions read parts of pages where the layer below allows it.
            let readsPartsOfPages: Int32 = 0x8000
            return unsafe ChecksumFile.system(file) { unsafe $1.xDeviceCharacteristics?($0) } & ~readsPartsOfPages
        }
    }

    private static func addFile(to table: inout sqlite3_io_methods) {
        unsafe table.xClose = { file in
            let result = unsafe ChecksumFile.system(file) { unsafe $1.xClose?($0) }
            unsafe file?.pointee.pMethods = nil
            return result
        }
        unsafe table.xTruncate = { file, length in
            unsafe ChecksumFile.system(file) { unsafe $1.xTruncate?($0, length) }
        }
        unsafe table.xSync = { file, flags in unsafe ChecksumFile.system(file) { unsafe $1.xSync?($0, flags) } }
        unsafe table.xFileSize = { file, size in unsafe ChecksumFile.system(file) { unsafe $1.xFileSize?($0, size) } }
        unsafe table.xFileControl = { file, code, argument in
            unsafe ChecksumFile.system(file) { unsafe $1.xFileControl?($0, code, argument) }
        }
        unsafe table.xSectorSize = { file in unsafe ChecksumFile.system(file) { unsafe $1.xSectorSize?($0) } }
    }

    private static func addLocks(to table: inout sqlite3_io_methods) {
        unsafe table.xLock = { file, level in unsafe ChecksumFile.system(file) { unsafe $1.xLock?($0, level) } }
        unsafe table.xUnlock = { file, level in unsafe ChecksumFile.system(file) { unsafe $1.xUnlock?($0, level) } }
        unsafe table.xCheckReservedLock = { file, result in
            unsafe ChecksumFile.system(file) { unsafe $1.xCheckReservedLock?($0, result) }
        }
        unsafe table.xShmMap = { file, page, size, extends, address in
            unsafe ChecksumFile.system(file) { unsafe $1.xShmMap?($0, page, size, extends, address) }
        }
        unsafe table.xShmLock = { file, offset, count, flags in
            unsafe ChecksumFile.system(file) { unsafe $1.xShmLock?($0, offset, count, flags) }
        }
        unsafe table.xShmBarrier = { file in
            _ = unsafe ChecksumFile.system(file) { file, methods in
                unsafe methods.xShmBarrier?(file)
                return SQLITE_OK
            }
        }
        unsafe table.xShmUnmap = { file, deletes in
            unsafe ChecksumFile.system(file) { unsafe $1.xShmUnmap?($0, deletes) }
        }
    }

    /// Calls a method of the layer below.
    private static func system(
        _ file: Pointer?, _ call: (Pointer, borrowing sqlite3_io_methods) -> Int32?
    ) -> Int32 {
        guard let file = unsafe file else { return SQLITE_IOERR }
        let below = unsafe below(file)
        guard let methods = unsafe below.pointee.pMethods else { return SQLITE_IOERR }
        return unsafe call(below, methods.pointee) ?? SQLITE_IOERR
    }
}
