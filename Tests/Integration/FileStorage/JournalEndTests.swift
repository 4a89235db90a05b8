import CausewayFileStorage
import CausewayModels
import CausewayStorage
import CausewayStoreTorture
import CausewayTestSupport
import Foundation
import Testing

/// The note of the journal's end shows that commits are gone that nothing in the journal tells of.
struct JournalEndTests {
    private static let journal = "journal-0000000000000001"
    private static let end = "journal.end"
    private static let count = 6

    /// The files of a closed store with some messages, and the lengths of its journal after each commit.
    private func sample(
        _ durability: Durability = .full, fileBytes: Int64? = nil
    ) async throws -> (disk: FaultyDisk, lengths: [Int]) {
        let disk = FaultyDisk()
        let options = FileOptions(journalBytesMax: fileBytes, journalBytesAhead: 0, newStore: 7)
        let store = try await FileStore.open(on: disk, durability: durability, options: options)
        _ = try await store.start(History.options)
        var lengths = [try #require(disk[Self.journal]).count]
        for number in 0..<Self.count {
            _ = try await store.enqueue(History.draft(number))
            lengths.append(try #require(disk[Self.journal]).count)
        }
        await store.close()
        return (disk, lengths)
    }

    /// Opens a store twice: the second time there is nothing to report.
    ///
    /// - Returns: the reported loss of the first time, and the number of messages.
    private func open(_ disk: FaultyDisk) async throws -> (loss: String?, messages: Int) {
        let store = try await FileStore.open(on: disk, durability: .full)
        let snapshot = try await store.start(History.options)
        #expect(snapshot.loss == store.recovery.loss)
        await store.close()
        let next = try await FileStore.open(on: disk, durability: .full)
        let again = try await next.start(History.options)
        #expect(again.loss == nil)
        #expect(again.entries.count == snapshot.entries.count)
        await next.close()
        return (snapshot.loss, snapshot.entries.count)
    }

    @Test func aJournalThatEndsEarlierIsReportedOnce() async throws {
        let (disk, lengths) = try await sample()
        let bytes = try #require(disk[Self.journal])
        #expect(try await open(disk.copy()) == (nil, Self.count))
        // At the borders of commits, and between them.
        for (messages, length) in lengths.dropLast().enumerated() {
            for cut in [length, length + 1, length + 60] {
                let copy = disk.copy()
                copy[Self.journal] = Array(bytes[..<cut])
                let found = try await open(copy)
                #expect(found.messages == messages, "\(cut) bytes")
                let loss = try #require(found.loss, "\(cut) bytes")
                #expect(loss.contains("the journal lost commits (store/\(Self.journal) ends with frame "), "\(loss)")
                #expect(loss.contains("at byte \(length), and frame \(Self.count + 2) was durable)"), "\(loss)")
            }
        }
    }

    /// No frame is left that names the store.
    @Test func aJournalWithoutItsBeginningIsNoNewOne() async throws {
        let (disk, _) = try await sample()
        let bytes = try #require(disk[Self.journal])
        for content in [[], Array(bytes[..<20]), [UInt8](repeating: 0, count: bytes.count)] {
            let copy = disk.copy()
            copy[Self.journal] = content
            let found = try await open(copy)
            #expect(found.loss != nil, "\(content.count) bytes")
            #expect(found.messages == 0)
        }
        // Damage is no end.
        disk[Self.journal] = Array(repeating: 0xA5, count: bytes.count)
        await #expect(throws: StoreError.self) { _ = try await FileStore.open(on: disk, durability: .full) }
    }

    @Test func zerosInsteadOfTheLastCommitsAreReported() async throws {
        let (disk, lengths) = try await sample()
        var bytes = try #require(disk[Self.journal])
        for place in lengths[3]..<bytes.count { bytes[place] = 0 }
        disk[Self.journal] = bytes
        let found = try await open(disk)
        #expect(found.loss != nil)
        #expect(found.messages == 3)
    }

    @Test func filesThatAreGoneAreReported() async throws {
        let (disk, _) = try await sample(fileBytes: 500)
        let names = disk.files.keys.filter { $0.hasPrefix("journal-") }.sorted()
        #expect(names.count > 2)
        for count in names.indices {
            let copy = disk.copy()
            for name in names[count...] { copy[name] = nil }
            let found = try await open(copy)
            #expect(found.loss != nil, "\(count) files")
            #expect(found.messages < Self.count, "\(count) files")
        }
    }

    /// The last commit was durable: it is damaged, and no write that never ended.
    @Test func aDamagedLastCommitIsRefused() async throws {
        let (disk, lengths) = try await sample()
        let last = lengths[Self.count - 1]
        var bytes = try #require(disk[Self.journal])
        bytes[last + 60] ^= 1
        disk[Self.journal] = bytes
        await #expect {
            _ = try await FileStore.open(on: disk, durability: .full)
        } throws: { error in
            guard case .damaged(_, let detail)? = error as? StoreError else { return false }
            return detail.contains("although it was durable at byte \(last)")
        }
        #expect(disk[Self.journal] == bytes)
        // Nothing else shows it: without a note it is cut.
        disk[Self.end] = nil
        #expect(try await open(disk) == (nil, Self.count - 1))
    }

    @Test func anIncompleteNoteShowsNothing() async throws {
        let (disk, lengths) = try await sample()
        let note = try #require(disk[Self.end])
        disk[Self.journal] = Array(try #require(disk[Self.journal])[..<lengths[2]])
        for place in note.indices {
            let copy = disk.copy()
            copy[Self.end]?[place] ^= 0x10
            #expect(try await open(copy) == (nil, 2), "byte \(place)")
        }
        for length in note.indices {
            let copy = disk.copy()
            copy[Self.end] = Array(note[..<length])
            #expect(try await open(copy) == (nil, 2), "\(length) bytes")
        }
    }

    @Test func theNoteOfAnotherStoreShowsNothing() async throws {
        let (disk, lengths) = try await sample()
        let other = FaultyDisk()
        let store = try await FileStore.open(on: other, durability: .full, options: FileOptions(newStore: 8))
        _ = try await store.start(History.options)
        for number in 0..<20 { _ = try await store.enqueue(History.draft(number)) }
        await store.close()
        disk[Self.end] = other[Self.end]
        #expect(try await open(disk.copy()) == (nil, Self.count))
        disk[Self.journal] = Array(try #require(disk[Self.journal])[..<lengths[2]])
        #expect(try await open(disk) == (nil, 2))
    }

    /// Under `normal` the last commits may be lost by a power failure, and by nothing else.
    @Test func onlyWhatIsDurableIsNoted() async throws {
        let disk = FaultyDisk()
        let store = try await FileStore.open(on: disk, durability: .normal)
        _ = try await store.start(History.options)
        for number in 0..<Self.count { _ = try await store.enqueue(History.draft(number)) }
        let killed = disk.afterKill()
        let bytes = try #require(killed[Self.journal])
        for seed in 0..<40 {
            var random = SplitMix64(seed: UInt64(seed))
            let after = disk.afterPowerFailure { random.next() % 2 == 0 }
            #expect(try await open(after).loss == nil, "seed \(seed)")
        }
        await store.close()
        killed[Self.journal] = Array(bytes.dropLast(5))
        #expect(try await open(killed) == (nil, Self.count - 1))
        // Its end is.
        disk[Self.journal] = Array(try #require(disk[Self.journal]).dropLast(5))
        #expect(try await open(disk).loss != nil)
    }

    @Test func onADiskOfTheSystem() async throws {
        let folders = try TemporaryFolder()
        let (folder, copy) = (folders.fresh(), folders.fresh())
        var store = try await FileStore.open(at: folder, durability: .full)
        _ = try await store.start(History.options)
        for number in 0..<Self.count { _ = try await store.enqueue(History.draft(number)) }
        try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
        try await store.copy(to: copy) { _ in }
        _ = try await store.enqueue(History.draft(Self.count))
        await store.close()

        // The journal of the backup, beside the note of the store.
        let journal = "/" + Self.journal
        try FileManager.default.removeItem(atPath: folder + journal)
        try FileManager.default.copyItem(atPath: copy + journal, toPath: folder + journal)
        let reader = try FileFormat().reader(of: folder)
        var problems: [StoreProblem] = []
        try reader.verify { problem throws(StoreError) in problems.append(problem) }
        reader.close()
        #expect(problems.map(\.rule) == ["journal"])
        #expect(problems.first?.detail.contains("the journal lost commits") == true)
        store = try await FileStore.open(at: folder, durability: .full)
        #expect(try await store.start(History.options).loss == problems.first?.detail)
        await store.close()

        // A backup in a folder of its own lacks nothing.
        store = try await FileStore.open(at: copy, durability: .full)
        let snapshot = try await store.start(History.options)
        #expect(snapshot.loss == nil)
        #expect(snapshot.entries.count == Self.count)
        await store.close()
    }
}
