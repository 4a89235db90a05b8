import Causeway
import CausewayModels
import CausewayRuntime
import CausewaySimulatedRuntime
import CausewayStorage
import CausewayTransport
import Synchronization
import Testing

/// Interruptions by users and disks: faults that simulations of whole clients found.
@Suite struct InterruptionTests {
    private static let full = StoreError.full(detail: "test")

    @Test func aDoubleClickResendsOnce() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            try await client.pause()
            let handle = try await client.messages.createTextMessage("hi", in: world.general)
            try await client.logout()
            try await world.login(client)
            #expect(try await client.messages.resend([handle.id, handle.id]) == [handle.id])
        }
    }

    @Test func aPauseOutlivesLogoutAndLogin() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            try await client.pause()
            try await client.logout()
            try await world.login(client)
            #expect(try await client.status().isPaused)
            _ = try await client.messages.createTextMessage("hi", in: world.general)
            await world.pass(.seconds(60))
            #expect(world.transport.server.withLock { $0.deliveries.isEmpty })
            try await client.resume()
            try await world.until("it is delivered") { try await client.status().counts.undelivered == 0 }
        }
    }

    @Test func aLogoutThatTheDiskRefusesLeavesASessionThatStillSends() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            world.store.failNextCommits(1, with: Self.full)
            await #expect(throws: ClientError.store(Self.full)) { try await client.logout() }
            #expect(world.transport.server.withLock { $0.closings } == 0)
            let handle = try await client.messages.createTextMessage("hi", in: world.general)
            _ = try await handle.delivered()
        }
    }

    @Test func whoWaitsForWhatIsParkedIsToldWhenItIsDeleted() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            try await client.pause()
            let parent = try await client.messages.createTextMessage("hi", in: world.general)
            try await client.messages.addReaction("wave", to: parent.id)
            let reaction = try #require(try await client.messages.dependants(of: parent.id).first)
            let handle = try await client.messages.handle(ofOperation: reaction.id)
            world.runtime.spawn {
                await world.pass(.seconds(1))
                try? await client.messages.softDeleteMessage(parent.id)
            }
            await #expect(throws: DeliveryError.deleted) { try await handle.delivered() }
        }
    }

    @Test func aReactionThatWaitsIsNotSentUnderAnotherName() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            try await client.pause()
            let parent = try await client.messages.createTextMessage("hi", in: world.general)
            try await client.messages.addReaction("wave", to: parent.id)
            let reaction = try #require(try await client.messages.dependants(of: parent.id).first)
            try await client.logout()
            #expect(try await client.messages.storedOperation(reaction.id)?.syncState == .created)
            let other = try #require(UserID("bob"))
            world.transport.server.withLock {
                $0.serverInfo = .success(ServerInfo(user: other, server: "scripted"))
            }
            try await world.login(client)
            try await client.resume()
            await world.pass(.seconds(60))
            #expect(try await client.messages.storedOperation(reaction.id) == nil)
            #expect(world.transport.server.withLock { $0.deliveries.isEmpty })
        }
    }

    @Test func aVerdictThatCannotBeWrittenDownSaysSo() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            world.transport.server.withLock { $0.behaviours = [.delay(.seconds(1))] }
            let handle = try await client.messages.createTextMessage("hi", in: world.general)
            try await world.until("it is on its way") {
                try await client.messages.storedMessage(handle.id)?.syncState == .syncing
            }
            world.store.failNextCommits(30, with: Self.full)
            await world.pass(.seconds(5))
            let item = try #require(try await client.messages.outbox().items.first)
            #expect(item.operation.syncState == .syncing)
            guard case .storeUnavailable = item.wait else {
                Issue.record("it waits for the disk, and says \(String(describing: item.wait))")
                return
            }
        }
    }
}
