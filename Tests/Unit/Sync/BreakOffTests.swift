import Causeway
import CausewayModels
import CausewaySimulatedRuntime
import CausewayStorage
import CausewayTransport
import Synchronization
import Testing

/// Calls that the client itself cancels, through the whole client.
@Suite struct BreakOffTests {
    private func resuming() -> ClientConfiguration {
        var configuration = ClientConfiguration()
        configuration.restart = .resume
        return configuration
    }

    private func deliveries(_ world: ClientWorld) -> Int { world.transport.server.withLock { $0.deliveries.count } }

    @Test func anyNumberOfOrderlyClosesCostsNoAttempt() throws {
        try ClientWorld.run { world in
            world.transport.server.withLock { $0.always = .hang(.seconds(1000)) }
            var client = try await world.loggedIn(resuming())
            var store = world.store
            let message = try await client.messages.createTextMessage("1", in: world.general).id
            for run in 1...6 {
                try await world.until("it is under way") { deliveries(world) == run }
                await client.close()
                store = try store.crashedCopy()
                client = try await world.open(on: store, resuming())
            }
            try await world.until("it is under way") { deliveries(world) == 7 }
            #expect(try await client.messages.storedMessage(message)?.attempts == 1)
            await client.close()
            world.transport.server.withLock { $0.always = .work }
            let last = try await world.open(on: store.crashedCopy(), resuming())
            try await world.until("it is delivered") { try await last.status().counts.undelivered == 0 }
            #expect(world.transport.server.withLock { $0.order } == [message])
        }
    }

    @Test func renewingTheTokenChargesNothing() throws {
        try ClientWorld.run { world in
            world.transport.server.withLock { $0.always = .hang(.seconds(1000)) }
            let client = try await world.loggedIn()
            let handle = try await client.messages.createTextMessage("1", in: world.general)
            for run in 1...6 {
                try await world.until("it is under way") { deliveries(world) == run }
                try await world.login(client)
                #expect(try await client.messages.storedMessage(handle.id)?.failure == nil)
            }
            try await world.until("it is under way") { deliveries(world) == 7 }
            #expect(try await client.messages.storedMessage(handle.id)?.attempts == 1)
            world.transport.server.withLock { $0.always = .work }
            try await world.login(client)
            _ = try await handle.delivered()
            #expect(world.transport.server.withLock { $0.order } == [handle.id])
        }
    }
}
