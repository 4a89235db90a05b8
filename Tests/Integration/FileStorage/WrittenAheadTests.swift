import CausewayFileStorage
import CausewayModels
import CausewayStorage
import CausewayStoreTorture
import CausewayTestSupport
import Foundation
import Testing

/// Zeros that are written ahead of the journal, so that a commit leaves the length of its file as it is.
struct WrittenAheadTests {
    private static let journal = "journal-0000000000000001"
    private static let ahead = 4_096

    private func options(ahead: Int = ahead, fileBytes: Int64? = nil) -> FileOptions {
        FileOptions(journalBytesMax: fileBytes, journalBytesAhead: ahead, newStore: 7)
    }

    /// An open store with a number of messages.
    private func store(
        on disk: FaultyDisk, _ options: FileOptions, _ durability: Durability = .full, messages: Int = 10
    ) async throws -> FileStore {
        let store = try await FileStore.open(on: disk, durability: durability, options: options)
        _ = try await store.start(History.options)
        for number in 0..<messages { _ = try await store.enqueue(History.draft(number)) }
        return store
    }

    /// The files of a closed store with the same messages, to which nothing was ever written ahead.
    private func plain(fileBytes: Int64? = nil, messages: Int = 10) async throws -> [String: [UInt8]] {
        let disk = FaultyDisk()
        try await store(on: disk, options(ahead: 0, fileBytes: fileBytes), messages: messages).close()
        return journals(on: disk)
    }

    private func journals(on disk: FaultyDisk) -> [String: [UInt8]] {
        disk.files.filter { $0.key.hasPrefix("journal-") }
    }

    /// Opens a store, which must have its messages.
    private func recovery(of disk: FaultyDisk, messages: Int = 10) async throws -> RecoveryReport {
        let store = try await FileStore.open(on: disk, durability: .full)
        let entries = try await store.start(History.options).entries
        #expect(entries.map(\.message) == (0..<messages).map(History.id))
        await store.close()
        return store.recovery
    }

    // MARK: Commits

