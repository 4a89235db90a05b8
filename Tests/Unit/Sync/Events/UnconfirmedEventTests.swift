import Causeway
import CausewayModels
import CausewaySimulatedRuntime
import CausewayStorage
import CausewayTransport
import Synchronization
import Testing

/// Events do not wait for the disk, because the server has them: what a power loss takes back is read again.
struct UnconfirmedEventTests {
    /// Runs a test with a client that has read all events of a server.
    private static func run(
        _ body: @escaping @Sendable (ClientWorld, FailingStore, CausewayClient) async throws -> Void
    ) throws {
        try ClientWorld.run { world in
            _ = try RemoteMessages.server(3, world)
            world.transport.server.withLock { $0.log = ScriptedLog() }
            let store = FailingStore()
            let client = try await world.open(on: store)
            try await world.login(client)
            try await world.until("it follows") { try await client.status().events == .upToDate }
            try await body(world, store, client)
            await client.close()
        }
    }

    @Test func onlyAVerdictWaitsForTheDisk() throws {
        try Self.run { world, store, client in
            let message = try RemoteMessages.placed(4, world)
            world.transport.server.withLock { $0.post(message) }
            try await world.until("it is stored") { try await store.message(message.id) != nil }
            #expect(store.durabilityOfEvents == .normal)

            // The response is lost: the event is the proof.
            world.transport.server.withLock { $0.behaviours = [.delay(.seconds(600))] }
            let handle = try await client.messages.createTextMessage("1", in: world.general)
            try await world.until("it is under way") { world.transport.server.withLock { $0.deliveries.count == 1 } }
            let own = RemoteMessage(
                id: handle.id, channel: world.general, sender: try #require(UserID("ann")),
                content: .text("1"), createdAt: world.runtime.wallClock,
                serverPosition: ServerPosition(position: 5, acceptedAt: world.runtime.wallClock))
            world.transport.server.withLock { $0.post(own) }
            try await world.until("it is delivered") { try await store.message(own.id)?.syncState == .synced }
            #expect(store.durabilityOfEvents == .full)
        }
    }

    /// After a failed sync the store is as the disk has it.
    @Test func whatTheDiskLostIsReadAgain() throws {
        try Self.run { world, store, _ in
            let before = try await store.outbox().eventCursor
            let message = try RemoteMessages.placed(4, world)
            world.transport.server.withLock { $0.post(message) }
            try await world.until("it is stored") { try await store.message(message.id) != nil }
            try await store.goBack(by: [.delete(message.id), .setEventCursor(before)])
            #expect(try await store.message(message.id) == nil)
            try await world.until("it is back") { try await store.message(message.id) != nil }
            #expect(try await store.outbox().eventCursor == world.transport.server.withLock { $0.log?.cursor })
        }
    }
}
