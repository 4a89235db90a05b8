import Causeway
import CausewayModels
import CausewayRuntime
import CausewaySimulatedRuntime
import CausewayStorage
import CausewayTransport
import Synchronization
import Testing

/// Several accounts on one store, one after the other. On the main thread, because the tests create live collections.
@MainActor struct AccountTests {
    private nonisolated static let cut = TransportError.inDoubt(detail: "cut off")

    /// Ann's message reached the server, the response was lost; Bob was logged in meanwhile.
    @Test func aDoubtIsResolvedAfterTheVisitOfAnotherAccount() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            world.transport.server.withLock {
                $0.behaviours = [.loseAnswer]
                $0.always = .fail(Self.cut)
            }
            let handle = try await client.messages.createTextMessage("1", in: world.general)
            try await world.until("it was sent") { world.transport.server.withLock { !$0.order.isEmpty } }
            #expect(try await client.logout() == 1)
            world.transport.server.withLock { $0.always = .work }
            try await visit(world, client)
            #expect(try await client.messages.storedMessage(handle.id) == nil)
            #expect(try await client.status().counts.undelivered == 0)
            #expect(try await client.logout() == 0)
            try await login(world, client, as: "ann")
            try await world.until("its doubt is resolved") {
                try await client.messages.storedMessage(handle.id)?.syncState == .synced
            }
            #expect(world.transport.server.withLock { $0.order }.filter { $0 == handle.id }.count == 1)
        }
    }

    @Test func aDeletionMadeOfflineIsCountedAndOutlivesAVisit() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let handle = try await client.messages.createTextMessage("1", in: world.general)
            _ = try await handle.delivered()
            world.transport.server.withLock { $0.always = .fail(.unreachable(detail: "refused")) }
            try await client.messages.softDeleteMessage(handle.id)
            #expect(try await client.logout() == 1)
            world.transport.server.withLock { $0.always = .work }
            try await visit(world, client)
            await world.pass(.seconds(60))
            #expect(world.transport.server.withLock { $0.deletions } == [])
            #expect(try await client.messages.deleteActions().isEmpty)
            #expect(try await client.logout() == 0)
            try await login(world, client, as: "ann")
            try await world.until("it is deleted there") {
                world.transport.server.withLock { $0.deletions } == [handle.id]
            }
            #expect(try await client.messages.deleteActions().map(\.message) == [handle.id])
        }
    }

    /// Neither by id, nor with everything that failed.
    @Test func anotherAccountNeitherReadsNorDeletesWhatIsStored() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let sent = try await client.messages.createTextMessage("sent", in: world.general)
            try await sent.delivered()
            world.transport.server.withLock { $0.always = .fail(.refused(code: "no", detail: "not allowed")) }
            let failed = try await client.messages.createTextMessage("failed", in: world.general)
            try await client.messages.editTextMessage(sent.id, to: "edited")
            try await world.until("both have failed") { try await client.status().counts.error == 2 }
            let edit = try #require(
                try await client.messages.failedOperations().operations.first { !$0.createsMessage })
            try await client.logout()
            world.transport.server.withLock { $0.always = .work }
            try await login(world, client, as: "bob")
            let messages = client.messages
            for id in [sent.id, failed.id, edit.id] {
                #expect(try await messages.storedMessage(id) == nil)
                #expect(try await messages.storedOperation(id) == nil)
                await #expect(throws: ClientError.messageNotFound(id)) { try await messages.softDeleteMessage(id) }
                await #expect(throws: ClientError.messageNotFound(id)) { try await messages.resend(id) }
            }
            #expect(try await messages.failedMessages().messages.isEmpty)
            #expect(try await messages.deleteFailedMessages() == 0)
            #expect(try await messages.deleteFailedOperations() == 0)
            #expect(try await messages.resendFailedMessages() == 0)
            #expect(try await messages.deleteActions().isEmpty)
            try await client.logout()
            try await login(world, client, as: "ann")
            #expect(try await messages.storedMessage(sent.id)?.syncState == .synced)
            #expect(try await messages.failedMessages().messages.map(\.id) == [failed.id])
            #expect(Set(try await messages.failedOperations().operations.map(\.id)) == [failed.id, edit.id])
            #expect(world.transport.server.withLock { $0.deletions } == [])
            await client.close()
        }
    }

    /// The list contained 1, 2, 3 of the previous account; the other server's channel of that name has one message.
    @Test func aListShowsNothingOfTheAccountBefore() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            for text in ["1", "2", "3"] {
                _ = try await client.messages.createTextMessage(text, in: world.general).delivered()
            }
            let changes = onMain { client.messages.getMessages(in: world.general).changes }.makeAsyncIterator()
            while let change = await changes.next(), change.snapshot.count < 3 {}
            try await client.logout()
            let sender = try #require(UserID("grace"))
            world.transport.server.withLock { server in
                server.page = [
                    RemoteMessage(
                        id: MessageID(world.runtime.makeUUIDv7()), channel: world.general, sender: sender,
                        content: .text("another server"), createdAt: world.runtime.wallClock,
                        serverPosition: ServerPosition(position: 2, acceptedAt: world.runtime.wallClock))
                ]
            }
            try await login(world, client, as: "ann", at: "test://elsewhere")
            var last = await changes.next()
            while let change = last, change.dataStatus != .fresh || change.snapshot.isEmpty {
                last = await changes.next()
            }
            #expect(last?.snapshot.map(\.content) == [.text("another server")])
            await client.close()
        }
    }

    /// It was requested in the session before, and shows that account's channel.
    @Test func aPageThatComesAfterAnotherLoginIsNotStored() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            _ = try RemoteMessages.server(3, world)
            world.transport.server.withLock { $0.pageDelays = [.seconds(5)] }
            async let page: Void = client.messages.refreshMessages(in: world.general)
            try await world.until("it was asked for") { world.transport.server.withLock { !$0.pageQueries.isEmpty } }
            try await client.logout()
            try await login(world, client, as: "bob")
            do {
                try await page
                Issue.record("it was taken")
            } catch {}
            #expect(try await client.messages.storedMessages(in: world.general).messages.isEmpty)
            await client.close()
        }
    }

    /// A handle returns no result for a message that belongs to another account than the one that is logged in.
    @Test func aHandleOfTheAccountBeforeSaysNothingFalse() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            world.transport.server.withLock { $0.always = .fail(.unreachable(detail: "refused")) }
            let handle = try await client.messages.createTextMessage("1", in: world.general)
            #expect(try await client.logout() == 1)
            world.transport.server.withLock { $0.always = .work }
            try await login(world, client, as: "bob")
            await #expect(throws: DeliveryError.unknown) { try await handle.delivered() }
            try await client.logout()
            try await login(world, client, as: "ann")
            try await client.messages.resend(handle.id)
            _ = try await handle.delivered()
        }
    }

    /// A message, a reply that waits for it, an edit of a delivered one, and a deletion; the reply and the edit have no
    /// link, or one of their own.
    @Test func logoutCountsEverythingThatIsPending() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let kept = try await client.messages.createTextMessage("kept", in: world.general)
            let gone = try await client.messages.createTextMessage("gone", in: world.general)
            _ = try await kept.delivered()
            _ = try await gone.delivered()
            world.transport.server.withLock { $0.always = .fail(.unreachable(detail: "refused")) }
            let queued = try await client.messages.createTextMessage("queued", in: world.general)
            _ = try await client.messages.createCustomMessage(
                .object(["a": .integer(1)]), in: world.general, parent: queued.id)
            try await client.messages.editTextMessage(kept.id, to: "edited")
            try await client.messages.softDeleteMessage(gone.id)
            #expect(try await client.logout() == 4)
        }
    }

    /// A store that was restored twice has two fences for a reply that waits for its message.
    @Test func aParkedMessageWithTwoFencesCountsOnce() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            world.transport.server.withLock { $0.always = .fail(.unreachable(detail: "refused")) }
            let queued = try await client.messages.createTextMessage("queued", in: world.general)
            let reply = try await client.messages.createTextMessage("reply", in: world.general, parent: queued.id)
            let fences = (101...102).map { sequence in
                ChainMarker(
                    kind: .fence, lane: .text, sequence: Int64(sequence), previous: Int64(sequence) - 1,
                    message: reply.id)
            }
            let refusal = Failure(reason: .refused, code: "unrelated", detail: "", at: Timestamp(milliseconds: 1))
            try await world.store.commit([.park(reply.id, refusal)] + fences.map { .putMarker($0) })
            #expect(try await client.messages.storedMessage(reply.id)?.isParked == true)
            #expect(try await client.logout() == 2)
        }
    }

    @Test func anAddressWithASlashIsTheSameServer() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let first = try await client.status().session
            try await login(world, client, as: "ann", at: ClientWorld.address + "/")
            #expect(try await client.status().session == first)
            try await client.logout()
            try await login(world, client, as: "ann", at: "TEST://Server/")
            let handle = try await client.messages.createTextMessage("1", in: world.general)
            #expect(handle.message.sender == first?.user)
        }
    }

    private nonisolated func visit(_ world: ClientWorld, _ client: CausewayClient) async throws {
        try await login(world, client, as: "bob")
        _ = try await client.messages.createTextMessage("bob was here", in: try #require(ChannelID("bobs"))).delivered()
    }

    private nonisolated func login(
        _ world: ClientWorld, _ client: CausewayClient, as name: String, at server: String = ClientWorld.address
    ) async throws {
        let user = try #require(UserID(name))
        world.transport.server.withLock { $0.serverInfo = .success(ServerInfo(user: user, server: "scripted")) }
        try await client.login(server: server, token: #require(AccessToken("secret")))
    }
}
