import Foundation
package import GRDB
import GRDBSQLite
import Synchronization

/// SQLite databases with a checksum in each page.
///
/// SQLite has none: a byte that the disk changed inside a value is read as another value, and one in the key of an
/// index hides rows. Opened at its ``address(of:isNew:)``, a database whose pages have room for checksums writes them,
/// and a query that meets a page with a wrong one fails with `SQLITE_IOERR_DATA`; ``damage(to:)`` then names the page.
/// A database without room for them is read and written as ever.
///
/// The write-ahead log has checksums of its own, which SQLite verifies when it opens the log.
///
/// ```swift
/// let queue = try DatabaseQueue(path: PageChecksums.address(of: path, isNew: true))
/// try queue.writeWithoutTransaction { try PageChecksums.reserve(in: $0) }
/// ```
package enum PageChecksums {
    /// The name under which SQLite opens the file with checksums: a URI. May be called on any thread.
    ///
    /// - Parameters:
    ///   - path: the path of the database.
    ///   - isNew: true for a file that this connection fills, after ``reserve(in:)`` or with a copy of a database that
    ///     has checksums: every page gets one, also before the page that says so was written.
    package static func address(of path: String, isNew: Bool = false) -> String {
        guard let vfs = ChecksumVFS.name else { return path }
        var parameters = [URLQueryItem(name: "vfs", value: vfs), URLQueryItem(name: Parameter.path, value: path)]
        if isNew { parameters.append(URLQueryItem(name: Parameter.isNew, value: "1")) }
        let query = parameters.map { "\($0.name)=\(encoded($0.value ?? ""))" }.joined(separator: "&")
        return (path.hasPrefix("/") ? "file://" : "file:") + encoded(path) + "?" + query
    }

    /// The names of our parameters in a URI.
    enum Parameter {
        static let path = "causeway_path"
        static let isNew = "causeway_new"
    }

    private static func encoded(_ text: String) -> String {
        let plain = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
        return text.addingPercentEncoding(withAllowedCharacters: plain) ?? text
    }

    /// Makes room for checksums in a database: at once in one to which nothing was written yet, and otherwise with its
    /// next `VACUUM`.
    package static func reserve(in db: Database) throws {
        _ = try reservedBytes(db, wanted: Int32(PageChecksum.bytesCount))
    }

    /// True if the pages of the database have room for checksums, or will have it after the next `VACUUM`.
    package static func areReserved(in db: Database) throws -> Bool {
        try reservedBytes(db, wanted: -1) == Int32(PageChecksum.bytesCount)
    }

    /// The bytes at the beginning of a database that tell how its pages are made.
    package static let headBytes = ChecksumFile.reservedAt + 1

    /// The same by the first bytes of its file, which are older than the log.
    package static func areReserved(inHead head: [UInt8]) -> Bool {
        head.count >= headBytes && Int(head[ChecksumFile.reservedAt]) == PageChecksum.bytesCount
    }

    /// The size of a page by the first bytes of a database (SQLite's file format, §1.3.2).
    package static func pageBytes(inHead head: [UInt8]) -> Int {
        guard head.count >= headBytes else { return 0 }
        let value = Int(head[16]) << 8 | Int(head[17])
        return value == 1 ? 65_536 : value
    }

    /// The reserved bytes before the call; a negative number changes nothing.
    private static func reservedBytes(_ db: Database, wanted: Int32) throws -> Int32 {
        var count = wanted
        let result = unsafe sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_RESERVE_BYTES, &count)
        guard result == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: result)) }
        return count
    }

    /// The damage that was found last in this database by a connection of this process.
    ///
    /// - Parameter path: as it was given to ``address(of:isNew:)``.
    package static func damage(to path: String) -> PageDamage? { DamageLog.ofProcess.withLock { $0.last(in: path) } }

    /// Forgets it, before a query whose damage is of interest.
    package static func forgetDamage(to path: String) { DamageLog.ofProcess.withLock { $0.forget(path) } }
}

/// A page with a wrong checksum: the disk changed it, or a program without checksums.
package struct PageDamage: Sendable, Hashable, CustomStringConvertible {
    /// The place of the page in the file, in bytes.
    package var offset: Int64
    package var bytesCount: Int

    package init(offset: Int64, bytesCount: Int) {
        self.offset = offset
        self.bytesCount = bytesCount
    }

    package var description: String {
        "the checksum of page \(offset / Int64(bytesCount) + 1), at byte \(offset), is wrong: the disk or another "
            + "program has changed it"
    }
}
