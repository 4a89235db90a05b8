import CausewayFileStorage
import CausewayModels
import CausewayStorage
import CausewayStoreTorture

/// A disk with a real file store on it: a journal, snapshots and compaction, on a ``FaultyDisk`` that knows what is
/// durable.
final class FileDisk: DeviceDisk {
    let disk: FaultyDisk
    private let options: FileOptions
    private let files: MemoryBlobStore?
    private let opened: Result<FileStore, StoreError>
    private let cutsTooMuch: Bool

    /// Opens the store on the disk, and recovers it.
    ///
    /// - Parameters:
    ///   - files: the files of messages; they never lose power.
    ///   - cutsTooMuch: see ``PlantedFault/cutsTailsPredecessor``.
    init(_ disk: FaultyDisk, _ options: FileOptions, files: MemoryBlobStore?, cutsTooMuch: Bool = false) {
        self.disk = disk
        self.options = options
        self.files = files
        self.cutsTooMuch = cutsTooMuch
        var opened = Result { () throws(StoreError) in
            try FileStore(on: disk, durability: .full, options: options)
        }
        if cutsTooMuch, case .success(let store) = opened, let name = store.recovery.cutFile,
            disk.cutLastTransaction(of: name)
        {
            opened = Result { () throws(StoreError) in
                try FileStore(on: disk, durability: .full, options: options)
            }
        }
        self.opened = opened
    }

    private var fileStore: FileStore? { try? opened.get() }

    var store: Result<any Store, StoreError> { opened.map { $0 } }
    var blobs: (any BlobStore)? { files }
    var contents: (items: [StoredItem], controls: [ChainMarker]) { (try? fileStore?.contents) ?? ([], []) }
    var account: Account? { fileStore?.account }
    var history: ServerHistory? { fileStore?.outboxRecord.history }
    var outboxID: OutboxID? { fileStore?.outboxRecord.id }
    var session: Session? { fileStore?.savedSession }
    /// True if opening it cut the remains of an unfinished write.
    var hadTornTail: Bool { (fileStore?.recovery.bytesCut ?? 0) > 0 }
    var maintained: (snapshots: Int, compactions: Int) {
        fileStore.map { ($0.maintained.snapshots, $0.maintained.compactions) } ?? (0, 0)
    }
    /// The number of the last frame of the journal.
    var lastFrame: UInt64 { fileStore?.lastFrame ?? 0 }

    private func next(_ disk: FaultyDisk) -> FileDisk {
        FileDisk(disk, options, files: files?.crashed(), cutsTooMuch: cutsTooMuch)
    }

    func afterCrash() -> any DeviceDisk { next(disk.afterKill()) }

    /// By small pages, so that most transactions have several.
    func afterPowerFailure(_ keeps: () -> Bool) -> (any DeviceDisk)? {
        next(disk.afterPowerFailure(pageBytes: 64, keeps))
    }

    func failNextCommits(_ count: Int, with error: StoreError) { disk.failNext(count, .write) }
}

extension FaultyDisk {
    /// Removes the last transaction of a journal file.
    ///
    /// - Returns: false if it has no other one.
    fileprivate func cutLastTransaction(of name: String) -> Bool {
        guard let bytes = self[name] else { return false }
        // The ends of the transactions: a frame has its flags at byte 5, the bytes of its payload at byte 36.
        var ends: [Int] = []
        var offset = 0
        while offset + 48 <= bytes.count {
            let payload = (0..<4).reduce(0) { $0 | Int(bytes[offset + 36 + $1]) << (8 * $1) }
            let isLast = bytes[offset + 5] & 1 != 0
            offset += 48 + payload
            if isLast { ends.append(offset) }
        }
        guard ends.count > 1 else { return false }
        self[name] = Array(bytes[..<ends[ends.count - 2]])
        return true
    }
}
