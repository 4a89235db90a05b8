import CausewayStorage
import GRDB

/// Detection of a file that is shorter than the database: SQLite would read zeroes in place of its missing end, and
/// overwrite it.
extension StoreSchema {
    /// An error if pages are neither in the file nor in the log; `nil` if none are missing.
    ///
    /// The file may be shorter while the log still contains pages to be copied into it.
    static func missingPages(_ db: Database, _ folder: StoreFolder) throws -> StoreError? {
        let pageBytes = try Int64.fetchOne(db, sql: "PRAGMA page_size") ?? 4096
        let pages = try Int64.fetchOne(db, sql: "PRAGMA page_count") ?? 0
        let size = try folder.size(of: folder.database) ?? 0
        guard size < pages * pageBytes else { return nil }
        let logged = try pagesInLog(folder, pageBytes)
        let missing = (size / pageBytes + 1...pages).filter { !logged.contains($0) }
        if missing.isEmpty { return nil }
        return .damaged(
            path: folder.database,
            detail: "\(pages * pageBytes - size) bytes are missing at its end; restore it from a backup")
    }

    /// The numbers of the pages in the write-ahead log, according to its frames (SQLite's file format, §4.1).
    static func pagesInLog(_ folder: StoreFolder, _ pageBytes: Int64) throws(StoreError) -> Set<Int64> {
        guard let size = try folder.size(of: folder.log) else { return [] }
        let salts = try folder.bytes(of: folder.log, from: 16, count: 8)
        var found: Set<Int64> = []
        var offset: Int64 = 32
        while offset + 24 + pageBytes <= size {
            let frame = try folder.bytes(of: folder.log, from: offset, count: 24)
            guard frame.count == 24, frame[8..<16].elementsEqual(salts) else { break }
            found.insert(frame[0..<4].reduce(0) { $0 << 8 | Int64($1) })
            offset += 24 + pageBytes
        }
        return found
    }
}
