import CausewayFileStorage
import CausewayModels
import CausewayStorage
import CausewayStoreTorture
import Foundation
import Testing

/// Damaged files: refused with file and offset, or cut as a torn tail; never half-read.
struct CorruptionTests {
    private static let journal = "journal-0000000000000001"
    /// The distance of the bytes of a snapshot that are changed; all of them in `Tools/torture-disk`.
    private static let step = TortureSettings.isComplete ? 1 : 3

    /// The end of the process that used the store: a killed one leaves the zeros that it had written ahead.
    enum End: CaseIterable, Sendable { case closed, killed }

    /// A disk with a small store, and the states that it had after each of its commits.
    private func sample(
        maintains: Bool = false, ending end: End = .closed
    ) async throws -> (disk: FaultyDisk, states: [[MessageID]]) {
        let disk = FaultyDisk()
        let options = FileOptions(journalBytesAhead: 600, newStore: 7)
        let store = try await FileStore.open(on: disk, durability: .full, options: options)
        var states: [[MessageID]] = [[]]
        _ = try await store.start(History.options)
        for number in 0..<4 {
            _ = try await store.enqueue(History.draft(number, bytes: number == 2 ? 200 : 5))
            states.append(states[states.count - 1] + [History.id(number)])
            if maintains, number == 2 { try await store.maintain(.snapshot) }
        }
        let killed = disk.copy()
        await store.close()
        return (end == .killed ? killed : disk.copy(), states)
    }

    /// The messages of a store on the disk; `nil` if it is refused as damaged, with file and offset.
    private func open(_ disk: FaultyDisk, _ context: String) async throws -> [MessageID]? {
        do throws(StoreError) {
            let store = try await FileStore.open(on: disk, durability: .full)
            _ = try await store.start(History.options)
            let messages = try await store.page(MessageQuery(scope: .undelivered, limit: 100)).messages
            await store.close()
            return messages.map(\.id)
        } catch {
            switch error {
            case .damaged(let path, let detail):
                #expect(path.contains("journal-") || path.hasSuffix("snapshot"), "\(context): \(error)")
                #expect(detail.contains("at byte "), "\(context): \(error)")
                #expect("\(error)".contains("restore a backup"), "\(error)")
            case .newerSchema: break
            default: Issue.record("\(context): \(error)")
            }
            return nil
        }
    }

    /// The first frame of a transaction is intact, the second one is cut.
    @Test func aTransactionOfTwoFramesIsThereAsAWholeOrNotAtAll() async throws {
        let (disk, states) = try await sample()
        let options = FileOptions(journalBytesAhead: 0)
        let store = try await FileStore.open(on: disk, durability: .full, options: options)
        _ = try await store.start(History.options)
        let before = try #require(disk[Self.journal]).count
        let numbers = 10..<22
        try await store.commit(numbers.map { .enqueue(OperationDraft(History.draft($0, bytes: 100_000))) })
        await store.close()
        let bytes = try #require(disk[Self.journal])
        #expect(bytes.count - before > 1 << 20)
        let whole = states[states.count - 1]
        #expect(try await open(disk.copy(), "whole") == whole + numbers.map(History.id))
        let copy = disk.copy()
        copy[Self.journal] = bytes.dropLast(10)
        #expect(try await open(copy, "cut") == whole)
    }

    /// A file whose creation failed, behind a journal that went on without it, and that a crash may have cut.
    @Test func aFileWhoseCreationFailedIsRemoved() async throws {
        let (disk, states) = try await sample()
        let next = "journal-0000000000000002"
        let store = try await FileStore.open(on: disk, durability: .full, options: FileOptions(journalBytesAhead: 0))
        _ = try await store.start(History.options)
        let counts = disk.counts
        disk.set(
            [FaultyDisk.Call.syncNames, .remove].map { call in
                FaultyDisk.Fault(call: call, number: counts[call, default: 0] + 1, kind: .broken, isLasting: false)
            })
        await #expect(throws: StoreError.self) { try await store.maintain(.compaction) }
        #expect(disk.hits == [.syncNames, .remove])
        let left = try #require(disk[next])
        let before = try #require(disk[Self.journal]).count
        let numbers = 10..<22
        try await store.commit(numbers.map { .enqueue(OperationDraft(History.draft($0, bytes: 100_000))) })
        await store.close()
        let bytes = try #require(disk[Self.journal])
        let first = try #require(Self.frames(bytes).first { $0.lowerBound >= before })
        #expect(first.upperBound < bytes.count)
        let former = states[states.count - 1]
        for length in [first.upperBound, bytes.count - 10, bytes.count] {
            let copy = disk.copy()
            copy[Self.journal] = Array(bytes[..<length])
            copy[next] = left
            // After a power failure it may be one of an earlier time.
            copy["journal.end"] = nil
            let messages = length == bytes.count ? former + numbers.map(History.id) : former
            #expect(try await open(copy, "\(length) bytes") == messages)
            #expect(copy[next] == nil, "\(length) bytes")
        }
    }

