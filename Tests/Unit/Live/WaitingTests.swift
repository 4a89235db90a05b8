import CausewayLiveQuery
import CausewayModels
import CausewayRuntime
import CausewayStorage
import Synchronization
import Testing

/// Callers that wait: for the stored data, for pages, for the server.
@MainActor struct WaitingTests {
    /// A server that responds at once, with one prepared response after the other; later while it is held.
    private final class PreparedRemote: RemoteSource {
        enum Response: Sendable {
            case page([RemoteMessage], LoadedRange<MessageQuery.Cursor> = LoadedRange())
            case failure(StoreError)
        }

        private let store: any Store
        private let responses: Mutex<[Response]>
        private let asked = Mutex([RemoteSourcePage<MessageQuery.Cursor>]())
        private let hold = Mutex((isOn: false, waiters: [CheckedContinuation<Void, Never>]()))

        init(_ store: any Store, _ responses: [Response]) {
            self.store = store
            self.responses = Mutex(responses)
        }

        var askedCount: Int { asked.withLock { $0.count } }

        func load(
            _ page: RemoteSourcePage<MessageQuery.Cursor>, hold: FrameHold
        ) async throws -> LoadedRange<MessageQuery.Cursor> {
            asked.withLock { $0.append(page) }
            await released()
            let response = responses.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            switch response {
            case .page(let messages, let loadedRange):
                hold.begin()
                try await store.commit(messages.map { .merge($0, at: Sample.time) })
                return loadedRange
            case .failure(let error): throw error
            case nil: throw StoreError.other(detail: "a request that was not expected")
            }
        }

        func isPlaced(_ key: MessageQuery.Cursor) -> Bool { key.position != .max }

        /// Responds to nothing while `operation` runs.
        func holding(_ operation: @MainActor () async -> Void) async {
            hold.withLock { $0.isOn = true }
            await operation()
            let waiters = hold.withLock { hold in
                defer { hold = (false, []) }
                return hold.waiters
            }
            for waiter in waiters { waiter.resume() }
        }

        private func released() async {
            await withCheckedContinuation { waiter in
                let isHeld = hold.withLock { hold in
                    if hold.isOn { hold.waiters.append(waiter) }
                    return hold.isOn
                }
                if !isHeld { waiter.resume() }
            }
        }
    }

    private let store = MemoryStore()
    private let general: ChannelID

    init() async throws {
        general = try #require(ChannelID("general"))
        _ = try await store.start(.forTests)
    }

    private func engine(recordsMax: Int = LiveLimits.windowRecordsMax) -> LiveQueryEngine {
        LiveQueryEngine(store: store, runtime: SystemRuntime(), bounds: .init(recordsMax: recordsMax))
    }

    private func put(_ numbers: ClosedRange<Int>) async throws {
        try await store.commit(
            try numbers.map { .merge(try Sample.placed($0, at: Int64($0), in: general), at: Sample.time) })
    }

    private func messages(_ numbers: ClosedRange<Int>) throws -> [RemoteMessage] {
        try numbers.map { try Sample.placed($0, at: Int64($0), in: general) }
    }

    private func collection(
        _ engine: LiveQueryEngine, pageSize: Int = 2, anchor: LiveAnchor<MessageQuery.Cursor> = .first,
        _ responses: [PreparedRemote.Response]
    ) -> (LiveCollection<Message>, PreparedRemote) {
        let remote = PreparedRemote(store, responses)
        let query = MessagesQuery(.channel(general), anchor: anchor, pageSize: pageSize)
        return (engine.collection(query, remote: remote), remote)
    }

    /// Waits until the list shows a state.
    private func wait(
        for list: LiveCollection<Message>, _ isReached: @escaping @MainActor (LiveCollection<Message>) -> Bool
    ) async {
        if isReached(list) { return }
        var token: NotificationToken?
        await withCheckedContinuation { reached in
            var waiter: CheckedContinuation<Void, Never>? = reached
            token = list.observe { list, _ in if isReached(list) { waiter.take()?.resume() } }
        }
        token?.invalidate()
    }

