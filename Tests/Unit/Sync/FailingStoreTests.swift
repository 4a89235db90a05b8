import Causeway
import CausewayModels
import CausewayRuntime
import CausewaySimulatedRuntime
import CausewayStorage
import CausewayTransport
import Synchronization
import Testing

/// A store that fails and recovers while callers wait for a delivery: each of them gets a result.
struct FailingStoreTests {
    private func loggedIn(_ world: ClientWorld) async throws -> (FailingStore, CausewayClient) {
        let store = FailingStore()
        let client = try await world.open(on: store)
        try await world.login(client)
        return (store, client)
    }

    /// The verdict arrives while nothing can be written, and others begin to wait while nothing can be read.
    @Test(arguments: [true, false])
    func everyWaiterIsToldWhenTheStoreIsBack(isRefused: Bool) throws {
        try ClientWorld.run { world in
            let (store, client) = try await loggedIn(world)
            world.transport.server.withLock { $0.behaviours = [.delay(.seconds(5))] }
            let handle = try await client.messages.createTextMessage("1", in: world.general)
            if isRefused { world.transport.server.withLock { $0.refused = [handle.id] } }
            let early = Wait(for: handle, world.runtime)
            try await world.until("it is under way") { world.transport.server.withLock { $0.deliveries.count == 1 } }
            store.fail()
            await world.pass(.seconds(10))
            let late = Wait(for: handle, world.runtime)
            await world.pass(.seconds(60))
            #expect(early.result == nil && late.result == nil)
            #expect(store.failures > 2)
            store.recover()
            for wait in [early, late] {
                try await world.until("a waiter is told") { wait.result != nil }
                #expect((try? wait.result?.get()) == (isRefused ? nil : ServerPosition(world, handle.id)))
            }
            // The lists of failed messages, and the engine, continue to work.
            _ = try await client.messages.createTextMessage("2", in: world.general).delivered()
            await client.close()
        }
    }

    /// The verdict has long been written.
    @Test func aWaitThatBeginsWhileNothingCanBeReadEndsWithTheResult() throws {
        try ClientWorld.run { world in
            let (store, client) = try await loggedIn(world)
            let handle = try await client.messages.createTextMessage("1", in: world.general)
            _ = try await handle.delivered()
            store.fail()
            let wait = Wait(for: handle, world.runtime)
            await world.pass(.seconds(10))
            #expect(wait.result == nil)
            store.recover()
            try await world.until("the waiter is told") { wait.result != nil }
            #expect((try? wait.result?.get()) == ServerPosition(world, handle.id))
            await client.close()
        }
    }

    /// The end comes while the verdict cannot be written: requests behind it are refused, because the outbox is ahead
    /// of the store by then.
    @Test func whatWaitsBehindAVerdictThatIsGivenUpIsRefused() throws {
        try ClientWorld.run { world in
            let (store, client) = try await loggedIn(world)
            world.transport.server.withLock { $0.behaviours = [.delay(.seconds(5))] }
            let handle = try await client.messages.createTextMessage("1", in: world.general)
            try await world.until("it is under way") { world.transport.server.withLock { $0.deliveries.count == 1 } }
            let isWriting = Mutex(false)
            store.failNextCommit {
                isWriting.withLock { $0 = true }
                await world.pass(.seconds(3))
            }
            try await world.until("the verdict is being written") { isWriting.withLock { $0 } }
            let deletion = Mutex<Result<Void, ClientError>?>(nil)
            world.runtime.spawn {
                do throws(ClientError) {
                    try await client.messages.softDeleteMessage(handle.id)
                    deletion.withLock { $0 = .success(()) }
                } catch {
                    deletion.withLock { $0 = .failure(error) }
                }
            }
            await world.pass(.seconds(1))
            await client.close()
            try await world.until("the deletion has ended") { deletion.withLock { $0 != nil } }
            guard case .failure(.closed) = deletion.withLock({ $0 }) else {
                Issue.record("\(String(describing: deletion.withLock { $0 }))")
                return
            }
        }
    }

    /// The verdict is in the store, and only reads fail; also for messages that a logout ended.
    @Test func aWaiterIsToldOfTheEndOfASession() throws {
        try ClientWorld.run { world in
            let (store, client) = try await loggedIn(world)
            world.transport.server.withLock { $0.always = .fail(.unreachable(detail: "away")) }
            let handle = try await client.messages.createTextMessage("1", in: world.general)
            let wait = Wait(for: handle, world.runtime)
            await world.pass(.seconds(5))
            // The logout is durable, and the messages that it ended can be read a while later.
            store.failReadsAfterNextSession()
            let logout = Mutex<Int?>(nil)
            world.runtime.spawn {
                let count = try? await client.logout()
                logout.withLock { $0 = count }
            }
            await world.pass(.seconds(30))
            #expect(wait.result == nil)
            store.recover()
            try await world.until("the waiter is told") { wait.result != nil }
            guard case .failure(.failed(let failure)) = wait.result else {
                Issue.record("\(String(describing: wait.result))")
                return
            }
            #expect(failure.reason == .sessionEnded)
            try await world.until("the logout has ended") { logout.withLock { $0 } == 1 }
            await client.close()
        }
    }

