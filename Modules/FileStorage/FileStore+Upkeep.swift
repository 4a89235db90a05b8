import CausewayBlobs
package import CausewayStorage
import CausewaySystem
import Dispatch
import Synchronization

extension FileStore: StoreUpkeep {
    package var tornTail: TornTail? {
        guard recovery.bytesCut > 0, let file = recovery.cutFile else { return nil }
        return TornTail(place: "\(folder)/\(file) at byte \(recovery.cutAt)", bytes: recovery.bytesCut)
    }

    /// Between two transactions the index and the end of the journal are captured; a snapshot of that index and the
    /// journal up to that end make up the copy. Writers wait only for the capture.
    package func copy(
        to folder: String, progress: @escaping @Sendable (UpkeepProgress) -> Void
    ) async throws(StoreError) {
        guard let files else { throw .other(detail: "a store without files cannot be copied") }
        let usage = (try? await files.usage().bytes) ?? 0
        try await files.holding { () throws(StoreError) in
            let capture = try await database.capture(with: committer)
            try await Self.blocking { () throws(StoreError) in
                let total = capture.bytes + usage
                let report = { (done: Int64) in progress(UpkeepProgress(done: done, total: total)) }
                try capture.write(to: SystemDisk(folder), StoreFiles(folder: folder), progress: report)
                do throws(BlobError) {
                    try files.copyAll(to: folder + "/blobs") { report(capture.bytes + $0) }
                } catch {
                    throw .notAccessible(path: folder, detail: error.description)
                }
            }
        }
    }

    package func compact(progress: @escaping @Sendable (UpkeepProgress) -> Void) async throws(StoreError) {
        let total = try await bytesOnDisk()
        progress(UpkeepProgress(done: 0, total: total))
        try await maintain(.compaction) { done in
            progress(UpkeepProgress(done: Int64(Double(total) * done), total: total))
        }
        progress(UpkeepProgress(done: total, total: total))
    }

    package func bytesOnDisk() async throws(StoreError) -> Int64 {
        let end = try await database.end(with: committer)
        var bytes: Int64 = 0
        for name in try FileFormat().fileNames(in: folder) where name != StoreFiles.journalEnd {
            // Not the zeros behind the end of the journal.
            if StoreFiles.journalNumber(name) == end.file {
                bytes += end.offset
            } else {
                bytes += (try? FileStatus(of: folder + "/" + name).bytesCount) ?? 0
            }
        }
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

/// The files of a store as of one moment: open, and readable whatever compaction removes.
struct StoreCapture: Sendable {
    private let snapshot: Snapshot
    private let files: [UInt32: any DiskFile]
    private let sizes: [UInt32: Int64]

    /// The bytes of the journal.
    let bytes: Int64

    init(_ snapshot: Snapshot, _ files: [UInt32: any DiskFile]) throws(SystemError) {
        var sizes: [UInt32: Int64] = [:]
        for (number, file) in files where number >= snapshot.oldestFile && number <= snapshot.position.file {
            sizes[number] = number == snapshot.position.file ? snapshot.position.offset : try file.size()
        }
        self.snapshot = snapshot
        self.files = files
        self.sizes = sizes
        bytes = sizes.values.reduce(0, +)
    }

    /// Writes the files into an empty folder, durably. Blocks the thread.
    func write(to disk: any Disk, _ names: StoreFiles, progress: (Int64) -> Void) throws(StoreError) {
        var done: Int64 = 0
        for (number, size) in sizes.sorted(by: { $0.key < $1.key }) {
            let name = StoreFiles.journal(number)
            do throws(SystemError) {
                guard let source = files[number] else { throw SystemError.broken }
                let target = try disk.open(name, isNew: true)
                var offset: Int64 = 0
                while offset < size {
                    let count = Int(min(Int64(FileLimits.copyPartBytes), size - offset))
                    let part = try source.read(at: offset, count: count)
                    guard part.count == count else { throw SystemError.broken }
                    try target.writeAll(part, at: offset)
                    offset += Int64(count)
                    progress(done + offset)
                }
                try target.sync()
                done += size
            } catch {
                throw names.failure(error, at: name)
            }
        }
        _ = try SnapshotWriter.write(snapshot, disk, names) { false }
    }
}

extension FileDatabase {
    /// The end of the journal between two transactions.
    fileprivate func end(with committer: GroupCommitter) async throws(StoreError) -> JournalPosition {
        let found = Mutex<JournalPosition?>(nil)
        _ = try await committer.submit(
            WriteRequest(exclusive: { journal in
                let end = journal.writer.end
                found.withLock { $0 = end }
            }))
        guard let end = found.withLock({ $0 }) else { throw .closed }
        return end
    }

    /// Captures the store between two transactions.
    func capture(with committer: GroupCommitter) async throws(StoreError) -> StoreCapture {
        let captured = Mutex<StoreCapture?>(nil)
        _ = try await committer.submit(
            WriteRequest(exclusive: { journal throws(StoreError) in
                // Read once: compaction removes files meanwhile.
                let files = self.files.all
                let oldest = files.keys.min() ?? journal.writer.end.file
                let snapshot = self.snapshot(journal, oldestFile: oldest)
                do throws(SystemError) {
                    let capture = try StoreCapture(snapshot, files)
                    captured.withLock { $0 = capture }
                } catch {
                    throw self.files.names.failure(error, at: "")
                }
            }))
        guard let capture = captured.withLock({ $0 }) else { throw .closed }
        return capture
    }
}
