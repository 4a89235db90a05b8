import CausewayModels
import CausewayStorage
import CausewaySystem
import Synchronization

/// Fills a new file store. Nothing of it is durable before ``finish()``.
final class FileWriter: StoreWriter, Sendable {
    private let disk: any Disk
    private let names: StoreFiles
    private let database: FileDatabase
    private let restorer = Mutex(EntryRestorer())

    init(_ disk: any Disk, _ names: StoreFiles) throws(StoreError) {
        self.disk = disk
        self.names = names
        do throws(SystemError) {
            try disk.makeFolder()
            let found = try disk.names()
            guard !found.contains(where: { $0 == StoreFiles.snapshot || StoreFiles.journalNumber($0) != nil }) else {
                throw SystemError.broken
            }
        } catch {
            throw .notAccessible(path: names.folder, detail: "it contains a store already, or cannot be read")
        }
        let files = JournalFiles(names)
        let opening = try JournalOpening(disk, files, .normal, newStore: UInt64.random(in: 1...UInt64.max))
        database = FileDatabase(opening.index, opening.state, files, CommitFeed())
    }

    func append(_ entries: [StoreEntry]) throws(StoreError) {
        try write { rows throws(StoreError) in
            var next = self.restorer.withLock { $0 }
            for entry in entries { try next.restore(entry, to: &rows) }
            self.restorer.withLock { $0 = next }
        }
    }

    func finish() throws(StoreError) {
        let last = restorer.withLock { $0 }
        try write { rows throws(StoreError) in try last.finish(&rows) }
        let sync = WriteRequest(exclusive: { journal throws(StoreError) in try journal.writer.sync() })
        for result in try database.commit([sync]) { _ = try result.get() }
        database.close()
        do throws(SystemError) { try disk.syncNames() } catch { throw names.syncFailure(error, at: "") }
    }

    private func write(_ body: @escaping @Sendable (inout FileRows) throws(StoreError) -> Void) throws(StoreError) {
        let request = WriteRequest(isSilent: true) { applier throws(StoreError) in
            try body(&applier.rows)
            return .done
        }
        for result in try database.commit([request]) { _ = try result.get() }
    }
}