    @Test func mostCommitsLeaveTheLengthAsItIs() async throws {
        let disk = FaultyDisk()
        let store = try await store(on: disk, options(), messages: 0)
        let before = disk.counts
        var lengths: Set<Int> = []
        for number in 0..<40 {
            _ = try await store.enqueue(History.draft(number))
            lengths.insert(try #require(disk[Self.journal]).count)
        }
        let used = try #require(try await plain(messages: 40)[Self.journal]).count
        #expect(lengths.count <= used / Self.ahead + 1)
        let extensions = disk.counts[.write, default: 0] - before[.write, default: 0] - 40
        #expect(extensions >= 1 && extensions <= lengths.count)
        // A sync includes the zeros.
        #expect(disk.counts[.sync, default: 0] - before[.sync, default: 0] == 40)
        await store.close()
    }

    /// Zeros serve syncs: without these there are none, and a large transaction gains nothing by them.
    @Test func withoutNeedNothingIsWrittenAhead() async throws {
        let disk = FaultyDisk()
        var store = try await store(on: disk, options(), .normal)
        var length = disk[Self.journal]?.count
        await store.close()
        #expect(disk[Self.journal]?.count == length)

        store = try await FileStore.open(on: disk, durability: .full, options: options(ahead: 500))
        _ = try await store.start(History.options)
        try await store.commit((20..<24).map { .enqueue(OperationDraft(History.draft($0, bytes: 400))) })
        try await store.commit([.setEventCursor(EventCursor(rawValue: "1"))], durability: .normal)
        length = disk[Self.journal]?.count
        await store.close()
        #expect(disk[Self.journal]?.count == length)
    }

    // MARK: The end of the journal

    @Test func aStoreAtRestHasNoZeros() async throws {
        let disk = FaultyDisk()
        let store = try await store(on: disk, options())
        let open = try #require(disk[Self.journal])
        await store.close()
        let plain = try await plain()
        #expect(journals(on: disk) == plain)
        let used = try #require(plain[Self.journal])
        #expect(open.starts(with: used))
        #expect(open.count > used.count && open.dropFirst(used.count).allSatisfy { $0 == 0 })
        #expect(journals(on: disk.afterPowerFailure { false }) == plain)
    }

    @Test func theZerosOfAKilledProcessAreNoRemains() async throws {
        let disk = FaultyDisk()
        let store = try await store(on: disk, options())
        let killed = disk.copy()
        await store.close()
        let found = try await recovery(of: killed)
        #expect(found.bytesCut == 0)
        #expect(found.cutFile == nil)
        // It goes on, with zeros of its own.
        let next = try await FileStore.open(on: killed, durability: .full, options: options())
        #expect(next.recovery.bytesCut == 0)
        _ = try await next.start(History.options)
        _ = try await next.enqueue(History.draft(10))
        #expect(try await recovery(of: killed.copy(), messages: 11).bytesCut == 0)
        await next.close()
    }

    /// Of a write that a power failure cut off, the disk may have any part.
    @Test func remainsAmongTheZerosAreCutAndReported() async throws {
        let disk = FaultyDisk()
        let store = try await store(on: disk, options())
        let open = try #require(disk[Self.journal])
        await store.close()
        let used = try #require(disk[Self.journal]).count
        try #require(open.count > used + 1_000)
        let closed = disk
        for distance in [0, 1, 40, 48, 1_000, open.count - used - 1] {
            let disk = closed.copy()
            var torn = open
            torn[used + distance] = 7
            disk[Self.journal] = torn
            let store = try await FileStore.open(on: disk, durability: .full)
            #expect(store.recovery.bytesCut == Int64(distance + 1))
            #expect(store.recovery.cutFile == Self.journal)
            #expect(store.recovery.cutAt == Int64(used))
            // Nothing of it is left to follow a later frame.
            #expect(disk.afterPowerFailure { false }[Self.journal] == Array(open[..<used]))
            await store.close()
            _ = try await recovery(of: disk)
        }
    }

    /// A journal of an earlier time does not reach the snapshot by its zeros.
    @Test func anEarlierJournalWithZerosIsRefused() async throws {
        let disk = FaultyDisk()
        let store = try await store(on: disk, options())
        let earlier = try #require(disk[Self.journal])
        _ = try await store.enqueue(History.draft(10))
        let later = try #require(disk[Self.journal])
        try await store.maintain(.snapshot)
        let killed = disk.copy()
        await store.close()
        #expect(try await recovery(of: killed.copy(), messages: 11).bytesCut == 0)
        let used = try #require(disk[Self.journal]).count
        #expect(earlier.count == later.count && earlier.count > used)
        killed[Self.journal] = earlier
        await #expect(throws: StoreError.self) { try await recovery(of: killed, messages: 11) }
        #expect(killed[Self.journal] == earlier)
    }

    /// They have replaced something else.
    @Test func moreZerosThanAreWrittenAheadAreReported() async throws {
        let plain = try #require(try await plain()[Self.journal])
        for (count, isReported) in [(256 << 10, false), (256 << 10 + 1, true)] {
            let disk = FaultyDisk()
            disk[Self.journal] = plain + [UInt8](repeating: 0, count: count)
            let found = try await recovery(of: disk)
            #expect(found.bytesCut == (isReported ? Int64(count) : 0))
            #expect((found.cutFile != nil) == isReported)
        }
    }

    // MARK: Other files

    @Test func onlyTheLastFileHasZeros() async throws {
        let disk = FaultyDisk()
        let store = try await store(on: disk, options(ahead: 700, fileBytes: 500))
        let killed = disk.afterPowerFailure { false }
        await store.close()
        let plain = try await plain(fileBytes: 500)
        #expect(plain.count > 2)
        let last = try #require(plain.keys.max())
        for (name, bytes) in plain {
            #expect(name == last ? killed[name]?.starts(with: bytes) == true : killed[name] == bytes, "\(name)")
        }
        #expect(try await recovery(of: killed).bytesCut == 0)
    }

    /// The sizes that are shown, and the copies that are made, end with the journal.
    @Test func toolsSeeTheJournalWithoutZeros() async throws {
        let folders = try TemporaryFolder()
        let (folder, copy, killed) = (folders.fresh(), folders.fresh(), folders.fresh())
        let store = try await FileStore.open(at: folder, durability: .full)
        _ = try await store.start(History.options)
        for number in 0..<10 { _ = try await store.enqueue(History.draft(number)) }
        let bytes = try await store.bytesOnDisk()
        try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
        try await store.copy(to: copy) { _ in }
        try FileManager.default.copyItem(atPath: folder, toPath: killed)
        await store.close()
        let journal = try #require(FileManager.default.contents(atPath: folder + "/" + Self.journal))
        #expect(bytes == Int64(journal.count))
        #expect(FileManager.default.contents(atPath: copy + "/" + Self.journal) == journal)
        let open = try #require(FileManager.default.contents(atPath: killed + "/" + Self.journal))
        #expect(open.count > journal.count)

        let reader = try FileFormat().reader(of: killed)
        defer { reader.close() }
        #expect(reader.findings.tornBytes == 0)
        #expect(reader.findings.tornAt == nil)
        #expect(reader.findings.bytes == Int64(journal.count))
        try reader.verify { problem throws(StoreError) in Issue.record("\(problem)") }
        // It has changed nothing.
        #expect(FileManager.default.contents(atPath: killed + "/" + Self.journal) == open)
    }

    // MARK: Disks that fail

    /// Nothing depends on the zeros: a disk that does not take them takes the transaction.
    @Test(arguments: FaultyDisk.Fault.Kind.allCases)
    func aDiskWithoutRoomForZerosTakesTransactions(_ kind: FaultyDisk.Fault.Kind) async throws {
        for cutsToo in [false, true] {
            let disk = FaultyDisk()
            let store = try await store(on: disk, options(), messages: 0)
            var number = 0
            while (disk[Self.journal]?.count ?? 0) <= 2 * Self.ahead, number < 100 {
                let writes = disk.counts[.write, default: 0]
                // The second write of a commit are its zeros.
                var faults = [FaultyDisk.Fault(call: .write, number: writes + 2, kind: kind, isLasting: false)]
                // The disk takes a part of them.
                if kind == .short {
                    faults.append(.init(call: .write, number: writes + 3, kind: .full, isLasting: false))
                }
                if cutsToo { faults.append(.init(call: .truncate, number: 1, kind: .broken, isLasting: true)) }
                disk.set(faults)
                _ = try await store.enqueue(History.draft(number))
                number += 1
                if disk.hits.contains(.write) { break }
            }
            #expect(disk.hits.contains(.write))
            disk.set([])
            // They are not tried again at once.
            let writes = disk.counts[.write, default: 0]
            for later in number..<number + 5 { _ = try await store.enqueue(History.draft(later)) }
            #expect(disk.counts[.write, default: 0] - writes == 5)
            _ = try await recovery(of: disk.afterPowerFailure { false }, messages: number + 5)
            await store.close()
            #expect(try await recovery(of: disk, messages: number + 5).bytesCut == 0)
        }
    }

    /// A disk may find out that it is full when it is synced.
    @Test func afterAFailureTheNextZerosWait() async throws {
        let disk = FaultyDisk()
        let store = try await store(on: disk, options(), messages: 0)
        disk.failNext(1, .sync, .full)
        await #expect(throws: StoreError.self) { _ = try await store.enqueue(History.draft(0)) }
        #expect(disk.hits == [.sync])
        for number in 0..<3 { _ = try await store.enqueue(History.draft(number)) }
        let length = disk[Self.journal]?.count
        await store.close()
        #expect(disk[Self.journal]?.count == length)
        #expect(try await recovery(of: disk.afterPowerFailure { false }, messages: 3).bytesCut == 0)
    }
}
