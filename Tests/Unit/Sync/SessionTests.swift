import Causeway
import CausewayModels
import CausewayRuntime
import CausewaySimulatedRuntime
import CausewayStorage
import CausewayTransport
import Synchronization
import Testing

@Suite struct SessionTests {
    private static let away = TransportError.unreachable(detail: "connection refused")

    private func cutOff(_ world: ClientWorld) {
        world.transport.server.withLock {
            $0.always = .fail(Self.away)
            $0.serverInfo = .failure(Self.away)
        }
    }

    private func comeBack(_ world: ClientWorld) throws {
        let user = try #require(UserID("ann"))
        world.transport.server.withLock {
            $0.always = .work
            $0.serverInfo = .success(ServerInfo(user: user, server: "back"))
        }
    }

    @Test func aRestartFailsWhatWasUndeliveredBeforeAnybodyCanSeeItOtherwise() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            world.transport.server.withLock { $0.always = .delay(.seconds(1000)) }
            let handle = try await client.messages.createTextMessage("hi", in: world.general)
            try await world.until("it is syncing") {
                try await client.messages.storedMessage(handle.id)?.syncState == .syncing
            }
            let found = try world.store.crashedCopy()
            let seen = Mutex<[SyncState]>([])
            let subscription = found.subscribe { commit in
                for case .message(_, let after?, _) in commit.changes { seen.withLock { $0.append(after.syncState) } }
            }
            let next = try await world.open(on: found)
            let message = try #require(try await next.messages.storedMessage(handle.id))
            #expect(message.syncState == .error)
            #expect(message.failure?.reason == .sessionEnded)
            #expect(seen.withLock { !$0.contains(.syncing) && !$0.contains(.created) })
            subscription.cancel()
        }
    }

    /// A client that is online does not probe.
    @Test func theStatusSaysHowRequestsTravelNow() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            try await world.until("the server is known") { try await client.status().server == "scripted" }
            for way in ["WebSocket", "HTTP: the WebSocket was refused (503)", "WebSocket"] {
                world.transport.server.withLock { $0.way = way }
                #expect(try await client.status().server == "scripted over \(way)")
            }
        }
    }

    @Test func resumeDeliversInTheOldOrderExactlyOnce() throws {
        for seed in 1...10 as ClosedRange<UInt64> {
            try ClientWorld.run(seed: seed, on: [.of(seed)]) { world in
                let client = try await world.loggedIn()
                cutOff(world)
                var ids: [MessageID] = []
                for number in 1...50 {
                    ids.append(try await client.messages.createTextMessage("\(number)", in: world.general).id)
                }
                await world.pass(.seconds(5))
                var configuration = ClientConfiguration()
                configuration.restart = .resume
                try comeBack(world)
                let next = try await world.open(on: world.store.crashedCopy(), configuration)
                try await world.until("all are synced") { try await next.status().counts.undelivered == 0 }
                #expect(world.transport.server.withLock { $0.order } == ids)
            }
        }
    }

    /// The session has begun by then: messages created in it are delivered over the transport that it was given.
    @Test func aTokenThatCannotBeKeptEndsNothing() throws {
        struct FullDisk: CredentialStore {
            func token(for session: Session) async throws(CredentialError) -> AccessToken? { nil }
            func save(_ token: AccessToken, for session: Session) async throws(CredentialError) {
                throw CredentialError("no space")
            }
            func remove(for session: Session) async throws(CredentialError) { throw CredentialError("no space") }
        }
        try ClientWorld.run { world in
            let client = try await world.open(keeping: FullDisk())
            await #expect(throws: ClientError.credentials(CredentialError("no space"))) {
                try await world.login(client)
            }
            let handle = try await client.messages.createTextMessage("hi", in: world.general)
            _ = try await handle.delivered()
            await #expect(throws: ClientError.credentials(CredentialError("no space"))) {
                try await client.logout()
            }
            #expect(try await client.status().session == nil)
        }
    }

    /// Otherwise it would remain locked for a later attempt, as after the device was unlocked.
    @Test func aClientThatCannotReadItsTokenClosesItsStore() throws {
        struct Locked: CredentialStore {
            func token(for session: Session) async throws(CredentialError) -> AccessToken? {
                throw CredentialError("locked")
            }
            func save(_ token: AccessToken, for session: Session) async throws(CredentialError) {}
            func remove(for session: Session) async throws(CredentialError) {}
        }
        try ClientWorld.run { world in
            let first = try await world.loggedIn()
            await first.close()
            let store = try world.store.crashedCopy()
            await #expect(throws: ClientError.credentials(CredentialError("locked"))) {
                _ = try await world.open(on: store, keeping: Locked())
            }
            await #expect(throws: StoreError.closed) { _ = try await store.session() }
            let next = try await world.open(on: try store.crashedCopy())
            #expect(next.session?.user == UserID("ann"))
            await next.close()
        }
    }

    @Test func aLoginThatFailsClosesItsConnections() throws {
        try ClientWorld.run { world in
            let client = try await world.open()
            let error = TransportError.unreachable(detail: "for a test")
            let serverInfo = world.transport.server.withLock { server in
                defer { server.serverInfo = .failure(error) }
                return server.serverInfo
            }
            await #expect(throws: ClientError.transport(error)) { try await world.login(client) }
            #expect(world.transport.server.withLock { $0.closings } == 1)
            world.transport.server.withLock { $0.serverInfo = serverInfo }
            try await world.login(client)
            #expect(world.transport.server.withLock { $0.closings } == 1)
            await client.close()
        }
    }

    /// The store of another client is not closed.
    @Test func aClientThatCannotReadItsSessionClosesItsStore() throws {
        try ClientWorld.run { world in
            let store = FailingStore()
            store.failSessions(times: 1)
            await #expect(throws: ClientError.store(.syncFailed(detail: "the disk was taken away"))) {
                _ = try await world.open(on: store)
            }
            await #expect(throws: StoreError.closed) { _ = try await store.session() }
            let client = try await world.open()
            await #expect(throws: ClientError.self) { _ = try await world.open() }
            #expect(try await world.store.session() == nil)
            await client.close()
        }
    }

    @Test func logoutSendsNothingAfterwardsAndTellsHowManyWereLeft() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            cutOff(world)
            let first = try await client.messages.createTextMessage("1", in: world.general)
            _ = try await client.messages.createTextMessage("2", in: world.general)
            let waiter = world.runtime.spawn {
                await #expect(throws: DeliveryError.self) { try await first.delivered() }
            }
            #expect(try await client.logout() == 2)
            await waiter.finished()
            try comeBack(world)
            let before = world.transport.server.withLock { $0.deliveries.count }
            await world.pass(.seconds(3600))
            #expect(world.transport.server.withLock { $0.deliveries.count } == before)
            #expect(try await client.messages.failedMessages().messages.count == 2)
            await #expect(throws: ClientError.noSession) {
                try await client.messages.createTextMessage("3", in: world.general)
            }
        }
    }

    @Test func whoAsksAfterTheLogoutIsToldAtOnceEvenInDoubt() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            world.transport.server.withLock { $0.always = .fail(.inDoubt(detail: "cut off")) }
            let handle = try await client.messages.createTextMessage("1", in: world.general)
            try await world.until("it was tried") { world.transport.server.withLock { !$0.deliveries.isEmpty } }
            try await client.logout()
            await #expect(throws: DeliveryError.self) { try await handle.delivered() }
        }
    }

    @Test func afterANewLoginAFailedMessageCanBeResentUnderItsOldID() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            cutOff(world)
            let handle = try await client.messages.createTextMessage("1", in: world.general)
            try await client.logout()
            try comeBack(world)
            try await world.login(client)
            try await client.messages.resend(handle.id)
            _ = try await handle.delivered()
            #expect(world.transport.server.withLock { $0.order } == [handle.id])
        }
    }

    @Test func somebodyElsesFailedMessageIsNotSentAsMine() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            cutOff(world)
            let handle = try await client.messages.createTextMessage("1", in: world.general)
            try await client.logout()
            let bob = try #require(UserID("bob"))
            world.transport.server.withLock {
                $0.always = .work
                $0.serverInfo = .success(ServerInfo(user: bob, server: "back"))
            }
            try await world.login(client)
            await #expect(throws: ClientError.messageNotFound(handle.id)) {
                try await client.messages.resend(handle.id)
            }
            #expect(try await client.messages.resendFailedMessages() == 0)
            await world.pass(.seconds(100))
            #expect(world.transport.server.withLock { $0.order }.isEmpty)
        }
    }

    /// Its creation overlapped a logout and another account's login.
    @Test func whatAnotherAccountCreatedIsNotSentAsMine() throws {
        try ClientWorld.run { world in
            let ann = try #require(UserID("ann"))
            let bob = try #require(UserID("bob"))
            world.transport.server.withLock { $0.serverInfo = .success(ServerInfo(user: bob, server: "s")) }
            let client = try await world.loggedIn()
            let before = try await client.messages.createTextMessage("mine", in: world.general)
            let overtaken = try await world.store.enqueue(
                MessageDraft(
                    id: MessageID(UUIDv7(high: 0x7000, low: 0x8000_0000_0000_0001)), channel: world.general,
                    sender: ann, content: .text("of another account"), createdAt: world.runtime.wallClock,
                    lane: .text))
            let after = try await client.messages.createTextMessage("mine, too", in: world.general)
            _ = try await before.delivered()
            _ = try await after.delivered()
            #expect(world.transport.server.withLock { $0.order } == [before.id, after.id])
            let failed = try #require(try await client.messages.storedMessage(overtaken.id))
            #expect(failed.syncState == .error)
            #expect(failed.failure?.reason == .sessionEnded)
            #expect(failed.failure?.code == "otherAccount")
            let detail = try #require(failed.failure?.detail)
            #expect(detail.contains("another account created this") && detail.contains("was not sent"))
            #expect(detail.contains("create it again") && detail.contains("delete it"))
            // The text is true: it cannot be resent here, and it can be deleted.
            await #expect(throws: ClientError.notAuthor(overtaken.id)) {
                try await client.messages.resend(overtaken.id)
            }
            #expect(try await client.messages.resendFailedMessages() == 0)
            try await client.messages.softDeleteMessage(overtaken.id)
            #expect(try await client.status().counts.undelivered == 0)
            #expect(world.transport.server.withLock { $0.order } == [before.id, after.id])
        }
    }

    @Test func anotherUserMustLogOutFirst() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let ann = try #require(UserID("ann"))
            let bob = try #require(UserID("bob"))
            world.transport.server.withLock { $0.serverInfo = .success(ServerInfo(user: bob, server: "s")) }
            await #expect(throws: ClientError.sessionExists(user: ann, server: ClientWorld.address)) {
                try await world.login(client)
            }
        }
    }

    @Test func aTokenOfAnotherUserNeedsAttention() throws {
        try ClientWorld.run { world in
            _ = try await world.loggedIn()
            let bob = try #require(UserID("bob"))
            world.transport.server.withLock { $0.serverInfo = .success(ServerInfo(user: bob, server: "s")) }
            let next = try await world.open(on: world.store.crashedCopy())
            try await world.until("it is noticed") { try await next.status().actionRequired?.cause == .tokenRefused }
        }
    }
}
