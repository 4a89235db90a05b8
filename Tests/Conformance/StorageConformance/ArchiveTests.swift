import CausewayBlobs
import CausewayFileStorage
import CausewayMaintenance
import CausewayModels
import CausewaySQLiteStorage
import CausewayStorage
import CausewayStorageConformance
import CausewayTestSupport
import Foundation
import Testing

/// The content of a store as a stream of entries: the same from either kind of store, after any history.
struct ArchiveTests {
    private let folders: TemporaryFolder
    private static let formats: [any StoreFormat] = [SQLiteFormat(), FileFormat()]

    init() throws { folders = try TemporaryFolder(.memory) }

    private static func format(_ name: String) throws -> any StoreFormat {
        try #require(formats.first { $0.name == name })
    }

    /// A folder with a closed store, after a drawn history.
    private func store(_ kind: String, _ seed: UInt64, steps: Int = 60) async throws -> String {
        let folder = folders.fresh()
        let open: @Sendable () async throws -> any Store = {
            kind == "file"
                ? try await FileStore.open(at: folder, durability: .normal)
                : try await SQLiteStore.open(at: folder, durability: .normal)
        }
        let factory = StoreFactory(
            make: { _ in try await open() },
            reopen: { store in
                await store.close()
                return try await open()
            })
        let store = try await StoreConformance.perform(history: seed, steps: steps, factory)
        await store.close()
        return folder
    }

    /// A folder with a closed store, in which no message waits for its file: the files of the histories are not real.
    private func soundStore(_ kind: String, from seed: UInt64) async throws -> String {
        for seed in seed..<(seed + 50) {
            let folder = try await store(kind, seed)
            var audit = StoreAudit()
            for entry in try entries(kind, folder) { _ = audit.add(entry) }
            if audit.files.isEmpty { return folder }
        }
        throw StoreError.closed
    }

    private func entries(_ kind: String, _ folder: String) throws -> [StoreEntry] {
        let reader = try Self.format(kind).reader(of: folder)
        defer { reader.close() }
        var found: [StoreEntry] = []
        try reader.readAll { entry throws(StoreError) in found.append(entry) }
        try reader.verify { problem throws(StoreError) in Issue.record("\(problem)") }
        return found
    }

    private func write(_ entries: [StoreEntry], _ kind: String) throws -> String {
        let folder = folders.fresh()
        let writer = try Self.format(kind).writer(to: folder)
        for start in stride(from: 0, to: entries.count, by: 7) {
            try writer.append(Array(entries[start..<min(start + 7, entries.count)]))
        }
        try writer.finish()
        return folder
    }

    @Test(arguments: ["sqlite", "file"])
    func everyHistoryReturnsFromTheOtherKindAsItWas(_ kind: String) async throws {
        let other = kind == "file" ? "sqlite" : "file"
        var kinds = StoreEntryCounts()
        for seed in 0..<24 as Range<UInt64> {
            let folder = try await store(kind, seed)
            let original = try entries(kind, folder)
            var audit = StoreAudit()
            for entry in original {
                kinds.count(entry)
                for problem in audit.add(entry) { Issue.record("history \(seed): \(problem)") }
            }
            for problem in audit.finish() { Issue.record("history \(seed): \(problem)") }
            let there = try entries(other, try write(original, other))
            #expect(there == original, "history \(seed)")
            let back = try entries(kind, try write(there, kind))
            #expect(back == original, "history \(seed)")
            for entry in original {
                let line = try EntryLine.entry(entry).encoded()
                #expect(try EntryLine(Array(line)) == .entry(entry), "history \(seed)")
            }
        }
        // The histories have everything that a stream can contain.
        #expect(kinds.accounts > 24)
        #expect(kinds.messages > 0)
        #expect(kinds.operations > 0)
        #expect(kinds.markers > 0)
        #expect(kinds.lanes > 0)
        #expect(kinds.records > 0)
        #expect(kinds.deletions > 0)
    }

    @Test(arguments: ["sqlite", "file"])
    func aMigratedStoreContinuesWhereTheOldOneEnded(_ kind: String) async throws {
        let other = kind == "file" ? "sqlite" : "file"
        let folder = try await store(kind, 7)
        let before = try entries(kind, folder)
        let tools = try StoreFolderTools(folder, Self.formats)
        let migration = StoreMigration(tools) { _, _, _ in }
        let report = try migration.run(to: other, discardsFormer: false)
        #expect(report.entries.total == before.count - 1)
        #expect(report.former == "\(folder)/former-\(kind)")
        #expect(try entries(other, folder) == before)
        #expect(try Self.format(kind).exists(in: folder) == false)
        #expect(try entries(kind, "\(folder)/former-\(kind)") == before)
        // There and back; a former store is never replaced unasked.
        _ = try migration.run(to: kind, discardsFormer: false)
        #expect(throws: StoreError.self) { try migration.run(to: other, discardsFormer: false) }
        #expect(try entries(kind, folder) == before)
        #expect(try migration.run(to: other, discardsFormer: true).former == nil)
        #expect(try entries(other, folder) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("former") } == [])
        tools.close()
    }

