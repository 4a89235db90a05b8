import Causeway
import CausewayModels
import CausewayRuntime
import CausewaySimulatedRuntime
import CausewayTransport
import Synchronization
import Testing

/// Messages that another device, or another user, has deleted on a server without events.
struct GoneTests {
    private static func message(_ number: UInt64, _ world: ClientWorld) throws -> RemoteMessage {
        RemoteMessage(
            id: MessageID(UUIDv7(high: 7, low: number)), channel: world.general, sender: try #require(UserID("bob")),
            content: .text("\(number)"), createdAt: Timestamp(milliseconds: 4),
            serverPosition: ServerPosition(position: Int64(number), acceptedAt: Timestamp(milliseconds: 5)))
    }

    /// Whether the pages of the server say what they cover, or the server has to be asked for the message.
    @Test(arguments: [true, false]) func aMessageThatIsGoneDoesNotExist(pagesHaveRanges: Bool) throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let message = try Self.message(1, world)
            world.transport.server.withLock {
                $0.page = [message]
                $0.newest = pagesHaveRanges ? 1 : nil
            }
            try await client.messages.refreshMessages(in: world.general)
            let changes = client.messages.messageChanges(of: message.id)
            let reader = changes.makeAsyncIterator()
            var last = await reader.next()
            while let change = last, change.dataStatus != .fresh { last = await reader.next() }
            #expect(last?.snapshot.map(\.id) == [message.id])
            world.transport.server.withLock { $0.page = [] }
            try await changes.refresh()
            while let change = last, !change.snapshot.isEmpty { last = await reader.next() }
            #expect(last?.dataStatus == .notExist)
            #expect(try await client.messages.storedMessage(message.id) == nil)
            await client.close()
        }
    }

    /// One's own message, deleted with another device.
    @Test func anOwnMessageThatIsGoneDoesNotExist() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let handle = try await client.messages.createTextMessage("hi", in: world.general)
            try await handle.delivered()
            let changes = client.messages.messageChanges(of: handle.id)
            let message = Followed(changes, world.runtime)
            // The pages of this server list nothing and report no range: the object asks about the message.
            try await world.until("the object is fresh") { message.last?.dataStatus == .fresh }
            #expect(message.last?.snapshot.map(\.id) == [handle.id])
            world.transport.server.withLock { $0.lost = [handle.id] }
            try await changes.refresh()
            try await world.until("the message is gone") { message.last?.snapshot.isEmpty == true }
            #expect(message.last?.dataStatus == .notExist)
            #expect(try await client.messages.storedMessage(handle.id) == nil)
            await client.close()
        }
    }

    /// A message that is not `synced` is left to the outbox, whatever the server says about it.
    @Test func aMessageThatIsQueuedStays() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            world.transport.server.withLock { $0.always = .fail(.unreachable(detail: "no network")) }
            let handle = try await client.messages.createTextMessage("hi", in: world.general)
            let changes = client.messages.messageChanges(of: handle.id)
            let message = Followed(changes, world.runtime)
            await world.pass(.seconds(1))
            try await changes.refresh()
            await world.pass(.seconds(1))
            #expect(message.last?.snapshot.map(\.id) == [handle.id])
            #expect(world.transport.server.withLock { $0.messageQueries }.isEmpty)
            await client.close()
        }
    }

    @Test func aListLosesWhatIsGone() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let messages = [try Self.message(1, world), try Self.message(2, world), try Self.message(3, world)]
            world.transport.server.withLock {
                $0.page = messages
                $0.newest = 3
            }
            let changes = client.messages.messageChanges(in: world.general)
            let reader = changes.makeAsyncIterator()
            var last = await reader.next()
            while let change = last, change.dataStatus != .fresh { last = await reader.next() }
            #expect(last?.snapshot.map(\.text) == ["1", "2", "3"])
            world.transport.server.withLock { $0.page = [messages[0], messages[2]] }
            try await changes.refresh()
            while let change = last, change.snapshot.count > 2 { last = await reader.next() }
            #expect(last?.snapshot.map(\.text) == ["1", "3"] && last?.deletions == [1])
            await client.close()
        }
    }
}