    /// A page is compared with the stored messages in steps. The first one contains a message that another copy of the
    /// store has sent and that has no slot in a lane here; the second one fails.
    @Test func whatThePageBroughtIsToldAlthoughTheRestFails() throws {
        try ClientWorld.run { world in
            let (store, client) = try await loggedIn(world)
            let parent = try await client.messages.createTextMessage("one", in: world.general)
            world.transport.server.withLock { $0.refused = [parent.id] }
            await #expect(throws: DeliveryError.self) { try await parent.delivered() }
            let reply = try await client.messages.createTextMessage("re", in: world.general, parent: parent.id)
            let wait = Wait(for: reply, world.runtime)
            await world.pass(.seconds(1))
            let others = try (1...300).map { try world.placed($0, by: "bob") }
            try await store.commit(others.map { .merge($0, at: world.runtime.wallClock) })
            let serverPosition = ServerPosition(position: 301, acceptedAt: Timestamp(milliseconds: 7))
            world.transport.server.withLock {
                let own = RemoteMessage(
                    id: reply.id, channel: world.general, sender: reply.message.sender, parent: parent.id,
                    body: MessageBody(content: .text("re")), createdAt: reply.message.createdAt,
                    serverPosition: serverPosition)
                $0.fixedPage = RemotePage(items: others + [own], hasMore: false, range: 1..<302)
            }
            store.failPages(after: 1)
            await #expect(throws: ClientError.self) {
                try await client.messages.refreshMessages(in: world.general, limit: 400)
            }
            store.recover()
            #expect(try await client.messages.storedMessage(reply.id)?.syncState == .synced)
            try await world.until("the waiter is told") { (try? wait.result?.get()) == serverPosition }
            await client.close()
        }
    }

    /// A login fails messages that were created at the moment of the logout, then fails itself: their waiters resume.
    @Test(arguments: ["ann", "bob"])
    func whatAFailedLoginGaveUpIsTold(name: String) throws {
        try ClientWorld.run { world in
            let (store, client) = try await loggedIn(world)
            try await client.logout()
            let stray = try await store.enqueue(
                MessageDraft(
                    id: MessageID(UUIDv7(high: 0x7000, low: 0x8000_0000_0000_0001)), channel: world.general,
                    sender: try #require(UserID("ann")), content: .text("1"), createdAt: world.runtime.wallClock,
                    lane: .text))
            let wait = Wait(for: try await client.messages.handle(of: stray.id), world.runtime)
            await world.pass(.seconds(1))
            #expect(wait.result == nil)
            let user = try #require(UserID(name))
            world.transport.server.withLock { $0.serverInfo = .success(ServerInfo(user: user, server: "scripted")) }
            store.failSessionSaves()
            await #expect(throws: ClientError.self) { try await world.login(client) }
            try await world.until("the waiter is told") { wait.result != nil }
            #expect(throws: DeliveryError.self) { try wait.result?.get() }
            #expect(try await client.messages.storedMessage(stray.id)?.syncState == .error)
            store.recover()
            await client.close()
        }
    }

    /// The owner of the message cannot be determined now; a cancelled wait ends nevertheless.
    @Test func aWaitThatIsGivenUpEndsWhileTheStoreFails() throws {
        try ClientWorld.run { world in
            let (store, client) = try await loggedIn(world)
            world.transport.server.withLock { $0.always = .fail(.unreachable(detail: "away")) }
            let handle = try await client.messages.createTextMessage("1", in: world.general)
            try await client.logout()
            let bob = try #require(UserID("bob"))
            world.transport.server.withLock { $0.serverInfo = .success(ServerInfo(user: bob, server: "scripted")) }
            try await world.login(client)
            store.failSessions(times: 1000)
            let wait = Wait(for: handle, world.runtime)
            try await world.until("it is waiting for the store") { store.failures > 0 }
            wait.task.cancel()
            try await world.until("it has ended") { wait.result != nil }
            #expect(wait.result == .failure(.unknown))
            #expect(store.failures < 100)
            store.recover()
            await client.close()
        }
    }
}

/// A wait for a delivery.
private final class Wait: Sendable {
    private final class End: Sendable {
        let result = Mutex<Result<ServerPosition, DeliveryError>?>(nil)
    }

    private let end = End()
    let task: RuntimeTask

    init(for handle: MessageHandle, _ runtime: any Runtime) {
        task = runtime.spawn { [end] in
            let result: Result<ServerPosition, DeliveryError>
            do throws(DeliveryError) {
                result = .success(try await handle.delivered())
            } catch {
                result = .failure(error)
            }
            end.result.withLock { $0 = result }
        }
    }

    /// The result; `nil` while the wait lasts.
    var result: Result<ServerPosition, DeliveryError>? { end.result.withLock { $0 } }
}

extension ClientWorld {
    /// A message of another user, at the position of its number.
    fileprivate func placed(_ number: Int, by name: String) throws -> RemoteMessage {
        RemoteMessage(
            id: MessageID(UUIDv7(high: 0x7000, low: 0x8000_0000_0000_0000 | UInt64(number))), channel: general,
            sender: try #require(UserID(name)), content: .text("\(number)"), createdAt: Timestamp(milliseconds: 1),
            serverPosition: ServerPosition(position: Int64(number), acceptedAt: Timestamp(milliseconds: 1)))
    }
}

extension ServerPosition {
    /// The position on the server.
    fileprivate init?(_ world: ClientWorld, _ id: MessageID) {
        guard let serverPosition = world.transport.server.withLock({ $0.accepted[id] }) else { return nil }
        self = serverPosition
    }
}