    /// The files of a folder, with their bytes.
    private static func contents(_ folder: String) throws -> [String: Data] {
        var found: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder) where !name.hasSuffix("-shm") {
            found[name] = FileManager.default.contents(atPath: folder + "/" + name)
        }
        found["lock"] = nil
        return found
    }

    @Test(arguments: ["sqlite", "file"])
    func aCheckFindsNothingInASoundStoreAndChangesNothing(_ kind: String) async throws {
        let folder = try await soundStore(kind, from: 3)
        let before = try Self.contents(folder)
        let tools = try StoreFolderTools(folder, Self.formats)
        let report = try StoreCheck(tools) { _, _, _ in }.run()
        tools.close()
        #expect(report.problems == [])
        #expect(report.isSound)
        #expect(report.kind == kind)
        #expect(report.entries.messages > 0)
        #expect(try Self.contents(folder).filter { !$0.value.isEmpty } == before.filter { !$0.value.isEmpty })
    }

    /// A byte of the journal changed anywhere is found.
    @Test func aChangedByteOfTheJournalIsFound() async throws {
        let folder = try await soundStore("file", from: 11)
        let path = folder + "/journal-0000000000000001"
        let bytes = try #require(FileManager.default.contents(atPath: path))
        var random = SplitMix64(seed: 5)
        for _ in 0..<40 {
            var changed = bytes
            // Not in the last transaction: a write that never ended looks the same.
            let place = Int(random.next() % UInt64(bytes.count * 3 / 4))
            changed[place] ^= UInt8(1) << UInt8(random.next() % 8)
            try changed.write(to: URL(fileURLWithPath: path))
            #expect(try isFound(folder), "byte \(place)")
        }
    }

    /// True if a check finds a problem, or cannot read the store.
    private func isFound(_ folder: String) throws -> Bool {
        let tools = try StoreFolderTools(folder, Self.formats)
        defer { tools.close() }
        do throws(StoreError) { return try !StoreCheck(tools) { _, _, _ in }.run().isSound } catch { return true }
    }

    /// The switch is repeated after it was interrupted at each of its steps.
    @Test(arguments: ["sqlite", "file"])
    func anInterruptedSwitchIsCompletedAndNeverOpened(_ kind: String) async throws {
        let other = kind == "file" ? "sqlite" : "file"
        let source = try await store(kind, 5)
        let before = try entries(kind, source)
        let new = try write(before, other)
        let oldNames = try Self.format(kind).fileNames(in: source)
        let newNames = try Self.format(other).fileNames(in: new)
        for step in 0...(oldNames.count + newNames.count) {
            let folder = folders.fresh()
            let files = FileManager.default
            for made in [folder, "\(folder)/migration", "\(folder)/former-\(kind)"] {
                try files.createDirectory(atPath: made, withIntermediateDirectories: true)
            }
            for (index, name) in oldNames.enumerated() {
                let place = index < step ? "\(folder)/former-\(kind)/\(name)" : "\(folder)/\(name)"
                try files.copyItem(atPath: "\(source)/\(name)", toPath: place)
            }
            for (index, name) in newNames.enumerated() {
                let isMoved = index < step - oldNames.count
                try files.copyItem(
                    atPath: "\(new)/\(name)", toPath: isMoved ? "\(folder)/\(name)" : "\(folder)/migration/\(name)")
            }
            try Data(other.utf8).write(to: URL(fileURLWithPath: "\(folder)/migration/complete"))
            #expect(throws: StoreError.self) { try UnfinishedWork.require(none: folder) }
            // Neither kind of store opens it, or makes a new one there.
            let names = try files.contentsOfDirectory(atPath: folder).filter { $0 != "lock" }.sorted()
            for either in [kind, other] {
                await #expect(throws: StoreError.self) { try await open(either, folder).close() }
            }
            #expect(try files.contentsOfDirectory(atPath: folder).filter { $0 != "lock" }.sorted() == names)
            let tools = try StoreFolderTools(folder, Self.formats)
            #expect(throws: StoreError.self) { try StoreCheck(tools) { _, _, _ in }.run() }
            let report = try StoreMigration(tools) { _, _, _ in }.run(to: other, discardsFormer: false)
            tools.close()
            #expect(report.isResumed)
            try UnfinishedWork.require(none: folder)
            #expect(try entries(other, folder) == before)
            #expect(try entries(kind, "\(folder)/former-\(kind)") == before)
        }
    }

    /// A process was killed between the copy and the switch: the next one compares, and does not copy again, unless the
    /// store was used meanwhile.
    @Test(arguments: ["sqlite", "file"])
    func aCompleteCopyIsNotMadeAgain(_ kind: String) async throws {
        let other = kind == "file" ? "sqlite" : "file"
        for change in 0..<3 {
            let folder = try await store(kind, 5)
            let before = try entries(kind, folder)
            let staging = "\(folder)/migration"
            try FileManager.default.moveItem(atPath: try write(before, other), toPath: staging)
            try Data(other.utf8).write(to: URL(fileURLWithPath: staging + "/copied"))
            let name = try #require(try Self.format(other).fileNames(in: staging).last)
            let made = try Self.fileNumber(staging + "/" + name)
            switch change {
            case 0: break
            case 1:
                // An opening is counted.
                let store = try await open(kind, folder)
                _ = try await store.start(Self.opening)
                await store.close()
            default:
                let path = staging + "/" + name
                let bytes = try #require(FileManager.default.contents(atPath: path))
                try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: path))
            }
            let present = try entries(kind, folder)
            let tools = try StoreFolderTools(folder, Self.formats)
            let report = try StoreMigration(tools) { _, _, _ in }.run(to: other, discardsFormer: false)
            tools.close()
            #expect(report.isResumed == (change == 0), "change \(change)")
            #expect(report.entries.total == present.count - 1)
            #expect(try entries(other, folder) == present)
            #expect(!FileManager.default.fileExists(atPath: staging))
            if change == 0 { #expect(try Self.fileNumber(folder + "/" + name) == made) }
        }
    }

    private static func fileNumber(_ path: String) throws -> UInt64? {
        try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? UInt64
    }

    private static let opening = StartOptions(
        restart: .resume, failure: Failure(reason: .sessionEnded, code: "", detail: "", at: Timestamp(milliseconds: 0)),
        newOutboxID: OutboxID(UUIDv7(high: 7, low: 7)))

    private func open(_ kind: String, _ folder: String) async throws -> any Store & StoreUpkeep {
        kind == "file"
            ? try await FileStore.open(at: folder, durability: .normal)
            : try await SQLiteStore.open(at: folder, durability: .normal)
    }

    /// The copy is the store as of one moment: the messages of each writer up to some number, none left out.
    @Test(arguments: ["sqlite", "file"])
    func aBackupBesideWritersIsOneMoment(_ kind: String) async throws {
        let folder = folders.fresh()
        let store = try await open(kind, folder)
        _ = try await store.start(Self.opening)
        let channel = try #require(ChannelID("general"))
        let sender = try #require(UserID("ann"))
        let target = folders.fresh()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<3 as Range<UInt64> {
                group.addTask {
                    for number in 0..<80 as Range<UInt64> {
                        let id = MessageID(UUIDv7(high: 1 + writer, low: number))
                        let time = Timestamp(milliseconds: 1)
                        _ = try await store.enqueue(
                            MessageDraft(
                                id: id, channel: channel, sender: sender, content: .text("\(number)"), createdAt: time,
                                lane: .text))
                    }
                }
            }
            group.addTask {
                _ = try await StoreBackup(of: folder, to: target).run(store) { _ in }
            }
            try await group.waitForAll()
        }
        await store.close()
        var numbers: [UInt64: [UInt64]] = [:]
        for case .item(let item) in try entries(kind, target) {
            numbers[item.id.value.high, default: []].append(item.id.value.low)
        }
        for found in numbers.values { #expect(found == Array(0..<UInt64(found.count))) }
        let tools = try StoreFolderTools(target, Self.formats)
        #expect(try StoreCheck(tools) { _, _, _ in }.run().problems == [])
        tools.close()
    }

    /// The remains of a backup whose process was killed before, or after, its mark was in the folder; and of another
    /// one that somebody tried to open as a store.
    @Test(arguments: ["sqlite", "file"], [[], ["lock"], ["backup-complete", "store.sqlite"]])
    func theRemainsOfABackupAreReplaced(_ kind: String, _ names: [String]) async throws {
        let folder = try await soundStore(kind, from: 9)
        let target = folders.fresh()
        let remains = target + ".incomplete"
        try FileManager.default.createDirectory(atPath: remains, withIntermediateDirectories: true)
        for name in names { try Data("x".utf8).write(to: URL(fileURLWithPath: "\(remains)/\(name)")) }
        let store = try await open(kind, folder)
        _ = try await StoreBackup(of: folder, to: target).run(store) { _ in }
        await store.close()
        #expect(try entries(kind, target) == entries(kind, folder))
        let files = try FileManager.default.contentsOfDirectory(atPath: target)
        #expect(!files.contains("unfinished") && !files.contains("backup-complete"))
        // As after a backup that was killed when the copy had its name: it is a store all the same.
        try Data().write(to: URL(fileURLWithPath: target + "/backup-complete"))
        try UnfinishedWork.require(none: target)
        #expect(try entries(kind, target) == entries(kind, folder))
    }

    @Test func aFolderThatNoBackupMadeIsKept() async throws {
        let folder = try await soundStore("sqlite", from: 9)
        let target = folders.fresh()
        let own = target + ".incomplete/letter.txt"
        try FileManager.default.createDirectory(atPath: target + ".incomplete", withIntermediateDirectories: true)
        try Data("x".utf8).write(to: URL(fileURLWithPath: own))
        let store = try await open("sqlite", folder)
        await #expect(throws: StoreError.self) {
            try await StoreBackup(of: folder, to: target).run(store) { _ in }
        }
        await store.close()
        #expect(FileManager.default.fileExists(atPath: own))
    }

    @Test(arguments: ["sqlite", "file"])
    func aBackupThatWasCutOffIsRefusedAndReplaced(_ kind: String) async throws {
        let folder = try await soundStore(kind, from: 9)
        let before = try entries(kind, folder)
        let target = folders.fresh()
        // The remains of one whose process was killed.
        let remains = target + ".incomplete"
        try FileManager.default.createDirectory(atPath: remains + "/blobs", withIntermediateDirectories: true)
        for name in ["unfinished", "store.sqlite", "journal-0000000000000001"] {
            try Data("x".utf8).write(to: URL(fileURLWithPath: "\(remains)/\(name)"))
        }
        #expect(throws: StoreError.self) { try UnfinishedWork.require(none: remains) }
        await #expect(throws: StoreError.self) { try await open(kind, remains).close() }
        let store = try await open(kind, folder)
        _ = try await StoreBackup(of: folder, to: target).run(store) { _ in }
        await #expect(throws: StoreError.self) {
            try await StoreBackup(of: folder, to: target).run(store) { _ in }
        }
        await store.close()
        try UnfinishedWork.require(none: target)
        #expect(try entries(kind, target) == before)
        #expect(!FileManager.default.fileExists(atPath: remains))
    }

    @Test func anImportIsWholeOrNothing() async throws {
        let folder = try await soundStore("file", from: 9)
        let before = try entries("file", folder)
        let tools = try StoreFolderTools(folder, Self.formats)
        var bytes: [UInt8] = []
        let export = StoreExport(tools) { _, _, _ in }
        let report = try export.run(
            failure: { $0 },
            { part throws(StoreError) in bytes += part })
        tools.close()
        let lines = bytes.split(separator: UInt8(ascii: "\n")).map(Array.init)
        #expect(lines.count == report.lines)

        for kind in ["sqlite", "file"] {
            let new = folders.fresh()
            try FileManager.default.createDirectory(atPath: new, withIntermediateDirectories: true)
            let target = try StoreFolderTools(new, Self.formats)
            // Every line left out, doubled or cut is noticed.
            var refused = 0
            for (index, line) in lines.enumerated() where index < 40 || index > lines.count - 20 {
                for change in 0..<3 {
                    var changed = lines
                    switch change {
                    case 0: changed.remove(at: index)
                    case 1: changed.insert(line, at: index)
                    default: changed[index] = Array(line.dropLast(3))
                    }
                    do throws(StoreImport.Problem) {
                        _ = try await read(changed, kind, target)
                        Issue.record("line \(index + 1), change \(change): accepted")
                    } catch {
                        guard case .line = error else {
                            Issue.record("line \(index + 1): \(error)")
                            continue
                        }
                        refused += 1
                    }
                    let left = try FileManager.default.contentsOfDirectory(atPath: new)
                    #expect(left == ["lock"], "line \(index + 1), change \(change)")
                }
            }
            #expect(refused > 0)
            let made = try await read(lines, kind, target)
            #expect(made.entries.total == before.count - 1)
            target.close()
            #expect(try entries(kind, new) == before)
        }
    }

    private func read(
        _ lines: [[UInt8]], _ kind: String, _ tools: StoreFolderTools
    ) async throws(StoreImport.Problem) -> StoreImport.Report {
        let new: StoreImport
        do throws(StoreError) { new = try StoreImport(tools, kind: kind) { _, _, _ in } } catch { throw .store(error) }
        do throws(StoreImport.Problem) {
            let bytes = lines.flatMap { $0 + [UInt8(ascii: "\n")] }
            for start in stride(from: 0, to: bytes.count, by: 1000) {
                try await new.add(part: Array(bytes[start..<min(start + 1000, bytes.count)]))
            }
            return try await new.finish()
        } catch {
            new.cancel()
            throw error
        }
    }
}
