import CausewayStorage
import CausewaySystem

/// Opens the files of a store, or makes them: reads the snapshot, then the journal after it.
///
/// The caller holds the lock of the folder.
struct JournalOpening {
    private(set) var index: FileIndex
    private(set) var state: JournalState
    private(set) var report: RecoveryReport
    private(set) var snapshotBytes: Int64 = 0

    init(
        _ disk: any Disk, _ files: JournalFiles, _ durability: Durability, newStore: UInt64
    ) throws(StoreError) {
        let names = try Self.names(disk, files.names)
        let noted = try JournalEnd(disk, files.names)
        let snapshot = try Self.snapshot(disk, files.names, names)
        let numbers = names.compactMap(StoreFiles.journalNumber).sorted()
        guard let last = numbers.last, snapshot.map({ $0.position.file <= last }) ?? true else {
            if let snapshot {
                let missing = StoreFiles.journal(snapshot.position.file)
                throw files.names.damage(missing, at: 0, "the journal file that the snapshot names is missing")
            }
            let isGone = noted.position?.hasCommits ?? false
            self = try JournalOpening(making: disk, files, durability, store: newStore, noted)
            if isGone { report.loss = JournalEnd.loss("\(files.names.folder) has none of its files") }
            return
        }
        let oldest = snapshot?.oldestFile ?? 1
        try Self.open(disk, files, numbers, from: oldest, to: last)
        var recovery = JournalRecovery(
            disk, files, snapshot?.index ?? FileIndex(),
            from: snapshot?.position ?? JournalPosition(file: 1, offset: 0, number: 1), store: snapshot?.store ?? 0,
            noted: noted.position)
        try recovery.run(to: last)
        guard recovery.end.number > 1 else {
            // Nothing was ever acknowledged: the store was being made.
            files[1] = nil
            try Self.remove(StoreFiles.journal(1), disk, files.names)
            self = try JournalOpening(making: disk, files, durability, store: newStore, noted)
            report.bytesCut = recovery.report.bytesCut
            report.loss = recovery.report.loss
            return
        }
        guard let file = files[recovery.end.file] else {
            throw files.names.damage(StoreFiles.journal(recovery.end.file), at: 0, "the journal file is missing")
        }
        index = recovery.index
        if let snapshot, !snapshot.hasAllRelations { try index.addRelations(RecordReader(files.all, files.names)) }
        report = recovery.report
        report.hasSnapshot = snapshot != nil
        snapshotBytes = snapshot?.size ?? 0
        state = JournalState(
            writer: JournalWriter(
                disk, files, durability, store: recovery.store, end: recovery.end, file: file, noted: noted),
            oldestKept: oldest)
        for (number, file) in files.all where number < recovery.end.file {
            state.formerBytes += try Self.size(file, files.names, StoreFiles.journal(number))
        }
        state.bytesSinceSnapshot = state.journalBytes
        if let start = snapshot?.position {
            for (number, file) in files.all where number < start.file {
                state.bytesSinceSnapshot -= try Self.size(file, files.names, StoreFiles.journal(number))
            }
            state.bytesSinceSnapshot -= start.offset
        }
        // The remains of an interrupted compaction or snapshot.
        for number in numbers where number < oldest { try? disk.remove(StoreFiles.journal(number)) }
        if names.contains(StoreFiles.newSnapshot) { try? disk.remove(StoreFiles.newSnapshot) }
    }

    /// Makes an empty store.
    private init(
        making disk: any Disk, _ files: JournalFiles, _ durability: Durability, store: UInt64, _ noted: JournalEnd
    ) throws(StoreError) {
        let start = JournalPosition(file: 1, offset: 0, number: 1)
        let (file, end) = try JournalWriter.makeFile(disk, files.names, store: store, at: start, replaces: false)
        files[1] = file
        index = FileIndex()
        report = RecoveryReport()
        state = JournalState(
            writer: JournalWriter(disk, files, durability, store: store, end: end, file: file, noted: noted),
            oldestKept: 1)
    }

    private static func names(_ disk: any Disk, _ files: StoreFiles) throws(StoreError) -> Set<String> {
        let names: Set<String>
        do throws(SystemError) { names = Set(try disk.names()) } catch { throw files.failure(error, at: "") }
        if names.contains(StoreFiles.database) {
            throw .notAccessible(
                path: files.folder,
                detail: "it contains a store of the other kind (sqlite); set storage = sqlite, or name another folder")
        }
        return names
    }

    private static func snapshot(
        _ disk: any Disk, _ files: StoreFiles, _ names: Set<String>
    ) throws(StoreError) -> SnapshotReader? {
        guard names.contains(StoreFiles.snapshot) else { return nil }
        let file: any DiskFile
        do throws(SystemError) { file = try disk.open(StoreFiles.snapshot, isNew: false) } catch {
            throw files.failure(error, at: StoreFiles.snapshot)
        }
        return try SnapshotReader(file, files)
    }

    /// Opens the journal files from the first that is needed; none may be missing.
    private static func open(
        _ disk: any Disk, _ files: JournalFiles, _ numbers: [UInt32], from oldest: UInt32, to last: UInt32
    ) throws(StoreError) {
        let found = Set(numbers)
        guard oldest <= last else {
            throw files.names.damage(StoreFiles.journal(oldest), at: 0, "the journal file is missing")
        }
        for number in oldest...last {
            let name = StoreFiles.journal(number)
            guard found.contains(number) else { throw files.names.damage(name, at: 0, "the journal file is missing") }
            do throws(SystemError) { files[number] = try disk.open(name, isNew: false) } catch {
                throw files.names.failure(error, at: name)
            }
        }
    }

    private static func size(_ file: any DiskFile, _ names: StoreFiles, _ name: String) throws(StoreError) -> Int64 {
        do throws(SystemError) { return try file.size() } catch { throw names.failure(error, at: name) }
    }

    private static func remove(_ name: String, _ disk: any Disk, _ names: StoreFiles) throws(StoreError) {
        do throws(SystemError) { try disk.remove(name) } catch { throw names.failure(error, at: name) }
    }
}
