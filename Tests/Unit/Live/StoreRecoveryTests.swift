import CausewayFileStorage
import CausewayLiveQuery
import CausewayModels
import CausewayRuntime
import CausewaySQLiteStorage
import CausewayStorage
import CausewayStoreTorture
import Foundation
import Testing

/// Live lists of a real store whose disk fails and comes back.
@MainActor struct StoreRecoveryTests {
    /// A sync fails, and the database cannot be reopened before its disk has recovered. There are no writes meanwhile:
    /// only the lists detect it.
    @Test(.timeLimit(.minutes(10))) func listsRecoverWithTheirStore() async throws {
        let folder = try StoreFolder()
        let path = folder.fresh()
        let store = try await SQLiteStore.open(at: path, durability: .full)
        _ = try await store.start(.forTests)
        let general = try #require(ChannelID("general"))
        let engine = LiveQueryEngine(store: store, runtime: SystemRuntime())
        _ = try await store.enqueue(try Sample.draft(1, in: general))
        let early = engine.collection(MessagesQuery(.channel(general), anchor: .last))
        await Self.change(early) { $0.snapshot.map(\.text) == ["1"] }
        // The stream of changes may be ahead of the display on the main actor.
        await early.ready()

        store.requireVerification()
        try folder.takeAway(path)
        let late = engine.collection(MessagesQuery(.channel(general), anchor: .first))
        await Self.change(late) { $0.loadingStatus == .error }
        #expect(late.count == 0)
        #expect(early.allObjects().map(\.text) == ["1"])
        await #expect(throws: StoreError.self) { try await store.enqueue(try Sample.draft(2, in: general)) }

        try folder.bringBack(path)
        await Self.change(late) { $0.snapshot.map(\.text) == ["1"] && $0.loadingStatus == .notLoading }
        _ = try await store.enqueue(try Sample.draft(3, in: general))
        for list in [early, late] {
            await Self.change(list) { $0.snapshot.map(\.text) == ["1", "3"] && $0.loadingStatus == .notLoading }
        }
        await store.close()
    }

    /// A file store keeps its files open, so that lists do not notice when its disk confirms nothing.
    @Test(.timeLimit(.minutes(10))) func listsOfAFileStoreOutlastItsDisk() async throws {
        let disk = FaultyDisk()
        let store = try await FileStore.open(on: disk, durability: .full)
        _ = try await store.start(.forTests)
        let general = try #require(ChannelID("general"))
        let engine = LiveQueryEngine(store: store, runtime: SystemRuntime())
        _ = try await store.enqueue(try Sample.draft(1, in: general))
        let early = engine.collection(MessagesQuery(.channel(general), anchor: .last))
        await Self.change(early) { $0.snapshot.map(\.text) == ["1"] }

        let syncs = disk.counts[.sync, default: 0]
        disk.set([.init(call: .sync, number: syncs + 1, kind: .broken, isLasting: true)])
        for number in 2..<4 {
            await #expect(throws: StoreError.self) { try await store.enqueue(try Sample.draft(number, in: general)) }
        }
        let late = engine.collection(MessagesQuery(.channel(general), anchor: .first))
        await Self.change(late) { $0.snapshot.map(\.text) == ["1"] }

        disk.set([])
        _ = try await store.enqueue(try Sample.draft(4, in: general))
        for list in [early, late] {
            await Self.change(list) { $0.snapshot.map(\.text) == ["1", "4"] && $0.loadingStatus == .notLoading }
        }
        await store.close()
    }

    /// Waits for a change that meets the condition.
    private static func change(
        _ list: LiveCollection<Message>, _ isSo: (LiveCollectionChange<Message>) -> Bool
    ) async {
        for await change in list.changes where isSo(change) { return }
        Issue.record("the list ended")
    }
}
