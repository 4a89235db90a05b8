import CausewaySQLiteChecksums
import CausewayStorage
import CausewaySystem
import GRDB

extension StoreSchema {
    /// Gives checksums to the pages that have none: all of a store that an earlier version made, and those that a
    /// program without checksums has written. Writes the store anew, in one transaction.
    ///
    /// A large store gets them from `causeway store compact`, so that its opening takes no longer; and one without room
    /// on its disk goes on without them.
    ///
    /// - Parameters:
    ///   - bytesMax: the size of a store that is not large.
    ///   - willCutLog: called before the log is cut.
    static func addChecksums(_ folder: StoreFolder, upTo bytesMax: Int64, willCutLog: () -> Void) throws(StoreError) {
        let size = try folder.size(of: folder.database) ?? 0
        guard size <= bytesMax else { return }
        // Without a connection that can write, which would cut the log at its end.
        guard try lacksChecksums(folder) else { return }
        willCutLog()
        do throws(StoreError) {
            try StoreError.catching(folder.database) {
                let queue = try DatabaseQueue(path: PageChecksums.address(of: folder.database))
                defer { try? queue.close() }
                // The new layout first: an earlier version would not write the checksums.
                try migrator.migrate(queue)
                try queue.writeWithoutTransaction { db in
                    try db.execute(sql: "PRAGMA synchronous = FULL")
                    try PageChecksums.reserve(in: db)
                    try db.execute(sql: "VACUUM")
                }
            }
        } catch {
            guard case .full = error else { throw error }
        }
    }

    /// True if a page has no checksum, and will have none when the log is copied into the database.
    private static func lacksChecksums(_ folder: StoreFolder) throws(StoreError) -> Bool {
        let head = try folder.head(of: folder.database, count: PageChecksums.headBytes)
        guard PageChecksums.areReserved(inHead: head) else { return true }
        let pageBytes = PageChecksums.pageBytes(inHead: head)
        let logged = try pagesInLog(folder, Int64(pageBytes))
        do throws(SystemError) {
            return try PageScan(of: folder.database, pageBytes: pageBytes, leavesOut: logged.contains).unprotected > 0
        } catch {
            throw StoreFolder.failure(error, at: folder.database)
        }
    }
}
