import CausewayFileStorage
import CausewayModels
import CausewayStorage
import CausewayStoreTorture
import CausewayTestSupport
import Foundation
import Testing

/// Opening, closing and opening again, on a real disk.
struct OpeningTests {
    @Test func aSecondOpeningIsRefusedWithTheOwner() async throws {
        let folder = try TemporaryFolder().fresh()
        let store = try await FileStore.open(at: folder, durability: .full)
        let owner = Int32(ProcessInfo.processInfo.processIdentifier)
        await #expect(throws: StoreError.locked(by: owner, path: folder)) {
            _ = try await FileStore.open(at: folder, durability: .full)
        }
        await store.close()
        try await FileStore.open(at: folder, durability: .full).close()
    }

    @Test func aFolderOfTheOtherStoreIsRefused() async throws {
        let folder = try TemporaryFolder().fresh()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data("x".utf8).write(to: URL(fileURLWithPath: folder + "/store.sqlite"))
        await #expect(throws: StoreError.self) { _ = try await FileStore.open(at: folder, durability: .full) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["lock", "store.sqlite"])
    }

    @Test(arguments: Durability.allCases)
    func everythingIsThereAgain(_ durability: Durability) async throws {
        let folder = try TemporaryFolder().fresh()
        var history = History()
        var store = try await FileStore.open(at: folder, durability: durability)
        _ = try await store.start(History.options)
        await history.live(store)
        let before = try await store.page(MessageQuery(scope: .channel(History.channel), limit: 100))
        #expect(store.maintained.failure == nil)
        #expect(store.maintained.snapshots == 2)
        await store.close()
        store = try await FileStore.open(at: folder, durability: durability)
        #expect(store.recovery.hasSnapshot)
        #expect(store.recovery.bytesCut == 0)
        _ = try await store.start(History.options)
        #expect(try await history.losses(in: store) == [])
        #expect(try await store.page(MessageQuery(scope: .channel(History.channel), limit: 100)) == before)
        await store.close()
    }

    @Test func compactionRemovesWhatIsNotNeeded() async throws {
        let disk = FaultyDisk()
        var store = try await FileStore.open(on: disk, durability: .full, options: FileOptions(journalBytesAhead: 0))
        _ = try await store.start(History.options)
        for number in 0..<40 { _ = try await store.enqueue(History.draft(number, bytes: 1000)) }
        try await store.maintain(.snapshot)
        for number in 0..<38 { try await store.commit([.delete(History.id(number))]) }
        let before = disk["journal-0000000000000001"]?.count ?? 0
        try await store.maintain(.compaction)
        #expect(disk["journal-0000000000000001"] == nil)
        let after = try #require(disk["journal-0000000000000002"]?.count)
        #expect(after * 4 < before)
        await store.close()
        store = try await FileStore.open(on: disk, durability: .full)
        _ = try await store.start(History.options)
        #expect(
            try await store.page(MessageQuery(scope: .undelivered)).messages.map(\.id) == [
                History.id(38), History.id(39),
            ])
        await store.close()
    }

    @Test func numbersAreNeverAssignedTwice() async throws {
        let disk = FaultyDisk()
        var last: Int64 = 0
        for round in 0..<4 {
            let store = try await FileStore.open(on: disk, durability: .full)
            _ = try await store.start(History.options)
            let message = try await store.enqueue(History.draft(round))
            #expect(message.ordinal > last)
            last = message.ordinal
            try await store.commit([.delete(message.id)])
            if round == 1 { try await store.maintain(.compaction) }
            await store.close()
        }
    }

    @Test func callsThatWaitShareOneSync() async throws {
        let disk = FaultyDisk()
        let store = try await FileStore.open(on: disk, durability: .full)
        _ = try await store.start(History.options)
        // The start has written enough zeros ahead for all of them.
        let before = disk.counts
        store.gather(50)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<50 { group.addTask { _ = try await store.enqueue(History.draft(number)) } }
            try await group.waitForAll()
        }
        #expect(disk.counts[.sync, default: 0] - before[.sync, default: 0] == 1)
        #expect(disk.counts[.write, default: 0] - before[.write, default: 0] == 1)
        await store.close()
    }

    /// The next commit that is waited for makes everything before it durable, even if it changes nothing itself.
    @Test(arguments: [false, true]) func whatNeedNotWaitIsSyncedWithTheNextCommit(changes: Bool) async throws {
        let disk = FaultyDisk()
        let store = try await FileStore.open(on: disk, durability: .full)
        _ = try await store.start(History.options)
        let first = try await store.enqueue(History.draft(1))
        let before = disk.counts
        for number in 1...3 {
            try await store.commit([.setEventCursor(EventCursor(rawValue: "\(number)"))], durability: .normal)
        }
        #expect(disk.counts[.sync, default: 0] == before[.sync, default: 0])
        #expect(try await cursor(after: disk.afterPowerFailure { false }, first.id) == nil)

        try await store.commit(changes ? [.delete(first.id)] : [])
        #expect(disk.counts[.sync, default: 0] == before[.sync, default: 0] + 1)
        #expect(try await cursor(after: disk.afterPowerFailure { false }, changes ? nil : first.id)?.rawValue == "3")
        await store.close()
    }

    /// The cursor in a store that is opened again, which must have the message.
    private func cursor(after disk: FaultyDisk, _ message: MessageID?) async throws -> EventCursor? {
        let store = try await FileStore.open(on: disk, durability: .full)
        let snapshot = try await store.start(History.options)
        #expect(snapshot.entries.map(\.message) == [message].compactMap(\.self))
        await store.close()
        return snapshot.eventCursor
    }
}
