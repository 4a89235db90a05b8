import Causeway
import CausewayLiveCombine
import CausewayScriptedWorld
import CausewayTestSupport
import Dispatch
import Synchronization
import Testing

#if canImport(Combine)
    import Combine
#else
    import OpenCombine
#endif

/// The publishers of single properties, over the live queries of a real client whose pages the test holds back.
@MainActor
@Suite struct PropertyPublisherTests {
    private let store = MemoryStore()
    private let gate = Gate()
    private let server: ScriptedServer
    private let general: ChannelID

    init() throws {
        let general = try #require(ChannelID("general"))
        self.general = general
        server = ScriptedServer(channels: [general])
    }

    private func opened(messages count: Int) async throws -> CausewayClient {
        var transports = TransportRegistry()
        transports.register("test") { [server, gate] _, token throws(TransportError) in
            GatedTransport(inner: server.connection(with: token), gate: gate)
        }
        let client = try await CausewayClient.open(
            store: store, transports: transports, credentials: MemoryCredentialStore(), configuration: .forTests())
        try await client.login(server: "test:", token: try #require(AccessToken("secret")))
        for number in 1...max(1, count) where count > 0 {
            try await client.messages.createTextMessage("\(number)", in: general).delivered()
        }
        return client
    }

    // An asynchronous caller would wait for these.
    private func requestPreviousPage(of list: LiveCollection<Message>) { list.previousPage() }
    private func requestRefresh(of list: LiveCollection<Message>) { list.refresh() }

    /// The values that a publisher has delivered, without repetitions in between.
    @MainActor private final class Log {
        var loading: [LoadingStatus] = []
        var isLoading: [Bool] = []
        var data: [DataStatus] = []
        var hasNext: [Bool] = []
        var hasPrevious: [Bool] = []
        var isLoadingNext: [Bool] = []
        var isLoadingPrevious: [Bool] = []
        var errors: [ClientError?] = []
    }

    @Test(.timeLimit(.minutes(10))) func thePropertiesOfACollection() async throws {
        let client = try await opened(messages: 3)
        gate.isOpen = false
        let list = client.messages.getMessages(in: general, pageSize: 1)
        let log = Log()
        let tokens = [
            list.loadingStatusPublisher.sink { log.loading.append($0) },
            list.isLoadingPublisher.sink { log.isLoading.append($0) },
            list.dataStatusPublisher.sink { log.data.append($0) },
            list.hasNextPublisher.sink { log.hasNext.append($0) },
            list.hasPreviousPublisher.sink { log.hasPrevious.append($0) },
            list.isLoadingNextPublisher.sink { log.isLoadingNext.append($0) },
            list.isLoadingPreviousPublisher.sink { log.isLoadingPrevious.append($0) },
            list.errorPublisher.sink { log.errors.append($0) },
        ]
        // Each publisher is as fast as its own subscriber: every step waits for all that it changes.
        await until { log.isLoading == [true] && log.data == [.local] && log.loading == [.loading] }
        gate.isOpen = true
        await until { log.isLoading == [true, false] && log.loading == [.loading, .loaded] }
        await until { log.data == [.local, .fresh] }
        await until { log.hasPrevious.last == true && log.isLoadingPrevious == [false] }
        gate.isOpen = false
        requestPreviousPage(of: list)
        await until { log.isLoadingPrevious == [false, true] && log.isLoading == [true, false, true] }
        await until { log.loading == [.loading, .loaded, .loading] }
        gate.isOpen = true
        await until { log.isLoadingPrevious == [false, true, false] && log.isLoading.last == false }
        await until { log.loading == [.loading, .loaded, .loading, .loaded] }
        await until { log.hasNext == [false] && log.isLoadingNext == [false] && log.errors == [nil] }
        #expect(log.data == [.local, .fresh])
        server.set(.unreachable)
        requestRefresh(of: list)
        await until { log.errors.count == 2 && log.loading.last == .error }
        #expect(log.errors[1]?.code == .transport)
        withExtendedLifetime(tokens) {}
        await client.close()
    }

    @Test(.timeLimit(.minutes(10))) func thePropertiesOfAnObject() async throws {
        let client = try await opened(messages: 0)
        let id = try await client.messages.createTextMessage("1", in: general).id
        let message = client.messages.getMessage(id)
        let log = Log()
        let tokens = [
            message.loadingStatusPublisher.sink { log.loading.append($0) },
            message.isLoadingPublisher.sink { log.isLoading.append($0) },
            message.dataStatusPublisher.sink { log.data.append($0) },
            message.errorPublisher.sink { log.errors.append($0) },
        ]
        await until { log.data.last == .fresh && log.isLoading.last == false && log.loading.last == .loaded }
        await until { log.errors == [nil] }
        try await client.logout()
        await until { log.errors.last == .noSession && log.loading.last == .error && log.data.last == .local }
        #expect(zip(log.loading, log.loading.dropFirst()).allSatisfy { $0 != $1 })
        #expect(zip(log.isLoading, log.isLoading.dropFirst()).allSatisfy { $0 != $1 })
        withExtendedLifetime(tokens) {}
        await client.close()
    }

    @Test(.timeLimit(.minutes(10))) func changesEndWithTheFirstError() async throws {
        let client = try await opened(messages: 1)
        let list = client.messages.getMessages(in: general)
        let object = client.messages.getMessage(MessageID(SystemRuntime().makeUUIDv7()))
        var texts: [String?] = []
        var ends: [ClientError?] = []
        let end: (Subscribers.Completion<any Error>) -> Void = { completion in
            if case .failure(let error) = completion { ends.append(error as? ClientError) }
        }
        let tokens = [
            list.throwingChangePublisher.sink(receiveCompletion: end) { texts.append($0.snapshot.first?.text) },
            object.throwingChangePublisher.sink(receiveCompletion: end) { _ in },
        ]
        await until { texts.last == "1" && list.dataStatus == .fresh && object.loadingStatus == .loaded }
        #expect(ends.isEmpty)
        try await client.logout()
        await until { ends.count == 2 }
        #expect(ends == [.noSession, .noSession])
        withExtendedLifetime(tokens) {}
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

    @Test(.timeLimit(.minutes(10))) func propertiesOnTheNamedExecutor() async throws {
        let client = try await opened(messages: 2)
        let list = client.messages.getMessages(in: general)
        let object = client.messages.getMessage(try #require(server.order.first))
        let executor = OwnExecutor()
        let seen = Mutex<[String: Bool]>([:])
        // The value does not matter here, only the place.
        @Sendable func note(_ name: String) {
            seen.withLock { $0[name] = ($0[name] ?? true) && executor.isCurrent }
        }
        let tokens = [
            list.loadingStatusPublisher(on: executor).sink { @Sendable _ in note("loadingStatus") },
            list.isLoadingPublisher(on: executor).sink { @Sendable _ in note("isLoading") },
            list.dataStatusPublisher(on: executor).sink { @Sendable _ in note("dataStatus") },
            list.hasNextPublisher(on: executor).sink { @Sendable _ in note("hasNext") },
            list.hasPreviousPublisher(on: executor).sink { @Sendable _ in note("hasPrevious") },
            list.isLoadingNextPublisher(on: executor).sink { @Sendable _ in note("isLoadingNext") },
            list.isLoadingPreviousPublisher(on: executor).sink { @Sendable _ in note("isLoadingPrevious") },
            list.errorPublisher(on: executor).sink { @Sendable _ in note("error") },
            list.snapshotPublisher(on: executor).sink { @Sendable _ in note("snapshot") },
            list.throwingChangePublisher(on: executor).sink { @Sendable _ in
            } receiveValue: { @Sendable _ in
                note("change")
            },
            object.loadingStatusPublisher(on: executor).sink { @Sendable _ in note("object's loadingStatus") },
            object.isLoadingPublisher(on: executor).sink { @Sendable _ in note("object's isLoading") },
            object.dataStatusPublisher(on: executor).sink { @Sendable _ in note("object's dataStatus") },
            object.errorPublisher(on: executor).sink { @Sendable _ in note("object's error") },
            object.snapshotPublisher(on: executor).sink { @Sendable _ in note("object's snapshot") },
            object.throwingChangePublisher(on: executor).sink { @Sendable _ in
            } receiveValue: { @Sendable _ in
                note("object's change")
            },
        ]
        await until { seen.withLock { $0.count } == tokens.count }
        #expect(seen.withLock { $0.values.allSatisfy(\.self) }, "a value was delivered elsewhere")
        for token in tokens { token.cancel() }
        await client.close()
    }
}

/// Holds back pages while it is closed.
private final class Gate: Sendable {
    private let state = Mutex((isOpen: true, waiters: [CheckedContinuation<Void, Never>]()))

    var isOpen: Bool {
        get { state.withLock { $0.isOpen } }
        set {
            let waiters = state.withLock { state in
                state.isOpen = newValue
                defer { if newValue { state.waiters = [] } }
                return newValue ? state.waiters : []
            }
            for waiter in waiters { waiter.resume() }
        }
    }

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiters.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}

/// A transport whose pages wait at a gate.
private struct GatedTransport: Transport {
    let inner: ScriptedConnection
    let gate: Gate

    var capabilities: TransportCapabilities { inner.capabilities }

    func authenticate(
        knowing history: ServerHistory?, outbox: OutboxID?
    ) async throws(TransportError) -> ServerInfo { try await inner.authenticate(knowing: history, outbox: outbox) }

    func deliver(_ delivery: Delivery) async throws(TransportError) -> DeliveryReport {
        try await inner.deliver(delivery)
    }

    func messages(_ query: RemoteQuery) async throws(TransportError) -> RemotePage {
        await gate.pass()
        return try await inner.messages(query)
    }

    func message(
        _ id: MessageID, knowing history: ServerHistory?
    ) async throws(TransportError) -> RemoteMessageState { try await inner.message(id, knowing: history) }

    func lookup(_ id: MessageID) async throws(TransportError) -> ServerPosition? { try await inner.lookup(id) }

    func close() async { await inner.close() }
}
