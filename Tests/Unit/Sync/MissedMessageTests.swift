import Causeway
import CausewayModels
import CausewayRuntime
import CausewaySimulatedRuntime
import CausewayStorage
import CausewayTransport
import Synchronization
import Testing

/// Live messages and lists whose request failed once, because of the server or the store: it is repeated by itself.
@MainActor struct MissedMessageTests {
    private nonisolated static func opened(_ world: ClientWorld) async throws -> (FailingStore, CausewayClient) {
        let store = FailingStore()
        let client = try await world.open(on: store)
        try await world.login(client)
        return (store, client)
    }

    /// The message is read for its display, and once more for its position.
    @Test func aMessageThatCannotBeReadIsRequestedLater() throws {
        try ClientWorld.run { world in
            let messages = try RemoteMessages.server(3, world)
            let (store, client) = try await Self.opened(world)
            try await store.commit([.merge(messages[0], at: world.runtime.wallClock)])
            await world.pass(.seconds(1))
            store.failReads(times: 2)
            let message = Followed(onMain { client.messages.getMessage(messages[0].id).changes }, world.runtime)
            await world.pass(.milliseconds(500))
            #expect(message.last?.loadingStatus == .error)
            await world.pass(.seconds(60))
            #expect(store.failures == 2)
            #expect(message.last?.loadingStatus == .loaded && message.last?.dataStatus == .fresh)
            #expect(message.last?.snapshot.map(\.id) == [messages[0].id])
            await client.close()
        }
    }

    /// The server's pages report no range, so that it is asked for the message.
    @Test func aMessageThatCannotBeLookedUpIsLookedUpLater() throws {
        try ClientWorld.run { world in
            let messages = try RemoteMessages.server(3, world)
            let client = try await world.loggedIn()
            try await world.store.commit(messages.map { .merge($0, at: world.runtime.wallClock) })
            world.transport.server.withLock { server in
                server.page = [messages[2]]
                server.newest = nil
                server.lookupError = .unreachable(detail: "for a test")
            }
            let message = Followed(onMain { client.messages.getMessage(messages[0].id).changes }, world.runtime)
            await world.pass(.seconds(1))
            #expect(message.last?.loadingStatus == .error && message.last?.dataStatus == .local)
            world.transport.server.withLock { $0.lookupError = nil }
            await world.pass(.seconds(60))
            #expect(message.last?.loadingStatus == .loaded && message.last?.dataStatus == .notExist)
            await client.close()
        }
    }

    /// The part of the channel in which a message is missing is read from the store first.
    @Test func aPageChosenByTagsThatCannotBeComparedIsRequestedAgain() throws {
        try ClientWorld.run { world in
            let messages = try RemoteMessages.server(3, world).map { message in
                var tagged = message
                tagged.body.tags = ["five"]
                return tagged
            }
            let (store, client) = try await Self.opened(world)
            try await store.commit(messages.map { .merge($0, at: world.runtime.wallClock) })
            world.transport.server.withLock { server in
                server.page = [messages[0], messages[2]]
                server.pageDelays = [.seconds(5)]
            }
            let options = MessageQueryOptions(channel: world.general, sort: .firstCreated, includingTags: ["five"])
            let list = Followed(client.messages.messageChanges(options: options), world.runtime)
            await world.pass(.seconds(2))
            store.failPages(after: 0)
            await world.pass(.seconds(6))
            #expect(list.last?.loadingStatus == .error)
            store.recover()
            await world.pass(.seconds(60))
            #expect(list.last?.loadingStatus == .loaded && list.last?.dataStatus == .fresh)
            #expect(list.last?.snapshot.compactMap(\.serverPosition?.position) == [1, 3])
            await client.close()
        }
    }
}