    private func texts(_ numbers: ClosedRange<Int>) -> [String] { numbers.map(String.init) }

    // MARK: - The stored data

    @Test func whatIsStoredIsShownWhenReady() async throws {
        try await put(1...1)
        let engine = engine()
        let list = await engine.collection(MessagesQuery(.channel(general))).ready()
        #expect(list.allObjects().map(\.text) == ["1"] && !list.isLoading)
        let object = await engine.object(OneMessageQuery(Sample.id(1))).ready()
        #expect(object.snapshot?.text == "1" && !object.isLoading)
        await list.ready()
    }

    /// The first frame has the stored data, though the server has not responded.
    @Test func whatIsStoredIsShownWhenReadyBeforeTheServerResponds() async throws {
        try await put(1...1)
        let (engine, list) = (engine(), SilentRemote<MessageQuery.Cursor>())
        let messages = await engine.collection(MessagesQuery(.channel(general)), remote: list).ready()
        #expect(messages.models.map(\.text) == ["1"] && messages.dataStatus == .local && messages.isLoading)
        let one = SilentRemote<Int64>()
        let object = await engine.object(OneMessageQuery(Sample.id(1)), remote: one).ready()
        #expect(object.snapshot?.text == "1" && object.dataStatus == .local && object.isLoading)
        await engine.close()
        list.end()
        one.end()
    }

    /// A server that does not respond before the test ends.
    private final class SilentRemote<Key: Comparable & Hashable & Sendable>: RemoteSource {
        private let state = Mutex((isOver: false, waiters: [CheckedContinuation<Void, Never>]()))

        func load(_ page: RemoteSourcePage<Key>, hold: FrameHold) async throws -> LoadedRange<Key> {
            await withCheckedContinuation { waiter in
                let isOver = state.withLock { state in
                    if !state.isOver { state.waiters.append(waiter) }
                    return state.isOver
                }
                if isOver { waiter.resume() }
            }
            throw StoreError.closed
        }

        func end() {
            let waiters = state.withLock { state in
                defer { state = (true, []) }
                return state.waiters
            }
            for waiter in waiters { waiter.resume() }
        }
    }

    @Test func readyReturnsWithoutTheServerAndWithoutData() async throws {
        let (list, _) = collection(engine(), [])
        await list.ready()
        #expect(list.count == 0)
    }

    @Test func readyReturnsAtTheEnd() async throws {
        let engine = engine()
        let list = engine.collection(MessagesQuery(.channel(general)))
        await engine.close()
        await list.ready()
        list.dispose()
        await list.ready()
        #expect(list.dataStatus == .error)
    }

    // MARK: - Pages

    @Test func aPageReturnsTheNumberThatItAdded() async throws {
        try await put(1...5)
        let list = engine().collection(MessagesQuery(.channel(general), pageSize: 2))
        #expect(try await list.nextPage() == 2)
        #expect(list.allObjects().map(\.text) == texts(1...4))
        #expect(try await list.nextPage() == 1)
        #expect(list.allObjects().map(\.text) == texts(1...5))
        #expect(try await list.nextPage() == 0)
        #expect(try await list.previousPage() == 0)
        #expect(list.count == 5)
    }

    @Test func aPreviousPageReturnsTheNumberThatItAdded() async throws {
        try await put(1...5)
        let list = engine().collection(MessagesQuery(.channel(general), anchor: .last, pageSize: 3))
        #expect(try await list.previousPage() == 2)
        #expect(list.allObjects().map(\.text) == texts(1...5))
    }

    /// The results of two requests that are made before the server responds to the first one.
    private func results(
        of remote: PreparedRemote, _ request: @escaping @MainActor () async throws -> Int
    ) async throws -> [Int] {
        var requests: [Task<Int, any Error>] = []
        await remote.holding {
            for _ in 0..<2 { requests.append(Task { try await request() }) }
            // The main actor takes its tasks in their order: after this one both have asked.
            await Task {}.value
        }
        return [try await requests[0].value, try await requests[1].value]
    }

