import Causeway
import CausewayModels
import CausewaySimulatedRuntime
import CausewayStorage
import CausewayTransport
import Synchronization
import Testing

/// The policies, through the whole client.
@Suite struct PolicyTests {
    /// Enqueues a message in a lane, bypassing the repository.
    @discardableResult
    private func enqueue(
        _ number: UInt64, _ world: ClientWorld, lane: LaneID = .media
    ) async throws -> MessageID {
        let id = MessageID(UUIDv7(high: 0x7000, low: 0x8000_0000_0000_0000 | number))
        let draft = MessageDraft(
            id: id, channel: world.general, sender: try #require(UserID("ann")), content: .text("\(number)"),
            createdAt: world.runtime.wallClock, lane: lane)
        return try await world.store.enqueue(draft).id
    }

    @Test(arguments: [OrderingPolicy.laned, .mediaAfterText])
    func mediaWaitsForEarlierTextOnlyUnderThatPolicy(ordering: OrderingPolicy) throws {
        try ClientWorld.run { world in
            var configuration = ClientConfiguration()
            configuration.ordering = ordering
            let client = try await world.loggedIn(configuration)
            world.transport.server.withLock { $0.behaviours = [.delay(.seconds(20))] }
            let text = try await client.messages.createTextMessage("first", in: world.general)
            try await world.until("the text is under way") {
                world.transport.server.withLock { !$0.deliveries.isEmpty }
            }
            let media = try await enqueue(1, world)
            await world.pass(.seconds(5))
            let wait = try await client.messages.outbox().items.first { $0.operation.id == media }?.wait
            #expect(wait == (ordering == .laned ? nil : .behindLane(.text, text.id)))
            _ = try await text.delivered()
            try await world.until("both are synced") { try await client.status().counts.undelivered == 0 }
            let order = world.transport.server.withLock { $0.order }
            #expect(order == (ordering == .laned ? [media, text.id] : [text.id, media]))
        }
    }

    private var refusal: ScriptedTransport.Behaviour {
        .fail(.refused(code: "contentInvalid", detail: "no such thing"))
    }

    private func pausing() -> ClientConfiguration {
        var configuration = ClientConfiguration()
        configuration.outbox.headFailure = .pauseLane
        configuration.restart = .resume
        return configuration
    }

    /// Under `pauseLane`: the first message was refused, two wait behind it.
    private func pausedLane(_ world: ClientWorld) async throws -> (client: CausewayClient, ids: [MessageID]) {
        let client = try await world.loggedIn(pausing())
        world.transport.server.withLock { $0.behaviours = [refusal] }
        var ids: [MessageID] = []
        for number in 1...3 {
            ids.append(try await client.messages.createTextMessage("\(number)", in: world.general).id)
        }
        try await world.until("the first has failed") {
            try await client.messages.storedMessage(ids[0])?.syncState == .error
        }
        await world.pass(.seconds(600))
        #expect(world.transport.server.withLock { $0.order } == [])
        return (client, ids)
    }

    @Test func aFailedHeadStopsItsLaneAndAResendLetsItGo() throws {
        try ClientWorld.run { world in
            let (client, ids) = try await pausedLane(world)
            #expect(try await client.messages.storedMessage(ids[0])?.failure?.pausesLane == true)
            let waits = try await client.messages.outbox().items.compactMap(\.wait)
            #expect(waits == [.lanePaused(by: ids[0]), .lanePaused(by: ids[0])])
            #expect(try await client.status().lanes.first?.headWait == .lanePaused(by: ids[0]))
            try await client.messages.resend(ids[0])
            try await world.until("all are synced") { try await client.status().counts.undelivered == 0 }
            #expect(world.transport.server.withLock { $0.order } == [ids[1], ids[2], ids[0]])
        }
    }

    @Test func thePauseOutlivesTheProcessAndEndsWithADeletion() throws {
        try ClientWorld.run { world in
            let (first, ids) = try await pausedLane(world)
            await first.close()
            let client = try await world.open(on: world.store.crashedCopy(), pausing())
            await world.pass(.seconds(600))
            #expect(world.transport.server.withLock { $0.order } == [])
            #expect(try await client.status().lanes.first?.headWait == .lanePaused(by: ids[0]))
            _ = try await client.messages.deleteFailedMessages()
            try await world.until("the others are synced") { try await client.status().counts.undelivered == 0 }
            #expect(world.transport.server.withLock { $0.order } == [ids[1], ids[2]])
        }
    }

