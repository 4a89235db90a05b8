import Causeway
import CausewayModels
import CausewaySimulatedRuntime
import CausewayStorage
import CausewayTransport
import Synchronization
import Testing

/// The policies, as the whole client keeps them.
@Suite struct PolicyTests {
    /// Puts a message into a lane past the repository.
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
            let wait = try await client.messages.outbox().items.first { $0.message.id == media }?.wait
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
            try await client.messages.getMessage(ids[0])?.syncState == .error
        }
        await world.pass(.seconds(600))
        #expect(world.transport.server.withLock { $0.order } == [])
        return (client, ids)
    }

    @Test func aFailedHeadStopsItsLaneAndAResendLetsItGo() throws {
        try ClientWorld.run { world in
            let (client, ids) = try await pausedLane(world)
            #expect(try await client.messages.getMessage(ids[0])?.failure?.pausesLane == true)
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
            let client = try await world.open(on: world.store.crashed(), pausing())
            await world.pass(.seconds(600))
            #expect(world.transport.server.withLock { $0.order } == [])
            #expect(try await client.status().lanes.first?.headWait == .lanePaused(by: ids[0]))
            _ = try await client.messages.deleteAllFailedMessages()
            try await world.until("the others are synced") { try await client.status().counts.undelivered == 0 }
            #expect(world.transport.server.withLock { $0.order } == [ids[1], ids[2]])
        }
    }

    @Test func theEndOfTheSessionEndsThePause() throws {
        try ClientWorld.run { world in
            let (client, ids) = try await pausedLane(world)
            try await client.logout()
            try await world.login(client)
            #expect(try await client.messages.getMessage(ids[0])?.failure?.reason == .refused)
            let next = try await client.messages.createTextMessage("next", in: world.general)
            _ = try await next.delivered()
            #expect(world.transport.server.withLock { $0.order } == [next.id])
        }
    }
}