    @Test func requestsForOnePreviousPageAreJoined() async throws {
        let (list, remote) = collection(
            engine(), anchor: .last,
            [
                .page(try messages(3...4), LoadedRange(start: ScriptedRemote.start(3))), .page(try messages(1...2)),
            ])
        await wait(for: list) { $0.loadingStatus == .loaded }
        #expect(list.hasPrevious && list.dataStatus == .fresh)
        let asked = remote.askedCount
        #expect(try await results(of: remote) { try await list.previousPage() } == [2, 2])
        #expect(list.allObjects().map(\.text) == texts(1...4))
        #expect(remote.askedCount == asked + 1)
    }

    @Test func requestsForOnePageAreJoined() async throws {
        let (list, remote) = collection(
            engine(),
            [
                .page(try messages(1...2), LoadedRange(end: ScriptedRemote.end(2))),
                .page(try messages(3...4), LoadedRange(end: ScriptedRemote.end(4))),
            ])
        await wait(for: list) { $0.loadingStatus == .loaded }
        #expect(list.hasNext && list.dataStatus == .fresh)
        let asked = remote.askedCount
        #expect(try await results(of: remote) { try await list.nextPage() } == [2, 2])
        #expect(list.allObjects().map(\.text) == texts(1...4))
        #expect(remote.askedCount == asked + 1)
    }

    @Test func aPageThrowsTheErrorOfTheServer() async throws {
        let (list, _) = collection(
            engine(),
            [
                .page(try messages(1...2), LoadedRange(end: ScriptedRemote.end(2))),
                .failure(.other(detail: "unreachable")),
                .page(try messages(1...4)),
            ])
        await wait(for: list) { $0.loadingStatus == .loaded }
        await #expect(throws: StoreError.other(detail: "unreachable")) { try await list.nextPage() }
        #expect(list.underlyingError as? StoreError == .other(detail: "unreachable") && !list.isLoadingNext)
        #expect(list.loadingStatus == .error)
        list.retry()
        await wait(for: list) { $0.loadingStatus == .loaded }
        #expect(list.underlyingError == nil)
        #expect(list.allObjects().map(\.text) == texts(1...4))
    }

    @Test func aFullWindowReportsIt() async throws {
        try await put(1...6)
        let list = engine(recordsMax: 4).collection(MessagesQuery(.channel(general), pageSize: 2))
        #expect(try await list.nextPage() == 2)
        await #expect(throws: LivePageError.windowFull(recordsMax: 4)) { try await list.nextPage() }
        await list.ready()
        #expect(list.underlyingError as? LivePageError == .windowFull(recordsMax: 4))
        #expect(list.hasNext && list.count == 4 && list.loadingStatus == .notLoading)
    }

    /// Callers see every error as the engine's mapping makes it.
    @Test func errorsAreMapped() async throws {
        try await put(1...6)
        let engine = LiveQueryEngine(store: store, runtime: SystemRuntime(), bounds: .init(recordsMax: 4)) {
            MappedError(text: "\($0)")
        }
        let full = MappedError(text: "\(LivePageError.windowFull(recordsMax: 4))")
        let disposed = MappedError(text: "\(LivePageError.disposed)")
        let list = engine.collection(MessagesQuery(.channel(general), pageSize: 2))
        let changes = list.changes
        var reported: [MappedError?] = []
        list.on(.dataError) { reported.append($0 as? MappedError) }
        #expect(try await list.nextPage() == 2)
        await #expect(throws: full) { try await list.nextPage() }
        await #expect(throws: full) { try await changes.nextPage() }
        await list.ready()
        #expect(list.underlyingError as? MappedError == full)
        #expect(!reported.isEmpty && reported.allSatisfy { $0 == full })
        let (failing, _) = collection(
            engine, Array(repeating: .failure(.other(detail: "unreachable")), count: 3))
        let unreachable = MappedError(text: "\(StoreError.other(detail: "unreachable"))")
        await #expect(throws: unreachable) { try await failing.refresh() }
        #expect(failing.underlyingError as? MappedError == unreachable)
        list.dispose()
        await #expect(throws: disposed) { try await list.nextPage() }
        await #expect(throws: disposed) { try await changes.nextPage() }
        await engine.close()
        #expect(failing.underlyingError as? MappedError == MappedError(text: "\(StoreError.closed)"))
        await #expect(throws: disposed) { try await failing.nextPage() }
    }

