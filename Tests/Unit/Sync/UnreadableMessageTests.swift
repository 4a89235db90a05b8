import Causeway
import CausewayModels
import CausewayRuntime
import CausewayStorage
import CausewayTransport
import Synchronization
import Testing

struct UnreadableMessageTests {
    /// Messages created before and after it are delivered; it fails with its reason, and can be deleted.
    @Test func oneThatCannotBeReadStopsNoOther() throws {
        try ClientWorld.run(on: [.memory]) { world in
            let client = try await world.loggedIn()
            try await client.pause()
            var ids: [MessageID] = []
            for number in 1...60 {
                ids.append(try await client.messages.createTextMessage("\(number)", in: world.general).id)
            }
            let bad = ids.remove(at: 30)
            try #require(world.store as? MemoryStore).damage(bad)
            try await client.resume()
            try await world.until("all others are delivered") {
                world.transport.server.withLock { $0.order } == ids
            }
            try await world.until("it is failed") { try await client.status().counts.error == 1 }
            let failed = try await client.messages.failedMessages().messages
            #expect(failed.map(\.id) == [bad])
            #expect(failed.first?.failure?.reason == .unsendable)
            #expect(failed.first?.failure?.detail.isEmpty == false)
            try await client.messages.softDeleteMessage(bad)
            #expect(try await client.status().counts.undelivered == 0)
        }
    }
}
