import Causeway
import CausewayScriptedWorld
import CausewayTestSupport
import Dispatch
import Synchronization
import Testing

/// The forms for callers that do not wait: ids at once, completions on the main actor.
@MainActor @Suite(.timeLimit(.minutes(10))) struct CallbackTests {
    private let store = MemoryStore()
    private let server = ScriptedServer()
    private let general: ChannelID

    init() throws { general = try #require(ChannelID("general")) }

    private func opened(isLoggedIn: Bool = true) async throws -> CausewayClient {
        let client = try await CausewayClient.open(
            store: store, transports: server.registry, credentials: MemoryCredentialStore(),
            configuration: .forTests())
        if isLoggedIn { try await client.login(server: "test:", token: try #require(AccessToken("secret"))) }
        return client
    }

    /// Creates a message and waits for its completion.
    private func result(
        _ create: (@escaping @MainActor (Result<Message, DeliveryError>) -> Void) -> MessageID
    ) async -> (id: MessageID, result: Result<Message, DeliveryError>) {
        var id: MessageID?
        let result = await withCheckedContinuation { continuation in
            id = create { continuation.resume(returning: $0) }
        }
        return (id ?? MessageID(SystemRuntime().makeUUIDv7()), result)
    }

    @Test func messagesAreStoredInTheOrderOfTheCalls() async throws {
        let client = try await opened()
        let texts = (1...50).map(String.init)
        var ids: [MessageID] = []
        var delivered: [MessageID: Message] = [:]
        await withCheckedContinuation { isDone in
            for text in texts {
                ids.append(
                    client.messages.createTextMessage(text, in: general) { result in
                        if case .success(let message) = result { delivered[message.id] = message }
                        if delivered.count == texts.count { isDone.resume() }
                    })
            }
        }
        #expect(server.texts == texts)
        #expect(server.order == ids)
        #expect(delivered.values.allSatisfy { $0.syncState == .synced && $0.serverPosition != nil })
        await client.close()
    }

    @Test func repliesAndCustomMessagesAreCreated() async throws {
        let client = try await opened()
        let parent = await result { client.messages.createTextMessage("one", in: general, completion: $0) }
        let reply = await result {
            client.messages.createCustomMessage(.object([:]), in: general, parent: parent.id, completion: $0)
        }
        let message = try reply.result.get()
        #expect(message.id == reply.id && message.parent == parent.id && message.content == .custom(.object([:])))
        await client.close()
    }

    @Test func whatCannotBeCreatedIsReportedAndNotStored() async throws {
        let client = try await opened(isLoggedIn: false)
        let early = await result { client.messages.createTextMessage("early", in: general, completion: $0) }
        #expect(early.result == .failure(.notCreated(.noSession)))
        try await client.login(server: "test:", token: try #require(AccessToken("secret")))
        let empty = await result { client.messages.createTextMessage("", in: general, completion: $0) }
        guard case .failure(.notCreated(.content)) = empty.result else {
            Issue.record("an empty text: \(empty.result)")
            return
        }
        #expect(try await client.messages.storedMessage(empty.id) == nil)
        await client.close()
    }

    @Test func aRefusedMessageIsReportedWithItsReason() async throws {
        server.set(.refusing(code: "muted", detail: "you are muted"))
        let client = try await opened()
        let refused = await result { client.messages.createTextMessage("hi", in: general, completion: $0) }
        guard case .failure(.failed(let failure)) = refused.result else {
            Issue.record("a refused message: \(refused.result)")
            return
        }
        #expect(failure.reason == .refused && failure.code == "muted")
        await client.close()
    }

    @Test func closingTheClientIsNotTheEndOfADelivery() async throws {
        let client = try await opened()
        server.set(.unreachable)
        var end: Result<Message, DeliveryError>?
        await withCheckedContinuation { isDone in
            let id = client.messages.createTextMessage("later", in: general) { result in
                end = result
                isDone.resume()
            }
            SystemRuntime().spawn {
                await until { await (try? client.messages.storedMessage(id)) != nil }
                await client.close()
            }
        }
        #expect(end == .failure(.clientClosed))
    }

    @Test func aHandleHasALiveMessage() async throws {
        let client = try await opened()
        let handle = try await client.messages.createTextMessage("hi", in: general)
        try await handle.delivered()
        let message = await handle.live.ready()
        #expect(message.snapshot?.id == handle.id && message.object == message.model)
        #expect(message.snapshot?.syncState == .synced)
        await client.close()
    }

    /// A caller that is faster than the disk is refused.
    @Test func creationsThatWaitAreBounded() async throws {
        let queue = CreationQueue(SystemRuntime())
        let gate = Mutex<[CheckedContinuation<Void, Never>]>([])
        let ended = Mutex(0)
        func add(bytes: Int) throws(ClientError) {
            try queue.add(bytes: bytes) {
                await withCheckedContinuation { waiter in gate.withLock { $0.append(waiter) } }
                ended.withLock { $0 += 1 }
            }
        }
        for _ in 1..<Limits.creationsMax { try add(bytes: 1) }
        try add(bytes: Limits.creationBytesMax - Limits.creationsMax + 1)
        #expect(throws: ClientError.self) { try add(bytes: 0) }
        func endAtLeast(_ count: Int) async {
            await until {
                for waiter in gate.withLock({ waiters in
                    defer { waiters = [] }
                    return waiters
                }) { waiter.resume() }
                return ended.withLock { $0 } >= count
            }
        }
        await endAtLeast(Limits.creationsMax)
        try add(bytes: Limits.creationBytesMax)
        #expect(throws: ClientError.self) { try add(bytes: 1) }
        await endAtLeast(Limits.creationsMax + 1)
    }

    // MARK: - Session

    @Test func theStatusIsFollowed() async throws {
        let client = try await opened(isLoggedIn: false)
        #expect(client.session == nil)
        let statuses = client.liveStatus().makeAsyncIterator()
        #expect(await statuses.next()?.session == nil)
        let session = try await client.login(server: "test:", token: try #require(AccessToken("secret")))
        #expect(client.session == session)
        while let status = await statuses.next(), status.session != session {}
        server.set(.unreachable)
        try await client.messages.createTextMessage("later", in: general)
        while let status = await statuses.next(), status.counts.created != 1 {}
        await client.close()
        while await statuses.next() != nil {}
    }

    @Test func aRefusedTokenIsRenewed() async throws {
        let (old, new) = (try #require(AccessToken("old")), try #require(AccessToken("new")))
        let server = ScriptedServer(token: old)
        let asked = Mutex(0)
        let credentials = MemoryCredentialStore()
        let client = try await CausewayClient.open(
            store: store, transports: server.registry, credentials: credentials, configuration: .forTests()
        ) { session in
            asked.withLock { $0 += 1 }
            return new
        }
        let session = try await client.login(server: "test:", token: old)
        server.accept(new)
        try await client.messages.createTextMessage("hi", in: general).delivered()
        #expect(asked.withLock { $0 } == 1)
        #expect(client.session?.id == session.id)
        #expect(try await credentials.token(for: session) == new)
        await client.close()
    }

    // MARK: - Errors

    /// Pages and events have the errors that every other call has.
    @Test func pagesThrowTheErrorsOfTheClient() async throws {
        let client = try await opened(isLoggedIn: false)
        let list = client.messages.getMessages(in: general)
        let object = client.messages.getMessage(MessageID(SystemRuntime().makeUUIDv7()))
        let changes = client.messages.messageChanges(in: general)
        var reported: [any Error] = []
        list.on(.dataError) { reported.append($0) }
        await #expect(throws: ClientError.noSession) { try await list.refresh() }
        await #expect(throws: ClientError.noSession) { try await object.refresh() }
        await #expect(throws: ClientError.noSession) { try await changes.refresh() }
        #expect(!reported.isEmpty && reported.allSatisfy { $0 as? ClientError == .noSession })
        try await client.login(server: "test:", token: try #require(AccessToken("secret")))
        server.set(.unreachable)
        let unreachable = ClientError.transport(.unreachable(detail: "nobody listens there"))
        await #expect(throws: unreachable) { try await list.refresh() }
        await #expect(throws: unreachable) { try await object.refresh() }
        await #expect(throws: unreachable) { try await changes.refresh() }
        #expect(list.error == unreachable)
        list.dispose()
        object.dispose()
        await #expect(throws: ClientError.closed) { try await list.nextPage() }
        await #expect(throws: ClientError.closed) { try await list.previousPage() }
        await #expect(throws: ClientError.closed) { try await object.refresh() }
        await client.close()
        await #expect(throws: ClientError.closed) { try await changes.nextPage() }
    }

    /// The documented form of observers: the error is the last argument of the closure.
    @Test func observersGetTheErrorAsAnArgument() async throws {
        let client = try await opened(isLoggedIn: false)
        let list = client.messages.getMessages(in: general)
        let object = client.messages.getMessage(MessageID(SystemRuntime().makeUUIDv7()))
        var errors: [String: [ClientError?]] = [:]
        let tokens = [
            list.observe { _, change, error in
                #expect(error == change.error)
                errors["list", default: []].append(error)
            },
            list.observeOnce { _, change, error in errors["list once", default: []].append(error) },
            object.observe { object, change, error in
                #expect(error == change.error && error == object.error)
                errors["object", default: []].append(error)
            },
            object.observeOnce { _, change, error in errors["object once", default: []].append(error) },
        ]
        await until {
            errors.count == 4 && errors["list"]?.last == .noSession && errors["object"]?.last == .noSession
        }
        #expect(errors["list once"] == [.noSession] && errors["object once"] == [.noSession])
        try await client.login(server: "test:", token: try #require(AccessToken("secret")))
        await until { errors["list"]?.last == .some(nil) && errors["object"]?.last == .some(nil) }
        withExtendedLifetime(tokens) {}
        await client.close()
    }

    // MARK: - Without the main actor

    @Test func messagesAndFailuresAreFollowedInAnyTask() async throws {
        server.set(.refusing(code: "muted", detail: "you are muted"))
        let client = try await opened()
        let changes = client.messages.messageChanges(in: general)
        let failures = client.messages.failures()
        let handle = try await client.messages.createTextMessage("hi", in: general)
        let deleted = try await Task.detached {
            for await change in changes where change.snapshot.first?.syncState == .error { break }
            for await change in failures where change.snapshot.map(\.id) == [handle.id] { break }
            let deleted = try await client.messages.deleteFailedMessages()
            for await change in failures where change.snapshot.isEmpty { break }
            return deleted
        }.value
        #expect(deleted == 1)
        await client.close()
    }

    private actor Archive {
        private(set) var texts: [String] = []
        private var waiters: [(count: Int, waiter: CheckedContinuation<Void, Never>)] = []

        func add(_ change: LiveCollectionChange<Message>) {
            texts += change.insertions.compactMap { change.snapshot[$0].text }
            for (_, waiter) in waiters.filter({ $0.count <= texts.count }) { waiter.resume() }
            waiters.removeAll { $0.count <= texts.count }
        }

        func until(_ count: Int) async {
            if texts.count < count { await withCheckedContinuation { waiters.append((count, $0)) } }
        }

        /// No call follows.
        func end(_ token: NotificationToken) -> [String] {
            token.invalidate()
            return texts
        }
    }

    @Test func anActorIsNotifiedUntilItsTokenEnds() async throws {
        let client = try await opened()
        let archive = Archive()
        try await client.messages.createTextMessage("1", in: general).delivered()
        let token = await Task.detached { [general] in
            client.messages.messageChanges(in: general).observe(on: archive) { archive, change in archive.add(change) }
        }.value
        await archive.until(1)
        try await client.messages.createTextMessage("2", in: general).delivered()
        await archive.until(2)
        let seen = await archive.end(token)
        #expect(seen == ["1", "2"])
        let list = client.messages.getMessages(in: general)
        try await client.messages.createTextMessage("3", in: general).delivered()
        await until { list.count >= 3 }
        #expect(await archive.texts == seen)
        await client.close()
    }

    /// Runs jobs one after the other, on threads that are not the main one.
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

    @Test func anExecutorIsNotified() async throws {
        let client = try await opened()
        let executor = OwnExecutor()
        let object = try await client.messages.createTextMessage("1", in: general).live
        let seen = Mutex<[(isThere: Bool, state: SyncState?)]>([])
        let token = object.observe(on: executor) { change in
            seen.withLock { $0.append((executor.isCurrent, change.snapshot?.syncState)) }
        }
        await until { seen.withLock { $0.last?.state == .synced } }
        #expect(seen.withLock { $0.allSatisfy(\.isThere) })
        token.invalidate()
        await client.close()
    }

    @Test func pagesAreLoadedWithoutTheMainActor() async throws {
        let client = try await opened()
        for number in 1...5 { try await client.messages.createTextMessage("\(number)", in: general).delivered() }
        try await Task.detached { [general] in
            let changes = client.messages.messageChanges(in: general, pageSize: 2)
            let reader = changes.makeAsyncIterator()
            while let change = await reader.next(), change.dataStatus != .fresh {}
            #expect(try await changes.previousPage() == 2)
            var last = await reader.next()
            while let change = last, change.snapshot.count < 4 { last = await reader.next() }
            #expect(last?.snapshot.compactMap(\.text) == ["2", "3", "4", "5"])
            try await changes.refresh()
            #expect(try await changes.nextPage() == 0)
        }.value
        server.set(.unreachable)
        let changes = client.messages.messageChanges(in: try #require(ChannelID("elsewhere")))
        await #expect(throws: (any Error).self) { try await changes.refresh() }
        await client.close()
        await #expect(throws: (any Error).self) { try await changes.nextPage() }
    }

    @Test func oneMessageIsFollowedInAnyTask() async throws {
        let client = try await opened()
        server.set(.unreachable)
        let handle = try await client.messages.createTextMessage("hi", in: general)
        let changes = client.messages.messageChanges(of: handle.id)
        server.set(.working)
        await client.probeNow()
        for await change in changes where change.snapshot.first?.syncState == .synced { break }
        try await client.messages.softDeleteMessage(handle.id)
        for await change in changes where change.snapshot.isEmpty { break }
        await client.close()
    }
}
