import Causeway
import CausewayLiveCombine
import CausewayTestSupport
import Dispatch
import Synchronization
import Testing

#if canImport(Combine)
    import Combine
#else
    import OpenCombine
#endif

/// Publishers over the live collections of a real client on a memory store.
@MainActor
@Suite struct PublisherTests {
    private let store = MemoryStore()
    private let general: ChannelID

    init() throws { general = try #require(ChannelID("general")) }

    /// Records its values and demands only as many as requested.
    private final class Reader: Subscriber {
        typealias Input = LiveCollectionChange<Message>
        typealias Failure = Never

        var changes: [Input] = []
        var isComplete = false
        private var subscription: (any Subscription)?

        func receive(subscription: any Subscription) { self.subscription = subscription }

        func receive(_ input: Input) -> Subscribers.Demand {
            changes.append(input)
            return .none
        }

        func receive(completion: Subscribers.Completion<Never>) { isComplete = true }
        func demand(_ count: Int) { subscription?.request(.max(count)) }
        func cancel() { subscription?.cancel() }
    }

    private func opened() async throws -> CausewayClient {
        let client = try await CausewayClient.open(
            store: store, transports: TransportRegistry(), credentials: MemoryCredentialStore())
        return client
    }

    private func write(_ text: String) async throws {
        let draft = MessageDraft(
            id: MessageID(SystemRuntime().makeUUIDv7()), channel: general,
            sender: try #require(UserID("ann")),
            content: .text(text), createdAt: Timestamp(milliseconds: 1),
            lane: OrderingPolicy.laned.lane(for: .text, in: general))
        _ = try await store.enqueue(draft)
    }

    private func texts(_ messages: some Sequence<Message>) -> [String] {
        messages.map { message in
            guard case .text(let text) = message.content else { return "" }
            return text
        }
    }

    @Test(.timeLimit(.minutes(10))) func withoutDemandNothingComesAndThenOneChangeWithAll() async throws {
        let client = try await opened()
        let messages = client.messages.getMessages(in: general)
        let reader = Reader()
        messages.changePublisher.subscribe(reader)
        for number in 1...5 { try await write("\(number)") }
        await until { messages.count == 5 }
        #expect(reader.changes.isEmpty)
        reader.demand(1)
        #expect(reader.changes.isEmpty)
        await until { reader.changes.count == 1 }
        #expect(texts(reader.changes[0].snapshot) == ["1", "2", "3", "4", "5"])
        for number in 6...8 { try await write("\(number)") }
        await until { messages.count == 8 }
        #expect(reader.changes.count == 1)
        reader.demand(1)
        await until { reader.changes.count == 2 }
        #expect(texts(reader.changes[1].oldSnapshot) == ["1", "2", "3", "4", "5"])
        #expect(reader.changes[1].insertions == [5, 6, 7])
        await client.close()
    }

    @Test(.timeLimit(.minutes(10))) func afterCancelNothingComesAndTheWindowIsClosed() async throws {
        let client = try await opened()
        let reader = Reader()
        weak var window: OwnQuery.Window?
        do {
            let query = OwnQuery(general)
            window = query.window
            client.liveCollection(query).changePublisher.subscribe(reader)
        }
        reader.demand(100)
        await until { !reader.changes.isEmpty }
        // The subscription alone keeps it open.
        try await write("early")
        await until { reader.changes.last?.snapshot.count == 1 }
        #expect(window != nil)
        reader.cancel()
        let seen = reader.changes.count
        await until { window == nil }
        let other = client.messages.getMessages(in: general)
        try await write("late")
        await until { other.count == 2 }
        #expect(reader.changes.count == seen)
        #expect(!reader.isComplete)
        await client.close()
    }

    @Test(.timeLimit(.minutes(10))) func anOwnQueryIsShownAndFollowed() async throws {
        let client = try await opened()
        try await write("one")
        let collection = client.liveCollection(OwnQuery(general))
        let object = client.liveObject(OwnQuery(general))
        await until { texts(collection.snapshots) == ["one"] && object.snapshot != nil }
        #expect(collection.dataStatus == .fresh && object.dataStatus == .fresh)
        try await write("two")
        await until { texts(collection.snapshots) == ["one", "two"] }
        // A channel requires the server, and no user is logged in.
        let messages = client.liveCollection(MessagesQuery(.channel(general)))
        await until { messages.error == .noSession }
        #expect(messages.dataStatus == .local && messages.loadingStatus == .error)
        await client.close()
    }

    /// The text messages of a channel, as an application might query them.
    private struct OwnQuery: LiveQuery {
        /// Retained only by the window of the query.
        final class Window: Sendable, Hashable {
            static func == (left: Window, right: Window) -> Bool { left === right }
            func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
        }

        let messages: MessagesQuery
        let window = Window()

        init(_ channel: ChannelID) { messages = MessagesQuery(.channel(channel)) }

        var topic: LiveTopic { messages.topic }
        var direction: LiveDirection { .ascending }
        var anchor: LiveAnchor<MessageQuery.Cursor> { .first }
        var pageSize: Int { 10 }

        func matches(_ message: Message) -> Bool { messages.matches(message) }
        func key(of message: Message) -> MessageQuery.Cursor { messages.key(of: message) }

        func page(
            in store: any Store, from bound: LiveBound<MessageQuery.Cursor>?, direction: LiveDirection, limit: Int
        ) async throws(StoreError) -> LivePage<Message> {
            try await messages.page(in: store, from: bound, direction: direction, limit: limit)
        }
    }

    @Test(.timeLimit(.minutes(10))) func disposingCompletes() async throws {
        let client = try await opened()
        let messages = client.messages.getMessages(in: general)
        let reader = Reader()
        messages.changePublisher.subscribe(reader)
        reader.demand(100)
        await until { !reader.changes.isEmpty }
        messages.dispose()
        await until { reader.isComplete }
        await client.close()
    }

    @Test(.timeLimit(.minutes(10))) func theCompletionNeedsNoDemand() async throws {
        let client = try await opened()
        let messages = client.messages.getMessages(in: general)
        let (early, late) = (Reader(), Reader())
        messages.changePublisher.subscribe(early)
        messages.dispose()
        messages.changePublisher.subscribe(late)
        #expect(!late.isComplete)
        await until { early.isComplete && late.isComplete }
        #expect(early.changes.isEmpty && late.changes.isEmpty)
        await client.close()
    }

    /// The last change reports the end; it needs demand, and comes before the completion.
    @Test(.timeLimit(.minutes(10))) func aClosedClientCompletesAfterTheLastChange() async throws {
        let client = try await opened()
        let reader = Reader()
        client.messages.getMessages(in: general).changePublisher.subscribe(reader)
        reader.demand(1)
        await until { reader.changes.count == 1 }
        await client.close()
        #expect(!reader.isComplete)
        reader.demand(1)
        await until { reader.isComplete }
        #expect(reader.changes.count == 2 && reader.changes.last?.dataStatus == .error)
    }

    @Test(.timeLimit(.minutes(10))) func snapshotsComeWhenTheyDiffer() async throws {
        let client = try await opened()
        try await write("one")
        let messages = client.messages.getMessages(in: general)
        var seen: [[String]] = []
        let token = messages.snapshotPublisher.sink { seen.append(texts($0)) }
        await until { seen.last == ["one"] }
        try await write("two")
        await until { seen.last == ["one", "two"] }
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 != $1 })
        var session: [Session?] = []
        let other = client.liveSession().snapshotPublisher.sink { session.append($0) }
        await until { session == [nil] }
        token.cancel()
        other.cancel()
        await client.close()
    }

    /// Runs jobs on a queue of its own.
    private final class OwnExecutor: TaskExecutor {
        private let queue = DispatchQueue(label: "own executor")
        private let key = DispatchSpecificKey<Bool>()

        init() { queue.setSpecific(key: key, value: true) }

        var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    @Test(.timeLimit(.minutes(10))) func valuesComeOnTheNamedExecutor() async throws {
        let client = try await opened()
        let executor = OwnExecutor()
        let seen = Mutex<[(isThere: Bool, count: Int)]>([])
        let isComplete = Mutex(false)
        let changes = client.messages.messageChanges(in: general)
        let token = changes.publisher(on: executor).sink { @Sendable _ in
            isComplete.withLock { $0 = true }
        } receiveValue: { @Sendable change in
            seen.withLock { $0.append((executor.isCurrent, change.snapshot.count)) }
        }
        try await write("one")
        await until { seen.withLock { $0.last?.count == 1 } }
        let collection = client.messages.getMessages(in: general)
        let other = collection.changePublisher(on: executor).sink { @Sendable change in
            seen.withLock { $0.append((executor.isCurrent, change.snapshot.count)) }
        }
        try await write("two")
        await until { seen.withLock { $0.count(where: { $0.count == 2 }) >= 2 } }
        #expect(seen.withLock { $0.allSatisfy(\.isThere) })
        token.cancel()
        other.cancel()
        #expect(!isComplete.withLock { $0 })
        await client.close()
    }
}
