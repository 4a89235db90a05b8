import CausewayFileStorage
import CausewayModels
import CausewayStorage
import CausewayStoreTorture
import Foundation
import Testing

/// A record that cannot be read, other than a message: it stops no list, no event and no compaction.
struct DamagedRecordTests {
    private static let journal = "journal-0000000000000001"
    private static let list = RecordList(kind: "album", name: "byYear")

    private static func album(_ number: Int, version: Int64 = 7) -> StoredRecord {
        StoredRecord(
            kind: "album", id: "album \(number)", version: version, value: Data(#"{"title":"title \#(number)"}"#.utf8),
            entries: [ListEntry("byYear", key: ListKey(Int64(1970 + number)))])
    }

    private static func deletion(_ number: Int) -> DeleteAction {
        DeleteAction(
            at: History.time, by: .api, message: History.id(number), channel: History.channel, type: .text,
            syncState: .synced, lastFailure: nil)
    }

    private func open(_ disk: FaultyDisk) async throws -> FileStore {
        let store = try await FileStore.open(on: disk, durability: .full)
        _ = try await store.start(History.options)
        return store
    }

    /// A closed store with albums and deletions 0 to 2, of which those with number 1 are damaged.
    private func sample() async throws -> FaultyDisk {
        let disk = FaultyDisk()
        let store = try await open(disk)
        _ = try await store.enqueue(History.draft(9))
        try await store.commit([.mergeRecords(RecordMerge((0..<3).map { Self.album($0) }))])
        try await store.commit((0..<3).map { .recordDelete(Self.deletion($0)) })
        // Opening reads no record before it.
        try await store.maintain(.snapshot)
        await store.close()
        var bytes = try #require(disk[Self.journal])
        for text in ["title 1", #""by":"api""#] {
            let places = bytes.indices.filter { bytes[$0...].starts(with: Array(text.utf8)) }
            bytes[try #require(text == "title 1" ? places.first : places.dropFirst().first)] ^= 1
        }
        disk[Self.journal] = bytes
        return disk
    }

    private func expectStandIns(in store: FileStore) async throws {
        let standIn = StoredRecord(
            kind: "album", id: "album 1", version: 0, value: Data(), entries: Self.album(1).entries)
        let page = try await store.records(RecordListQuery(list: Self.list))
        #expect(page.records == [Self.album(0), standIn, Self.album(2)])
        #expect(try await store.record("album", "album 1") == standIn)
        let deletions = try await store.deleteActions(before: nil, limit: 9)
        #expect(deletions.map(\.message) == [2, 0].map(History.id))
    }

    @Test func itStopsNoList() async throws {
        let store = try await open(try await sample())
        try await expectStandIns(in: store)
        await store.close()
    }

    /// The event that brings the record is stored, whatever its version, and replaces it.
    @Test func itIsReplacedByAnEvent() async throws {
        let store = try await open(try await sample())
        try await store.commit([.mergeRecords(RecordMerge([Self.album(1, version: 3)]))])
        #expect(try await store.record("album", "album 1") == Self.album(1, version: 3))
        try await store.commit([.removeRecord("album", "album 0")])
        let page = try await store.records(RecordListQuery(list: Self.list))
        #expect(page.records == [Self.album(1, version: 3), Self.album(2)])
        await store.close()
    }

    /// A page of the server that covers it: it is removed, or stays, as any other.
    @Test(arguments: [false, true]) func aPageCoversIt(isKept: Bool) async throws {
        let store = try await open(try await sample())
        let albums = isKept ? [0, 1, 2] : [0, 2]
        let merge = RecordMerge(albums.map { Self.album($0) }, coverage: ListRange(list: Self.list))
        try await store.commit([.mergeRecords(merge)])
        #expect(try await store.records(RecordListQuery(list: Self.list)).records == albums.map { Self.album($0) })
        await store.close()
    }

    @Test func itStopsNoCompaction() async throws {
        let disk = try await sample()
        var store = try await open(disk)
        for _ in 0..<2 {
            try await store.maintain(.compaction)
            try await expectStandIns(in: store)
            await store.close()
            store = try await open(disk)
            try await expectStandIns(in: store)
        }
        #expect(disk[Self.journal] == nil)
        await store.close()
    }

    /// The record that replaces it has nothing to copy: an export and a migration go on without it, and a check reports
    /// it.
    @Test func itStopsNoExportAfterACompaction() async throws {
        let disk = try await sample()
        let store = try await open(disk)
        try await store.maintain(.compaction)
        await store.close()
        let reader = try FileFormat.reader(on: disk)
        defer { reader.close() }
        var records: [StoredRecord] = []
        var deletions: [MessageID] = []
        try reader.readAll { entry throws(StoreError) in
            if case .record(let record) = entry { records.append(record) }
            if case .deletion(let action) = entry { deletions.append(action.message) }
        }
        #expect(records == [Self.album(0), Self.album(2)])
        #expect(deletions == [0, 2].map(History.id))
        var problems: [StoreProblem] = []
        try reader.verify { problem throws(StoreError) in problems.append(problem) }
        #expect(problems.map(\.rule) == ["unreadable", "unreadable"])
        #expect(problems.first?.place.hasSuffix("album album 1") == true)
    }

    @Test func aDiskThatFailsToReadIsNoDamage() async throws {
        let disk = FaultyDisk()
        let store = try await open(disk)
        _ = try await store.enqueue(History.draft(0))
        await store.close()
        let reader = try FileFormat.reader(on: disk)
        defer { reader.close() }
        disk.failReads()
        var problems: [StoreProblem] = []
        do throws(StoreError) {
            try reader.read { _ in
            } problem: {
                problems.append($0)
            }
            Issue.record("it was read")
        } catch {
            guard case .notAccessible = error else { throw error }
        }
        #expect(problems == [])
    }

    /// The place of a record has another one of the same size: it is not taken for it.
    @Test func aRecordInThePlaceOfAnotherIsSetAside() async throws {
        let disk = FaultyDisk()
        var store = try await open(disk)
        for number in 0..<4 { _ = try await store.enqueue(History.draft(number)) }
        try await store.maintain(.snapshot)
        await store.close()
        let bytes = try #require(disk[Self.journal])
        let records = try (1...2).map { number in
            try #require(Self.records(bytes).first { bytes[$0].contains(Array("message \(number)".utf8)) })
        }
        try #require(records[0].count == records[1].count)
        var swapped = bytes
        swapped.replaceSubrange(records[0], with: bytes[records[1]])
        disk[Self.journal] = swapped
        store = try await open(disk)
        let found = try await store.page(MessageQuery(scope: .undelivered)).messages
        #expect(found.map(\.id) == (0..<4).map(History.id))
        #expect(found.map { $0.failure?.isUnreadable == true } == [false, true, false, false])

        // So it is after a compaction, and its content is reported as lost.
        try await store.maintain(.compaction)
        let kept = try await store.page(MessageQuery(scope: .undelivered)).messages
        #expect(kept.map(\.id) == (0..<4).map(History.id))
        #expect(kept.map { $0.failure?.isUnreadable == true } == [false, true, false, false])
        await store.close()
        let reader = try FileFormat.reader(on: disk)
        defer { reader.close() }
        var problems: [StoreProblem] = []
        var items = 0
        try reader.read { entry throws(StoreError) in
            if case .item = entry { items += 1 }
        } problem: { problem throws(StoreError) in
            problems.append(problem)
        }
        #expect(items == 3)
        #expect(problems.map(\.rule) == ["unreadable"])
        // The place of the lost item is in a file that was kept.
        #expect(problems.first?.place.contains("journal-0000000000000002") == true)
    }

    /// The records of a journal with their headers.
    private static func records(_ bytes: [UInt8]) -> [Range<Int>] {
        let number = { (place: Int) in (0..<4).reduce(0) { $0 | Int(bytes[place + $1]) << ($1 * 8) } }
        var records: [Range<Int>] = []
        var frame = 0
        while frame < bytes.count {
            let end = frame + 48 + number(frame + 36)
            var start = frame + 48
            while start < end {
                records.append(start..<start + 8 + number(start))
                start = start + 8 + number(start)
            }
            frame = end
        }
        return records
    }
}