    private struct MappedError: Error, Hashable {
        var text: String
    }

    @Test func waitingEndsWithTheCollection() async throws {
        try await put(1...6)
        let engine = engine()
        let list = engine.collection(MessagesQuery(.channel(general), pageSize: 2))
        await list.ready()
        list.dispose()
        await #expect(throws: LivePageError.disposed) { try await list.nextPage() }
        let other = engine.collection(MessagesQuery(.channel(general), pageSize: 2))
        await other.ready()
        await engine.close()
        await #expect(throws: (any Error).self) { try await other.nextPage() }
    }

    // MARK: - The server

    @Test func anObjectIsRefreshed() async throws {
        struct Remote: RemoteSource {
            let prepared: PreparedRemote
            func load(_ page: RemoteSourcePage<Int64>, hold: FrameHold) async throws -> LoadedRange<Int64> {
                _ = try await prepared.load(.first, hold: hold)
                return LoadedRange()
            }
        }
        let first = try Sample.placed(1, at: 1, in: general)
        let second = try Sample.placed(1, at: 1, "edited", in: general)
        let third = try Sample.placed(1, at: 1, "again", in: general)
        let prepared = PreparedRemote(store, [.page([first]), .page([second]), .failure(.closed), .page([third])])
        var token: NotificationToken?
        let object = engine().object(OneMessageQuery(Sample.id(1)), remote: Remote(prepared: prepared))
        await withCheckedContinuation { loaded in
            token = object.observeOnce { _, _ in loaded.resume() }
        }
        try await object.refresh()
        #expect(object.snapshot?.text == "edited" && object.dataStatus == .fresh)
        await #expect(throws: StoreError.closed) { try await object.refresh() }
        #expect(object.snapshot?.text == "edited" && object.loadingStatus == .error)
        await withCheckedContinuation { loaded in
            var waiter: CheckedContinuation<Void, Never>? = loaded
            token = object.observe { object, _ in
                if object.loadingStatus == .loaded { waiter.take()?.resume() }
            }
            object.retry()
        }
        #expect(object.snapshot?.text == "again" && object.dataStatus == .fresh && object.underlyingError == nil)
        #expect(prepared.askedCount == 4)
        // Nothing failed, so there is nothing to retry.
        object.retry()
        await object.ready()
        #expect(prepared.askedCount == 4)
        token?.invalidate()
    }

    @Test func aListIsRefreshed() async throws {
        let (list, remote) = collection(engine(), [.page(try messages(1...1)), .page(try messages(1...2))])
        await wait(for: list) { $0.loadingStatus == .loaded }
        try await list.refresh()
        #expect(list.allObjects().map(\.text) == texts(1...2) && list.dataStatus == .fresh)
        #expect(remote.askedCount == 2)
        // Nothing failed, so there is nothing to retry.
        list.retry()
        try await list.nextPage()
        #expect(remote.askedCount == 2)
    }

    // MARK: - Other names

    @Test func theOtherNamesDoTheSame() async throws {
        try await put(1...6)
        let engine = engine()
        let query = MessagesQuery(.channel(general), pageSize: 2)
        let list = await engine.collection(query).ready()
        #expect(list.models == list.snapshots)
        list.loadNext()
        await wait(for: list) { $0.count == 4 }
        list.reset()
        await wait(for: list) { $0.count == 2 }
        let last = await engine.collection(MessagesQuery(.channel(general), anchor: .last, pageSize: 2)).ready()
        last.loadPrevious()
        await wait(for: last) { $0.allObjects().map(\.text) == texts(3...6) }
        for await change in list.asStream {
            #expect(change.snapshot.map(\.text) == texts(1...2))
            break
        }
        let object = await engine.object(OneMessageQuery(Sample.id(1))).ready()
        #expect(object.object == object.snapshot && object.model == object.snapshot)
        for await change in object.asStream {
            #expect(change.snapshot.map(\.text) == ["1"])
            break
        }
    }
}
