import CausewayLiveQuery
import CausewayModels
import CausewayRuntime
import CausewayStorage
import Testing

/// Real threads, the real main actor, and writers that wait for no one.
struct ConcurrencyTests {
    @Test(.timeLimit(.minutes(10)), arguments: StoreKind.allCases)
    func everyReaderSeesTheTruthWhileOthersWrite(_ kind: StoreKind) async throws {
        let folder = try StoreFolder()
        let store = try await kind.make(in: folder)
        let timeline = StoreTimeline(store)
        _ = try await store.start(.forTests)
        let engine = LiveQueryEngine(store: store, runtime: SystemRuntime())
        let queries = try Self.queries()
        let outlets = queries.map { engine.open($0, isObject: false, remote: nil) }
        let screens = await Screens(queries, engine, timeline)

        let followers = zip(queries, outlets).map { query, opened in
            Task { try await follow(ReaderCheck(query), opened.broadcaster, timeline) }
        }
        try await withThrowingTaskGroup { group in
            for writer in UInt64(0)..<3 { group.addTask { try await write(to: store, seed: writer, times: 400) } }
            // Windows are opened, turned and closed meanwhile.
            group.addTask {
                for round in 0..<60 {
                    outlets[round % outlets.count].lifetime.turn([.next, .previous, .reset][round % 3])
                    let opened = engine.open(queries[round % queries.count], isObject: false, remote: nil)
                    let reader = opened.broadcaster.addReader()
                    await opened.broadcaster.waitForNews(reader)
                    var check = ReaderCheck(queries[round % queries.count])
                    if let change = opened.broadcaster.dequeue(reader)?.change() { try check.accept(change, timeline) }
                }
            }
            try await group.waitForAll()
        }
        // Requests are processed in order: when this window is open, all others are at least as far.
        let last = engine.open(MessagesQuery(.undelivered), isObject: false, remote: nil)
        await last.broadcaster.waitForNews(last.broadcaster.addReader())
        for follower in followers { follower.cancel() }
        for follower in followers { try await follower.value.checkEnd(timeline) }
        try await screens.checkEnd()
        await store.close()
        withExtendedLifetime(outlets) {}
    }

    private static func queries() throws -> [MessagesQuery] {
        let channels = try ["general", "random"].map { try #require(ChannelID($0)) }
        return channels.flatMap { channel in
            [
                MessagesQuery(.channel(channel), direction: .ascending, anchor: .last, pageSize: 5),
                MessagesQuery(.channel(channel), direction: .descending, pageSize: 7),
                MessagesQuery(.failed(in: channel), pageSize: 3),
            ]
        } + [MessagesQuery(.undelivered, anchor: .last, pageSize: 4)]
    }
}

private func write(to store: any Store, seed: UInt64, times: Int) async throws {
    var dice = WriterDice(seed: seed, messages: 30)
    dice.isEndingSessions = false
    for _ in 0..<times {
        do throws(StoreError) {
            switch dice.write() {
            case .enqueue(let draft): _ = try await store.enqueue(draft)
            case .commit(let mutations): try await store.commit(mutations)
            case nil: continue
            }
        } catch .duplicate {
            continue
        }
    }
}

/// Reads a window until the task is cancelled, and then once more.
private func follow(
    _ check: ReaderCheck<MessagesQuery>, _ broadcaster: SnapshotBroadcaster<MessagesQuery>, _ timeline: StoreTimeline
) async throws -> ReaderCheck<MessagesQuery> {
    var check = check
    let reader = broadcaster.addReader()
    while !Task.isCancelled {
        await broadcaster.waitForNews(reader)
        if let change = broadcaster.dequeue(reader)?.change() { try check.accept(change, timeline) }
    }
    if let change = broadcaster.dequeue(reader)?.change() { try check.accept(change, timeline) }
    return check
}

/// Collections on the main actor, each with an observer that checks its changes.
@MainActor private final class Screens {
    private let timeline: StoreTimeline
    private var checks: [ReaderCheck<MessagesQuery>]
    private var tokens: [NotificationToken] = []
    private var violation: (any Error)?

    init(_ queries: [MessagesQuery], _ engine: LiveQueryEngine, _ timeline: StoreTimeline) {
        self.timeline = timeline
        checks = queries.map { ReaderCheck($0) }
        tokens = queries.indices.map { index in
            engine.collection(queries[index]).observe { [unowned self] collection, change in
                do {
                    try checks[index].accept(change, timeline)
                    guard collection.snapshots == change.snapshot else {
                        throw Violation("what is told is not what is shown")
                    }
                } catch {
                    violation = violation ?? error
                }
            }
        }
    }

    /// Returns when every observer has reached the final state.
    func checkEnd() async throws {
        while true {
            if let violation { throw violation }
            if checks.allSatisfy({ (try? $0.checkEnd(timeline)) != nil }) { break }
            try Task.checkCancellation()
            await Task.yield()
        }
        for token in tokens { token.invalidate() }
    }
}
