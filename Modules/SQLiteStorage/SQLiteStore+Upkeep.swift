import CausewayBlobs
import CausewaySQLiteChecksums
package import CausewayStorage
import CausewaySystem
import Dispatch
import GRDB

extension SQLiteStore: StoreUpkeep {
    package var tornTail: TornTail? { database.tornTail }

    /// SQLite copies the pages that a reader sees: writers continue in the log, which is copied into the database
    /// afterwards.
    package func copy(
        to folder: String, progress: @escaping @Sendable (UpkeepProgress) -> Void
    ) async throws(StoreError) {
        let usage = (try? await files.usage().bytes) ?? 0
        let (database, files) = (database, files)
        try await files.holding { () throws(StoreError) in
            try await Self.blocking { () throws(StoreError) in
                let target = StoreFolder(path: folder)
                let bytes = try database.copy(to: target.database) { done, total in
                    progress(UpkeepProgress(done: done, total: total + usage))
                }
                do throws(BlobError) {
                    try files.copyAll(to: folder + "/blobs") { done in
                        progress(UpkeepProgress(done: bytes + done, total: bytes + usage))
                    }
                } catch {
                    throw .notAccessible(path: folder, detail: error.description)
                }
            }
        }
    }

    package func compact(progress: @escaping @Sendable (UpkeepProgress) -> Void) async throws(StoreError) {
        let total = try await bytesOnDisk()
        progress(UpkeepProgress(done: 0, total: total))
        let database = database
        try await Self.blocking { () throws(StoreError) in try database.vacuum() }
        progress(UpkeepProgress(done: total, total: total))
    }

    package func bytesOnDisk() async throws(StoreError) -> Int64 {
        let folder = StoreFolder(path: folder)
        var bytes: Int64 = 0
        for file in [folder.database, folder.log] { bytes += try folder.size(of: file) ?? 0 }
        return bytes
    }

    /// Waits for the disk on a thread outside the shared pool.
    private static func blocking<Value: Sendable>(
        _ body: @escaping @Sendable () throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .utility).async {
                continuation.resume(returning: Result { () throws(StoreError) in try body() })
            }
        }
        return try result.get()
    }
}

extension StoreDatabase {
    /// Copies the database into a new file, durably, as one reader sees it. Blocks the thread, and no writer.
    ///
    /// - Parameter progress: called with the bytes that were copied, and all bytes.
    /// - Returns: the size of the copy.
    func copy(to path: String, progress: @escaping (Int64, Int64) -> Void) throws(StoreError) -> Int64 {
        let pool = try pool()
        try StoreError.catching(path) {
            let hasChecksums = try pool.read { try PageChecksums.areReserved(in: $0) }
            let target = try DatabaseQueue(path: PageChecksums.address(of: path, isNew: hasChecksums))
            let pageBytes = Int64(try target.read { try Int.fetchOne($0, sql: "PRAGMA page_size") } ?? 4096)
            try pool.backup(to: target, pagesPerStep: SQLiteLimits.copyPages) { step in
                progress(
                    Int64(step.completedPageCount) * pageBytes, Int64(step.totalPageCount) * pageBytes)
            }
            try target.close()
        }
        do throws(SystemError) {
            try FileSystem.setPermissions(.owner, of: path)
            let file = try OpenFile(path, for: .readingAndWriting, .noLink)
            try file.sync()
            try FileSystem.syncFolder(FileSystem.parent(of: path))
            return try file.status().bytesCount
        } catch {
            throw StoreFolder.failure(error, at: path)
        }
    }

    /// Writes the database anew without its free pages, and cuts the log. Writers wait meanwhile.
    func vacuum() throws(StoreError) {
        try withLogCut { db in
            // In a database of an earlier version, free pages can be given back in steps from here on, and its pages
            // have checksums.
            try PageChecksums.reserve(in: db)
            try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
            try db.execute(sql: "VACUUM")
        }
    }
}