    /// Another copy of the store delivered the failed message; a page tells this one.
    @Test func aFailedHeadThatIsOnTheServerLetsItsLaneGo() throws {
        try ClientWorld.run { world in
            let (client, ids) = try await pausedLane(world)
            let failed = try #require(try await client.messages.storedMessage(ids[0]))
            world.transport.server.withLock {
                $0.page = [
                    RemoteMessage(
                        id: failed.id, channel: world.general, sender: failed.sender, content: .text("1"),
                        createdAt: failed.createdAt,
                        serverPosition: ServerPosition(position: 7, acceptedAt: Timestamp(milliseconds: 5)))
                ]
            }
            try await client.messages.refreshMessages(in: world.general)
            #expect(try await client.messages.storedMessage(ids[0])?.syncState == .synced)
            try await world.until("the others are synced") { try await client.status().counts.undelivered == 0 }
            #expect(world.transport.server.withLock { $0.order } == [ids[1], ids[2]])
        }
    }

    @Test func theEndOfTheSessionEndsThePause() throws {
        try ClientWorld.run { world in
            let (client, ids) = try await pausedLane(world)
            try await client.logout()
            try await world.login(client)
            #expect(try await client.messages.storedMessage(ids[0])?.failure?.reason == .refused)
            let next = try await client.messages.createTextMessage("next", in: world.general)
            _ = try await next.delivered()
            #expect(world.transport.server.withLock { $0.order } == [next.id])
        }
    }

    private func expiring(after limit: Duration) -> ClientConfiguration {
        var configuration = ClientConfiguration()
        configuration.outbox.expiry = limit
        configuration.restart = .resume
        return configuration
    }

    private func takeAway(_ world: ClientWorld) {
        world.transport.server.withLock {
            $0.always = .fail(.unreachable(detail: "connection refused"))
            $0.serverInfo = .failure(.unreachable(detail: "connection refused"))
        }
    }