    /// The bytes of the journal of a sample, without zeros behind it.
    private func usedBytes() async throws -> Int { try #require(try await sample().disk[Self.journal]).count }

    @Test(arguments: End.allCases) func everyFlippedByteIsNoticed(_ end: End) async throws {
        let (disk, states) = try await sample(ending: end)
        let bytes = try #require(disk[Self.journal])
        let used = try await usedBytes()
        #expect((bytes.count > used) == (end == .killed))
        let whole = states[states.count - 1]
        var refused = 0
        for offset in bytes.indices {
            for mask in [UInt8(1 << (offset % 8))] {
                let copy = disk.copy()
                var flipped = bytes
                flipped[offset] ^= mask
                copy[Self.journal] = flipped
                let found = try await open(copy, "byte \(offset)")
                // No transaction had those behind it.
                #expect(found == (offset < used ? nil : whole), "byte \(offset)")
                if found == nil {
                    #expect(copy[Self.journal] == flipped, "byte \(offset): a refused store is left as it is")
                    refused += 1
                }
            }
        }
        #expect(refused == used)
    }

    @Test(arguments: End.allCases) func aTruncatedJournalEndsWithACommit(_ end: End) async throws {
        let (disk, states) = try await sample(ending: end)
        let bytes = try #require(disk[Self.journal])
        var lengths: Set<Int> = []
        for length in bytes.indices {
            let copy = disk.copy()
            copy[Self.journal] = Array(bytes[..<length])
            let found = try #require(try await open(copy, "\(length) bytes"))
            #expect(states.contains(found), "\(length) bytes")
            lengths.insert(found.count)
        }
        // All but the last, which needs the whole journal.
        #expect(lengths.count == (end == .killed ? states.count : states.count - 1))
    }

    @Test func everyFlippedByteOfASnapshotIsNoticed() async throws {
        let (disk, _) = try await sample(maintains: true)
        let bytes = try #require(disk["snapshot"])
        for offset in stride(from: 0, to: bytes.count, by: Self.step) {
            let copy = disk.copy()
            var flipped = bytes
            flipped[offset] ^= 4
            copy["snapshot"] = flipped
            #expect(try await open(copy, "byte \(offset)") == nil, "byte \(offset)")
        }
        for length in stride(from: 1, to: bytes.count, by: Self.step) {
            let copy = disk.copy()
            copy["snapshot"] = Array(bytes[..<length])
            #expect(try await open(copy, "\(length) bytes") == nil, "\(length) bytes")
        }
    }

    @Test(arguments: End.allCases) func garbageAtTheEndIsCut(_ end: End) async throws {
        let (disk, states) = try await sample(ending: end)
        let bytes = try #require(disk[Self.journal])
        var random = SplitMix64(seed: 1)
        for count in [1, 7, 48, 300, 5000] {
            let copy = disk.copy()
            copy[Self.journal] = bytes + (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            #expect(try await open(copy, "\(count) bytes") == states[states.count - 1])
        }
    }

    /// Zeros in the place of a frame are no end of the journal if others follow.
    @Test(arguments: End.allCases) func zerosInsteadOfFramesAreNoticed(_ end: End) async throws {
        let (disk, states) = try await sample(ending: end)
        let bytes = try #require(disk[Self.journal])
        let frames = Self.frames(Array(bytes.prefix(try await usedBytes())))
        for (number, frame) in frames.enumerated() {
            // The whole frame; its header; all but its header.
            for range in [frame, frame.prefix(48), frame.dropFirst(48)] {
                let copy = disk.copy()
                var zeroed = bytes
                for place in range { zeroed[place] = 0 }
                copy[Self.journal] = zeroed
                let found = try await open(copy, "frame \(number), \(range)")
                // Nothing of the last one is left.
                let isGone = number == frames.count - 1 && range == frame
                #expect(found == (isGone ? states[states.count - 2] : nil), "frame \(number), \(range)")
                if found == nil { #expect(copy[Self.journal] == zeroed) }
            }
        }
    }

    @Test func framesInAnotherOrderAreRefused() async throws {
        let (disk, _) = try await sample()
        let bytes = try #require(disk[Self.journal])
        let frames = Self.frames(bytes)
        for first in 0..<frames.count - 1 {
            var order = Array(frames.indices)
            order.swapAt(first, first + 1)
            let copy = disk.copy()
            copy[Self.journal] = order.flatMap { bytes[frames[$0]] }
            #expect(try await open(copy, "frames \(first) and \(first + 1)") == nil)
            // One is missing, one is there twice.
            copy[Self.journal] = frames.indices.filter { $0 != first }.flatMap { bytes[frames[$0]] }
            #expect(try await open(copy, "without frame \(first)") == nil)
            copy[Self.journal] = frames.indices.flatMap {
                Array(bytes[frames[$0]]) + ($0 == first ? bytes[frames[$0]] : [])
            }
            #expect(try await open(copy, "frame \(first) twice") == nil)
        }
    }

    @Test func aJournalAndASnapshotOfDifferentTimesAreRefused() async throws {
        let disk = FaultyDisk()
        let store = try await FileStore.open(on: disk, durability: .full)
        _ = try await store.start(History.options)
        _ = try await store.enqueue(History.draft(0))
        let old = disk.copy()
        for number in 1..<4 { _ = try await store.enqueue(History.draft(number)) }
        try await store.maintain(.snapshot)
        let middle = disk.copy()
        try await store.maintain(.compaction)
        await store.close()
        // An old journal beside a new snapshot.
        middle[Self.journal] = old[Self.journal]
        #expect(try await open(middle, "an old journal") == nil)
        // A snapshot after compaction without its journal, and with the journal before it.
        let missing = disk.copy()
        missing["journal-0000000000000002"] = nil
        #expect(try await open(missing, "no journal") == nil)
        missing[Self.journal] = old[Self.journal]
        #expect(try await open(missing, "the journal before") == nil)
        // The journal of another store.
        let other = FaultyDisk()
        try await FileStore.open(on: other, durability: .full).close()
        let mixed = disk.copy()
        mixed["journal-0000000000000003"] = other[Self.journal]
        #expect(try await open(mixed, "another store") == nil)
        // Without a snapshot the files before it are needed.
        let bare = disk.copy()
        bare["snapshot"] = nil
        #expect(try await open(bare, "no snapshot") == nil)
    }

    /// Nothing follows the snapshot, and the journal is as long as it should be, but another one.
    @Test func aJournalThatEndsWithItsSnapshotIsRecognized() async throws {
        let disk = FaultyDisk()
        let store = try await FileStore.open(on: disk, durability: .full, options: FileOptions(journalBytesAhead: 0))
        _ = try await store.start(History.options)
        for number in 0..<3 { _ = try await store.enqueue(History.draft(number)) }
        try await store.maintain(.snapshot)
        let killed = disk.copy()
        await store.close()
        let count = try #require(killed[Self.journal]).count
        #expect(try await open(killed.copy(), "as it was") == (0..<3).map(History.id))
        for content in [[UInt8](repeating: 0, count: count), Array(repeating: 0xA5, count: count)] {
            killed[Self.journal] = content
            #expect(try await open(killed.copy(), "another journal") == nil)
        }
    }

    /// The loss of a record that the journal has, and that opening does not read.
    enum Loss: CaseIterable, Sendable { case content, everything }

    /// The message is shown as far as the index and the remains of its record tell, and blocks no other.
    @Test(arguments: Loss.allCases) func aDamagedRecordIsSetAside(_ loss: Loss) async throws {
        let (disk, states) = try await sample(maintains: true)
        var bytes = try #require(disk[Self.journal])
        let offset = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("message 1".utf8)) })
        switch loss {
        case .content: bytes[offset] ^= 1
        case .everything: for place in offset - 90..<offset + 10 { bytes[place] = 0xA5 }
        }
        disk[Self.journal] = bytes
        let ids = states[states.count - 1]
        var store = try await FileStore.open(on: disk, durability: .full)
        let entries = try await store.start(History.options).entries
        #expect(entries.map(\.message) == (loss == .content ? ids : ids.filter { $0 != ids[1] }))
        let found = try await store.page(MessageQuery(scope: .channel(History.channel))).messages
        #expect(found.map(\.id) == ids)
        #expect(found.map { $0.failure?.isUnreadable == true } == [false, true, false, false])
        #expect(found[1].content == .unknown(type: "unreadable", body: .null))
        #expect(try await store.messages(ids).map(\.ordinal) == [1, 2, 3, 4])
        let failure = Failure(reason: .unsendable, code: "", detail: "damaged", at: History.time)
        try await store.commit([.fail(ids[1], failure, inDoubt: false)])
        #expect(try await store.message(ids[1])?.failure == failure)
        // Its record is moved like any other.
        try await store.maintain(.compaction)
        await store.close()
        store = try await FileStore.open(on: disk, durability: .full)
        _ = try await store.start(History.options)
        #expect(try await store.page(MessageQuery(scope: .failed(in: nil))).messages.map(\.failure) == [failure])
        try await store.commit([.delete(ids[1])])
        let rest = try await store.page(MessageQuery(scope: .undelivered)).messages
        #expect(rest.map(\.id) == ids.filter { $0 != ids[1] })
        #expect(try await store.counts().error == 0)
        await store.close()
    }

    private static func frames(_ bytes: [UInt8]) -> [Range<Int>] {
        var frames: [Range<Int>] = []
        var start = 0
        while start < bytes.count {
            let size = (0..<4).reduce(0) { $0 | Int(bytes[start + 36 + $1]) << ($1 * 8) }
            frames.append(start..<start + 48 + size)
            start += 48 + size
        }
        return frames
    }
}
