import Causeway
import CausewayModels
import CausewayRuntime
import CausewaySimulatedRuntime
import CausewayStorage
import CausewayTransport
import Synchronization
import Testing

/// Live lists of a whole client: jumps, reconnects, and own messages.
@MainActor struct ListTests {
    // MARK: - Jumps

    /// Whatever is stored elsewhere, a jump costs two pages and shows its message.
    @Test(arguments: [LiveDirection.ascending, .descending], [1, 9, 1000, 2005, 2009])
    func aJumpShowsItsMessage(direction: LiveDirection, number: Int) throws {
        try ClientWorld.run { world in
            let messages = try RemoteMessages.server(2009, world)
            let client = try await world.loggedIn()
            // The newest page, a few of the first ones, and the message itself.
            let stored = messages[..<12] + messages[1989...] + [messages[number - 1]]
            try await world.store.commit(stored.map { .merge($0, at: world.runtime.wallClock) })
            let message = try #require(try await world.store.message(messages[number - 1].id))
            let list = Followed(
                onMain {
                    client.messages.liveMessages(
                        in: world.general, direction: direction, anchor: .at(message.cursor)
                    ).changes
                }, world.runtime)
            await world.pass(.seconds(10))
            let positions = list.last?.snapshot.compactMap(\.placement?.position) ?? []
            #expect(positions.contains(Int64(number)), "\(positions)")
            #expect(positions.count >= 20)
            #expect(list.last?.dataStatus == .fresh && list.last?.loadingStatus == .loaded)
            let ascending = direction == .ascending ? positions : positions.reversed()
            #expect(zip(ascending, ascending.dropFirst()).allSatisfy { $0 + 1 == $1 }, "\(positions)")
            let queries = world.transport.server.withLock { $0.pageQueries }
            #expect(queries.count <= 2, "\(queries)")
            #expect(queries.allSatisfy { $0.limit == 20 }, "\(queries)")
            await client.close()
        }
    }

    /// The server takes it for more, and returns nothing.
    @Test func anEmptyPageIsNotTheEndOfTheChannel() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            world.transport.server.withLock { $0.fixedPage = RemotePage(items: [], hasMore: true) }
            let list = Followed(onMain { client.messages.liveMessages(in: world.general).changes }, world.runtime)
            await world.pass(.seconds(1))
            #expect(list.last?.dataStatus != .fresh && list.last?.loadingStatus == .error)
            world.transport.server.withLock { $0.fixedPage = nil }
            _ = try RemoteMessages.server(3, world)
            try await world.until("the list is fresh") { list.last?.dataStatus == .fresh }
            #expect(list.last?.snapshot.count == 3)
            await client.close()
        }
    }

    // MARK: - What the main actor reads next

    /// On the real main actor, from the first moment on.
    @Test func aMessageIsInTheCollectionsWhenCreateReturns() async throws {
        let (runtime, store) = (SystemRuntime(), MemoryStore())
        let general = try #require(ChannelID("general"))
        let transport = ScriptedTransport(user: try #require(UserID("ann")), runtime: runtime, operationsMax: 512)
        var transports = TransportRegistry()
        transports.register("test") { _, _ in transport }
        let client = try await CausewayClient.open(
            store: store, transports: transports, credentials: MemoryCredentialStore(), runtime: runtime)
        try await client.login(server: ClientWorld.address, token: #require(AccessToken("secret")))
        try await client.pause()
        let list = client.messages.liveMessages(in: general)
        let outbox = client.messages.liveOutbox()
        for number in 1...200 {
            _ = try await client.messages.createTextMessage("\(number)", in: general)
            #expect(list.snapshots.last?.content == .text("\(number)"))
            #expect(outbox.snapshots.last?.content == .text("\(number)"))
        }
        await client.close()
    }
}
