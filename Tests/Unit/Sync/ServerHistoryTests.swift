import Causeway
import CausewayModels
import CausewaySimulatedHub
import CausewaySimulatedRuntime
import CausewayTransport
import Synchronization
import Testing

/// A server whose data are reset while the client runs.
@Suite struct ServerHistoryTests {
    private static let resuming = {
        var configuration = ClientConfiguration()
        configuration.restart = .resume
        return configuration
    }()

    private func create(_ texts: String..., by client: CausewayClient, _ world: ClientWorld) async throws -> [MessageID]
    {
        var ids: [MessageID] = []
        for text in texts { ids.append(try await client.messages.createTextMessage(text, in: world.general).id) }
        return ids
    }

    private func deliverAll(_ client: CausewayClient, in world: ClientWorld) async throws {
        await client.probeNow()
        try await world.until("everything has ended") { try await client.status().counts.undelivered == 0 }
    }

    /// Replaces the server's data with a backup, by its own command, and waits until the client has noticed.
    private func restore(_ backup: ModelHub, _ count: Int, noticedBy client: CausewayClient, _ world: ClientWorld)
        async throws
    {
        world.transport.server.withLock { $0.hub.restore(backup) }
        await client.probeNow()
        try await world.until("the loss is noticed") { try await client.status().notices.count == count }
    }

