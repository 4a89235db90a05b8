import CausewayLiveQuery
import CausewayModels
import CausewayRuntime
import CausewayStorage
import Dispatch
import Testing

/// A router that finishes before its caller continues, as can happen on a machine with several cores.
struct PromptEngineTests {
    @Test(.timeLimit(.minutes(10)))
    @MainActor
    func theFirstFrameIsShownHoweverEarlyItCame() async throws {
        let general = try #require(ChannelID("general"))
        let store = MemoryStore()
        _ = try await store.start(.forTests)
        try await store.commit([.merge(try Sample.placed(1, at: 1, in: general), at: Sample.time)])
        let engine = LiveQueryEngine(
            store: store, runtime: PromptRuntime(), delivery: MainActorDelivery(SystemRuntime()))
        let collection = engine.collection(MessagesQuery(.channel(general)))
        var token: NotificationToken?
        await withCheckedContinuation { isTold in
            token = collection.observeOnce { _, _ in isTold.resume() }
        }
        #expect(collection.snapshots.map(\.text) == ["1"])
        #expect(collection.loadingStatus == .notLoading)
        withExtendedLifetime(token) {}
    }
}

/// Starting a task waits until it has ended.
private struct PromptRuntime: Runtime {
    private let system = SystemRuntime()

    var now: MonotonicTime { system.now }
    var wallClock: Timestamp { system.wallClock }
    func random() -> UInt64 { system.random() }
    func sleep(until deadline: MonotonicTime) async { await system.sleep(until: deadline) }

    func spawn(_ body: @escaping @isolated(any) @Sendable () async -> Void) -> RuntimeTask {
        let hasEnded = DispatchSemaphore(value: 0)
        let task = system.spawn {
            await body()
            hasEnded.signal()
        }
        hasEnded.wait()
        return task
    }
}