    @Test func whatWaitsTooLongIsAnErrorAndIsNeverSent() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn(expiring(after: .seconds(600)))
            takeAway(world)
            let handle = try await client.messages.createTextMessage("late", in: world.general)
            await world.pass(.seconds(590))
            #expect(try await client.messages.storedMessage(handle.id)?.syncState == .created)
            await #expect(throws: DeliveryError.self) { try await handle.delivered() }
            #expect(try await client.messages.storedMessage(handle.id)?.failure?.reason == .expired)
            world.transport.server.withLock {
                $0.always = .work
                $0.serverInfo = .success(ServerInfo(user: handle.message.sender, server: "back"))
            }
            await world.pass(.seconds(600))
            #expect(world.transport.server.withLock { $0.order } == [])
            try await client.messages.resend(handle.id)
            _ = try await handle.delivered()
        }
    }

    @Test func theAgeGoesOnOverARestartAndBeginsAnewWithAResend() throws {
        try ClientWorld.run { world in
            let first = try await world.loggedIn(expiring(after: .seconds(600)))
            takeAway(world)
            let handle = try await first.messages.createTextMessage("late", in: world.general)
            await world.pass(.seconds(400))
            await first.close()
            let second = try await world.open(on: world.store.crashedCopy(), expiring(after: .seconds(600)))
            await world.pass(.seconds(190))
            #expect(try await second.messages.storedMessage(handle.id)?.syncState == .created)
            await world.pass(.seconds(20))
            #expect(try await second.messages.storedMessage(handle.id)?.failure?.reason == .expired)
            try await second.messages.resend(handle.id)
            await world.pass(.seconds(590))
            #expect(try await second.messages.storedMessage(handle.id)?.syncState == .created)
            await world.pass(.seconds(20))
            #expect(try await second.messages.storedMessage(handle.id)?.failure?.reason == .expired)
        }
    }

    /// Waiting for another message does not age a message, not even across a restart.
    @Test func whatWasParkedIsYoungWhenItsMessageIsThere() throws {
        try ClientWorld.run { world in
            let first = try await world.loggedIn(expiring(after: .seconds(600)))
            world.transport.server.withLock { $0.behaviours = [refusal] }
            let parent = try await first.messages.createTextMessage("one", in: world.general)
            await #expect(throws: DeliveryError.self) { try await parent.delivered() }
            try await first.messages.addReaction("wave", to: parent.id)
            await world.pass(.seconds(3000))
            // The message is delivered; the reaction gets its slot, and the server becomes unreachable before it can
            // follow.
            world.transport.server.withLock { $0.behaviours = [.work] }
            world.transport.server.withLock { $0.always = .fail(.unreachable(detail: "connection refused")) }
            try await first.messages.resend(parent.id)
            _ = try await parent.delivered()
            await world.pass(.seconds(10))
            await first.close()
            world.transport.server.withLock { $0.always = .work }
            let second = try await world.open(on: world.store.crashedCopy(), expiring(after: .seconds(600)))
            try await world.until("nothing waits") { try await second.status().counts.undelivered == 0 }
            #expect(world.transport.server.withLock { $0.order.count } == 2)
        }
    }

    /// It has no slot in its lane, so nothing else reports that it no longer pauses the lane.
    @Test func aResentReplyThatWaitsForItsMessagePausesNothing() throws {
        try ClientWorld.run { world in
            var configuration = pausing()
            configuration.outbox.expiry = .seconds(60)
            let client = try await world.loggedIn(configuration)
            takeAway(world)
            let parent = try await client.messages.createTextMessage("one", in: world.general)
            let reply = try await client.messages.createTextMessage("re", in: world.general, parent: parent.id)
            await #expect(throws: DeliveryError.self) { try await parent.delivered() }
            await #expect(throws: DeliveryError.self) { try await reply.delivered() }
            let next = try await client.messages.createTextMessage("next", in: world.general)
            try await client.messages.resend(reply.id)
            try await client.messages.softDeleteMessage(parent.id)
            world.transport.server.withLock {
                $0.always = .work
                $0.serverInfo = .success(ServerInfo(user: parent.message.sender, server: "back"))
            }
            _ = try await next.delivered()
            #expect(world.transport.server.withLock { $0.order } == [next.id])
        }
    }

    /// The reply reaches the server before its message, which was resent behind it: it waits for the message, and must
    /// not pause the lane in which the message comes. Nothing but the store knows that, even if it cannot be read.
    @Test(arguments: [0, 1])
    func aReplyThatIsParkedPausesNothing(failedReads: Int) throws {
        try ClientWorld.run { world in
            let store = FailingStore()
            let client = try await world.open(on: store, pausing())
            try await world.login(client)
            world.transport.server.withLock { $0.behaviours = [.delay(.seconds(5)), .delay(.seconds(5))] }
            let parent = try await client.messages.createTextMessage("one", in: world.general)
            world.transport.server.withLock { $0.refused = [parent.id] }
            let reply = try await client.messages.createTextMessage("re", in: world.general, parent: parent.id)
            await #expect(throws: DeliveryError.self) { try await parent.delivered() }
            let sent = world.transport.server.withLock { server in
                server.refused = []
                return server.deliveries.count
            }
            try await client.messages.resend(parent.id)
            try await world.until("the first is under way") {
                world.transport.server.withLock { $0.deliveries.count > sent }
            }
            if failedReads > 0 { store.failReads(times: failedReads) }
            await world.pass(.seconds(10))  // the response arrives, and its verdict is the first read
            _ = try await reply.delivered()
            #expect(store.failures == failedReads)
            #expect(world.transport.server.withLock { $0.order } == [parent.id, reply.id])
        }
    }

    /// A failed operation must not pause its lane.
    @Test func aFailedEditPausesNothing() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn(pausing())
            let handle = try await client.messages.createTextMessage("said", in: world.general)
            _ = try await handle.delivered()
            world.transport.server.withLock { $0.behaviours = [refusal] }
            try await client.messages.editTextMessage(handle.id, to: "refused")
            try await client.messages.addReaction("wave", to: handle.id)
            try await world.until("nothing waits") {
                let counts = try await client.status().counts
                return counts.created + counts.syncing == 0 && counts.error == 1
            }
        }
    }
}