    /// A delivered message as the server lists it.
    private func placed(
        _ id: MessageID, by client: CausewayClient, _ world: ClientWorld
    ) async throws -> RemoteMessage {
        RemoteMessage(
            id: id, channel: world.general, sender: try #require(client.session?.user), content: .text("a"),
            createdAt: world.runtime.wallClock,
            serverPosition: try #require(try await client.messages.storedMessage(id)?.serverPosition))
    }

    private func order(_ world: ClientWorld) -> [MessageID] { world.transport.server.withLock { $0.order } }

    @Test func whatTheServerLostIsDeliveredAgainInOrder() throws {
        try ClientWorld.run { world in
            world.transport.server.withLock { $0.namesHistory = true }
            let client = try await world.loggedIn(Self.resuming)
            let kept = try await create("a", "b", by: client, world)
            try await deliverAll(client, in: world)
            let backup = world.transport.server.withLock { $0.hub }
            let lost = try await create("c", "d", by: client, world)
            try await deliverAll(client, in: world)
            try await restore(backup, 1, noticedBy: client, world)
            try await deliverAll(client, in: world)
            #expect(order(world) == kept + lost)
            #expect(try await client.status().notices.map(\.kind) == [.serverRestored])
            await client.close()
        }
    }

    /// The client has nothing to send and reads no page: an idle probe detects the loss.
    @Test func anIdleClientNoticesALossByItself() throws {
        try ClientWorld.run { world in
            world.transport.server.withLock { $0.namesHistory = true }
            var configuration = Self.resuming
            configuration.outbox.idleProbeInterval = .seconds(300)
            let client = try await world.loggedIn(configuration)
            let backup = world.transport.server.withLock { $0.hub }
            let lost = try await create("a", "b", by: client, world)
            try await deliverAll(client, in: world)
            world.transport.server.withLock { $0.hub.restore(backup) }
            await world.pass(.seconds(310))
            #expect(try await client.status().notices.map(\.kind) == [.serverRestored])
            try await world.until("all is there again") { try await client.status().counts.undelivered == 0 }
            #expect(order(world) == lost)
            await client.close()
        }
    }

    /// The first edit reaches the server before the message that it lost, the second one after it.
    @Test func anEditThatComesBeforeItsLostMessageIsNotAppliedAfterALaterOne() throws {
        try ClientWorld.run(operationsMax: 1) { world in
            world.transport.server.withLock { $0.namesHistory = true }
            let client = try await world.loggedIn(Self.resuming)
            let backup = world.transport.server.withLock { $0.hub }
            let ids = try await create("zero", "one", by: client, world)
            try await deliverAll(client, in: world)
            // In doubt, so that a later edit is an operation of its own.
            world.transport.server.withLock { $0.behaviours = [.fail(.inDoubt(detail: "cut off"))] }
            try await client.messages.editTextMessage(ids[1], to: "two")
            try await world.until("it is in doubt") { world.transport.server.withLock { $0.behaviours.isEmpty } }
            try await client.messages.editTextMessage(ids[1], to: "three")
            #expect(try await client.messages.dependants(of: ids[1]).count == 2)
            world.transport.server.withLock { server in
                server.hub.restore(backup)
                // "zero" shows that the server is there; "one" arrives after the first edit, and before the second.
                server.behaviours = [.work, .delay(.seconds(1)), .work, .delay(.seconds(3))]
            }
            try await deliverAll(client, in: world)
            #expect(world.text(ids[1]) == "three")
            #expect(try await world.texts(client) == ["zero", "three"])
            #expect(try await client.messages.dependants(of: ids[1]).isEmpty)
            await client.close()
        }
    }

    /// The server has applied both, and only the response to the first one is missing when its data are lost.
    @Test(arguments: [false, true])
    func aChangeOfWhichOnlyTheResponseIsMissingRevertsNoLaterOne(isReaction: Bool) throws {
        try ClientWorld.run(operationsMax: 1, inFlightMax: 4) { world in
            world.transport.server.withLock { $0.namesHistory = true }
            let client = try await world.loggedIn(Self.resuming)
            let backup = world.transport.server.withLock { $0.hub }
            let id = try await create("one", by: client, world)[0]
            try await deliverAll(client, in: world)
            world.transport.server.withLock { server in
                server.behaviours = [.loseLate(.seconds(2)), .work]
                server.always = .fail(.inDoubt(detail: "cut off"))
            }
            for isFirst in [true, false] {
                if isReaction {
                    let change = isFirst ? client.messages.addReaction : client.messages.removeReaction
                    try await change("heart", id)
                } else {
                    try await client.messages.editTextMessage(id, to: isFirst ? "two" : "three")
                }
                try await world.until("it is on its way") {
                    world.transport.server.withLock { $0.behaviours.count == (isFirst ? 1 : 0) }
                }
            }
            try await world.until("the second one is confirmed") {
                try await client.messages.dependants(of: id).count == 1
            }
            let handle = try await client.messages.handle(
                ofOperation: #require(try await client.messages.dependants(of: id).first).id)
            world.transport.server.withLock { server in
                server.hub.restore(backup)
                server.always = .work
            }
            try await deliverAll(client, in: world)
            #expect(world.text(id) == (isReaction ? "one" : "three"))
            #expect(world.transport.server.withLock { $0.hub.accepted[id]?.reactions } == [])
            #expect(try await world.texts(client) == [isReaction ? "one" : "three"])
            #expect(try await client.messages.storedMessage(id)?.myReactions == [])
            #expect(try await client.messages.dependants(of: id).isEmpty)
            await #expect(throws: (any Error).self) { _ = try await handle.delivered() }
            await client.close()
        }
    }

    /// The history named by a response is stored together with the response's confirmations, even after the logout.
    @Test func theHistoryOfAnAnswerAfterTheLogoutIsNoted() throws {
        try ClientWorld.run { world in
            let backup = world.transport.server.withLock { server in
                server.namesHistory = true
                server.behaviours = [.delay(.seconds(2))]
                return server.hub
            }
            let client = try await world.loggedIn(Self.resuming)
            let ids = try await create("a", by: client, world)
            try await world.until("it is on its way") { world.transport.server.withLock { !$0.deliveries.isEmpty } }
            _ = try await client.logout()
            try await world.until("its answer is written down") {
                try await client.messages.storedMessage(ids[0])?.syncState == .synced
            }
            world.transport.server.withLock { $0.hub.putBack(backup) }
            try await world.login(client)
            try await world.until("the loss is noticed") { try await client.status().notices.count == 1 }
            try await deliverAll(client, in: world)
            #expect(order(world) == ids)
            await client.close()
        }
    }

    /// A server that was put back counts the lost commits again: a response of the time before must not pass for one of
    /// the time after.
    @Test(arguments: [true, false])
    func aResponseOfAnEarlierOpeningHidesNoLoss(isLate: Bool) throws {
        try ClientWorld.run { world in
            let backup = world.transport.server.withLock { server in
                server.namesHistory = true
                // Applied at once, or before the server is put back; the other two after that.
                let first = ScriptedTransport.Behaviour.respondLate(.seconds(isLate ? 20 : 1))
                server.behaviours = [first, .delay(.seconds(4)), .delay(.seconds(5))]
                return server.hub
            }
            var configuration = Self.resuming
            configuration.ordering = .lanedPerChannel
            let client = try await world.loggedIn(configuration)
            var ids: [MessageID] = []
            for name in ["general", "second", "third"] {
                let channel = try #require(ChannelID(name))
                ids.append(try await client.messages.createTextMessage(name, in: channel).id)
            }
            try await world.until("all are on their way") {
                world.transport.server.withLock { $0.deliveries.count == 3 }
            }
            await world.pass(.seconds(2))
            #expect(order(world).count == 1)
            world.transport.server.withLock { $0.hub.putBack(backup) }
            await world.pass(.seconds(30))
            try await deliverAll(client, in: world)
            for id in ids { #expect(try await client.messages.storedMessage(id)?.syncState == .synced) }
            #expect(Set(order(world)) == Set(ids))
            await client.close()
        }
    }

    /// The server was reset between the two responses, undetectably: the page was requested before the response to the
    /// delivery.
    @Test func aPageTakesNothingAwayThatWasDeliveredSinceItWasAskedFor() throws {
        try ClientWorld.run { world in
            let other = RemoteMessage(
                id: MessageID(UUIDv7(high: 7, low: 7)), channel: world.general, sender: try #require(UserID("bob")),
                content: .text("other"), createdAt: world.runtime.wallClock,
                serverPosition: ServerPosition(position: 1, acceptedAt: world.runtime.wallClock))
            world.transport.server.withLock { server in
                server.newest = 1
                server.page = [other]
                server.pageDelays = [.seconds(5)]
            }
            let client = try await world.loggedIn(Self.resuming)
            async let page = client.messages.refreshMessages(in: world.general)
            try await world.until("it was asked for") { world.transport.server.withLock { !$0.pageQueries.isEmpty } }
            let ids = try await create("a", by: client, world)
            try await deliverAll(client, in: world)
            #expect(try await client.messages.storedMessage(ids[0])?.serverPosition?.position == 1)
            _ = try await page
            #expect(try await client.messages.storedMessage(other.id) != nil)
            #expect(try await client.messages.storedMessage(ids[0]) != nil)
            await client.close()
        }
    }

    /// Changes that the server reported before it lost its data arrive when the lost message is queued again.
    @Test @MainActor func changesOfAFormerHistoryConfirmNothing() throws {
        try ClientWorld.run { world in
            world.transport.server.withLock { $0.namesHistory = true }
            let client = try await world.loggedIn(Self.resuming)
            let backup = world.transport.server.withLock { $0.hub }
            let ids = try await create("a", by: client, world)
            try await deliverAll(client, in: world)
            let lost = try await placed(ids[0], by: client, world)
            world.transport.server.withLock { server in
                server.page = [lost]
                server.newest = 1
                server.revisions = [:]
            }
            let list = Followed(onMain { client.messages.getMessages(in: world.general).changes }, world.runtime)
            try await world.until("the list is fresh") { list.last?.dataStatus == .fresh }
            world.transport.server.withLock { server in
                server.edit(ids[0], "b", at: world.runtime.wallClock)
                server.changesDelay = .seconds(60)
            }
            try await client.login(server: ClientWorld.address, token: #require(AccessToken("renewed")))
            try await world.until("changes were asked for") {
                world.transport.server.withLock { !$0.changeQueries.isEmpty }
            }
            try await client.pause()
            world.transport.server.withLock { server in
                server.page = []
                server.newest = 0
            }
            try await restore(backup, 1, noticedBy: client, world)
            #expect(try await client.messages.storedMessage(ids[0])?.syncState == .created)
            await world.pass(.seconds(90))
            #expect(try await client.messages.storedMessage(ids[0])?.syncState == .created)
            try await client.resume()
            try await deliverAll(client, in: world)
            #expect(order(world) == ids)
            await client.close()
        }
    }

    /// A restored server reports changes before anything else has shown that it was restored.
    @Test @MainActor func changesOfAnUnknownHistoryRemoveNothing() throws {
        try ClientWorld.run { world in
            world.transport.server.withLock { $0.namesHistory = true }
            let client = try await world.loggedIn(Self.resuming)
            let backup = world.transport.server.withLock { $0.hub }
            let ids = try await create("a", by: client, world)
            try await deliverAll(client, in: world)
            let lost = try await placed(ids[0], by: client, world)
            world.transport.server.withLock { server in
                server.page = [lost]
                server.newest = 1
                server.revisions = [:]
            }
            let changes = onMain { client.messages.getMessages(in: world.general).changes }
            let list = Followed(changes, world.runtime)
            try await world.until("the list is fresh") { list.last?.dataStatus == .fresh }
            world.transport.server.withLock { server in
                server.hub.restore(backup)
                server.remove(ids[0])
                server.pageError = .unreachable(detail: "for a test")
                server.pageErrorSparesChanges = true
            }
            await #expect(throws: (any Error).self, "pages are read instead") { try await changes.refresh() }
            #expect(world.transport.server.withLock { $0.changeQueries.last?.history } != nil)
            #expect(try await client.messages.storedMessage(ids[0]) != nil)
            try await deliverAll(client, in: world)
            #expect(order(world) == ids)
            #expect(try await client.status().notices.map(\.kind) == [.serverRestored])
            await client.close()
        }
    }

    /// Without ranges in its pages, the server is asked about a message. It did not find it on data that have been
    /// replaced since.
    @Test func aFormerOpeningRemovesNothing() throws {
        try ClientWorld.run { world in
            world.transport.server.withLock { $0.namesHistory = true }
            let client = try await world.loggedIn(Self.resuming)
            let ids = try await create("a", by: client, world)
            try await deliverAll(client, in: world)
            let complete = world.transport.server.withLock { $0.hub }
            let changes = client.messages.messageChanges(of: ids[0])
            let message = Followed(changes, world.runtime)
            try await world.until("the object is fresh") { message.last?.dataStatus == .fresh }
            world.transport.server.withLock { server in
                server.lost = [ids[0]]
                server.lookupDelay = .seconds(10)
                server.lookups = 0
            }
            async let refreshed: Void = changes.refresh()
            try await world.until("the message was asked for") { world.transport.server.withLock { $0.lookups > 0 } }
            world.transport.server.withLock { server in
                server.lost = []
                server.lookupDelay = nil
                server.hub.putBack(complete)
            }
            await client.probeNow()
            _ = try await refreshed
            await world.pass(.seconds(1))
            #expect(try await client.messages.storedMessage(ids[0])?.syncState == .synced)
            #expect(message.last?.snapshot.map(\.id) == ids)
            await client.close()
        }
    }

    /// Messages queued again under a new outbox id may be on the server nevertheless: a session that ends then leaves
    /// them in doubt, with fences.
    @Test func whatIsQueuedAgainIsAskedAboutWhenTheSessionEnds() throws {
        try ClientWorld.run { world in
            world.transport.server.withLock { $0.namesHistory = true }
            let client = try await world.loggedIn(Self.resuming)
            let ids = try await create("a", "b", by: client, world)
            try await deliverAll(client, in: world)
            let backup = world.transport.server.withLock { $0.hub }
            try await restore(backup, 1, noticedBy: client, world)
            // The backup does not know the outbox that began then.
            try await client.pause()
            try await restore(backup, 2, noticedBy: client, world)
            #expect(try await client.status().counts.undelivered == 2)
            await client.close()

            let next = try await world.open(on: world.store.crashedCopy())
            try await world.until("the server was asked") { try await next.status().counts.error == 0 }
            for id in ids { #expect(try await next.messages.storedMessage(id)?.syncState == .synced) }
            #expect(order(world) == ids)
            await next.close()
        }
    }

    /// Two servers behind one address would make the queue longer with each request otherwise.
    @Test func aDeletionIsQueuedOnceHoweverOftenTheHistoryChanges() throws {
        try ClientWorld.run { world in
            world.transport.server.withLock { $0.namesHistory = true }
            let client = try await world.loggedIn(Self.resuming)
            let ids = try await create("a", "b", by: client, world)
            try await deliverAll(client, in: world)
            let backup = world.transport.server.withLock { $0.hub }
            func isDeleted() -> Bool {
                world.transport.server.withLock { $0.hub.accepted[ids[0]]?.isDeleted ?? false }
            }
            try await client.messages.softDeleteMessage(ids[0])
            try await world.until("it is deleted there") { isDeleted() }
            try await client.pause()
            for count in 1...3 { try await restore(backup, count, noticedBy: client, world) }
            let queued = try await world.store.outbox().entries.filter { $0.kind == .delete }
            #expect(queued.map(\.message) == [ids[0]])
            #expect(!isDeleted())
            try await client.resume()
            try await world.until("it is deleted there again") { isDeleted() }
            try await world.until("nothing is queued") { try await world.store.outbox().entries.isEmpty }
            await client.close()
        }
    }
}
