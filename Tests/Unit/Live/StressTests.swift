import CausewayLiveQuery
import CausewayModels
import CausewayRuntime
import CausewayStorage
import Dispatch
import Synchronization
import Testing

/// Many collections on one store on disk, and writers that wait for none of them. `make bench-live` runs the same with
/// more of everything, and measures the time.
struct StressTests {
    private static let channels = 200
    private static let messagesPerChannel = 100
    private static let changesPerChannel = 10
    private static let rows = 50

    @Test func everyReaderEndsAtTheTruth() async throws {
        let folder = try StoreFolder()
        let store = try await Self.filledStore(in: folder)
        let engine = LiveQueryEngine(store: store, runtime: SystemRuntime())
        let crowd = await Crowd(try Self.queries(), engine)
        try await Self.change(store)
        await Self.isUpToDate(engine)
        await crowd.turnIsOver()
        try await crowd.checkTruth(store)
        await store.close()
    }

    /// Each observer gets ten changes in one callback.
    @Test func oneCallbackWaitsForEachObserverWhileTheMainActorIsBlocked() async throws {
        let folder = try StoreFolder()
        let store = try await Self.filledStore(in: folder)
        let engine = LiveQueryEngine(store: store, runtime: SystemRuntime())
        let crowd = await Crowd(try Self.queries(), engine)
        await Self.isUpToDate(engine)
        await crowd.turnIsOver()
        await crowd.forgetCalls()
        let result = await crowd.block {
            try await Self.change(store)
            await Self.isUpToDate(engine)
        }
        try result.get()
        await crowd.turnIsOver()
        #expect(await crowd.calls == Array(repeating: 1, count: Self.channels))
        try await crowd.checkTruth(store)
        await store.close()
    }

    /// Returns when the router has published everything that was committed before the call: requests are processed in
    /// order, so when another window is open, all others are at least as far.
    private static func isUpToDate(_ engine: LiveQueryEngine) async {
        let last = engine.open(MessagesQuery(.undelivered), isObject: false, remote: nil)
        await last.broadcaster.waitForNews(last.broadcaster.addReader())
    }

    private static func queries() throws -> [MessagesQuery] {
        try (0..<channels).map {
            MessagesQuery(.channel(try channel($0)), direction: .descending, pageSize: rows)
        }
    }

    private static func channel(_ number: Int) throws -> ChannelID { try #require(ChannelID("channel-\(number)")) }

    private static func number(_ message: Int, in channel: Int) -> Int { channel * 1000 + message }

    // MARK: Writing

    private static func filledStore(in folder: StoreFolder) async throws -> any Store {
        let store: any Store = try await folder.makeStore()
        _ = try await store.start(.forTests)
        for channel in 0..<channels {
            let id = try Self.channel(channel)
            try await store.commit(
                (0..<messagesPerChannel).map { message in
                    .merge(
                        try Sample.placed(number(message, in: channel), at: Int64(message + 1), in: id),
                        at: Sample.time)
                })
        }
        return store
    }

    /// Edits, insertions and deletions, in all channels, by concurrent writers.
    private static func change(_ store: any Store) async throws {
        try await withThrowingTaskGroup { group in
            for writer in 0..<4 {
                group.addTask {
                    for change in 0..<changesPerChannel {
                        for channel in stride(from: writer, to: channels, by: 4) {
                            try await store.commit([try mutation(change, in: channel)])
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private static func mutation(_ change: Int, in channel: Int) throws -> Mutation {
        let newest = messagesPerChannel - 1
        switch change % 3 {
        case 0:
            let message = newest + 1 + change
            return .merge(
                try Sample.placed(number(message, in: channel), at: Int64(message + 1), in: Self.channel(channel)),
                at: Sample.time)
        case 1:
            return .delete(Sample.id(number(newest - change, in: channel)))
        default:
            let message = newest - 20 - change
            var placed = try Sample.placed(
                number(message, in: channel), at: Int64(message + 1), "edited", in: Self.channel(channel))
            placed.body.editedAt = Sample.time
            return .merge(placed, at: Sample.time)
        }
    }
}

/// The error of work that ran beside a blocked actor.
private final class Outcome: Sendable {
    let error = Mutex<(any Error)?>(nil)
}

/// A collection on the main actor for each query, each with an observer that maintains a list from its changes.
@MainActor private final class Crowd {
    private let queries: [MessagesQuery]
    private let engine: LiveQueryEngine
    private var collections: [LiveCollection<Message>] = []
    private var tokens: [NotificationToken] = []
    private var lists: [[Message]]
    private(set) var calls: [Int]

    init(_ queries: [MessagesQuery], _ engine: LiveQueryEngine) {
        self.queries = queries
        self.engine = engine
        lists = Array(repeating: [], count: queries.count)
        calls = Array(repeating: 0, count: queries.count)
        collections = queries.map { engine.collection($0) }
        tokens = collections.indices.map { index in
            collections[index].observe { [unowned self] _, change in
                calls[index] += 1
                for place in change.deletions.reversed() { lists[index].remove(at: place) }
                for place in change.insertions { lists[index].insert(change.snapshot[place], at: place) }
                for place in change.modifications { lists[index][place] = change.snapshot[place] }
            }
        }
    }

    func forgetCalls() { calls = Array(repeating: 0, count: queries.count) }

    /// Blocks the main actor until `work` has ended.
    func block(_ work: @escaping @Sendable () async throws -> Void) -> Result<Void, any Error> {
        let isOver = DispatchSemaphore(value: 0)
        let outcome = Outcome()
        Task.detached {
            do { try await work() } catch { outcome.error.withLock { $0 = error } }
            isOver.signal()
        }
        isOver.wait()
        return outcome.error.withLock { $0 }.map { .failure($0) } ?? .success(())
    }

    /// Returns when everything that the router had published has been reported: turns run one after the other, and a
    /// collection that is opened now is notified in a later one.
    func turnIsOver() async {
        let last = engine.collection(MessagesQuery(.undelivered))
        await withCheckedContinuation { isTold in
            tokens.append(last.observeOnce { _, _ in isTold.resume() })
        }
    }

    /// Compares the displayed records, and an observer's list, with the contents of the store.
    func checkTruth(_ store: any Store) async throws {
        for (index, query) in queries.enumerated() {
            let shown = Array(collections[index].snapshots)
            #expect(shown.count >= query.pageSize)
            #expect(lists[index] == shown)
            let page = try await store.page(
                MessageQuery(scope: query.scope, direction: .descending, limit: shown.count))
            #expect(page.messages == shown)
        }
    }
}
