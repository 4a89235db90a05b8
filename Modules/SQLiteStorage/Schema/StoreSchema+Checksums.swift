import CausewaySQLiteChecksums
import CausewayStorage
import GRDB

extension StoreSchema {
    /// Gives checksums to the pages of a store that an earlier version made: writes it anew, in one transaction.
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
        // A connection that can write would cut the log at its end.
        let head = try folder.head(of: folder.database, count: PageChecksums.headBytes)
        guard !PageChecksums.areReserved(inHead: head) else { return }
        willCutLog()
        do throws(StoreError) {
            try StoreError.catching(folder.database) {
                let queue = try DatabaseQueue(path: PageChecksums.address(of: folder.database))
                defer { try? queue.close() }
                // The log of an interrupted attempt may have them.
                guard try !queue.read({ try PageChecksums.areReserved(in: $0) }) else { return }
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
}
