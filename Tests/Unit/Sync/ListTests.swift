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

    /// Regardless of the stored messages, a jump costs two pages and shows its message.
    @Test(arguments: [LiveDirection.ascending, .descending], [1, 9, 1000, 2005, 2009])
    func aJumpShowsItsMessage(direction: LiveDirection, number: Int) throws {
        try ClientWorld.run { world in
            let messages = try RemoteMessages.server(2009, world)
            let client = try await world.loggedIn()
            // The newest page, some of the first messages, and the message itself.
            let stored = messages[..<12] + messages[1989...] + [messages[number - 1]]
            try await world.store.commit(stored.map { .merge($0, at: world.runtime.wallClock) })
            let message = try #require(try await world.store.message(messages[number - 1].id))
            await Self.jump(to: message.cursor, direction, client, world)
            await client.close()
        }
    }

    /// A link names a message by its position; it is not stored here, and will get another ordinal.
    @Test(arguments: [LiveDirection.ascending, .descending], [1, 9, 1000, 2005, 2009])
    func aJumpShowsAMessageThatIsNotStored(direction: LiveDirection, number: Int) throws {
        try ClientWorld.run { world in
            let messages = try RemoteMessages.server(2009, world)
            let client = try await world.loggedIn()
            let stored = (messages[..<12] + messages[1989...]).filter { $0.number != number }
            try await world.store.commit(stored.map { .merge($0, at: world.runtime.wallClock) })
            await Self.jump(to: MessageCursor(position: Int64(number), ordinal: 0), direction, client, world)
            await client.close()
        }
    }

    private nonisolated static func jump(
        to cursor: MessageCursor, _ direction: LiveDirection, _ client: CausewayClient, _ world: ClientWorld
    ) async {
        let list = Followed(
            onMain {
                client.messages.getMessages(in: world.general, direction: direction, anchor: .at(cursor)).changes
            }, world.runtime)
        await world.pass(.seconds(10))
        let positions = list.last?.snapshot.compactMap(\.serverPosition?.position) ?? []
        #expect(positions.contains(cursor.position), "\(positions)")
        #expect(positions.count >= 20)
        #expect(list.last?.dataStatus == .fresh && list.last?.loadingStatus == .loaded)
        let ascending = direction == .ascending ? positions : positions.reversed()
        #expect(zip(ascending, ascending.dropFirst()).allSatisfy { $0 + 1 == $1 }, "\(positions)")
        let queries = world.transport.server.withLock { $0.pageQueries }
        #expect(queries.count <= 2, "\(queries)")
        #expect(queries.allSatisfy { $0.limit == 20 }, "\(queries)")
    }

    /// The server reports more messages, and returns none.
    @Test func anEmptyPageIsNotTheEndOfTheChannel() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            world.transport.server.withLock { $0.fixedPage = RemotePage(items: [], hasMore: true) }
            let list = Followed(onMain { client.messages.getMessages(in: world.general).changes }, world.runtime)
            await world.pass(.seconds(1))
            #expect(list.last?.dataStatus != .fresh && list.last?.loadingStatus == .error)
            world.transport.server.withLock { $0.fixedPage = nil }
            _ = try RemoteMessages.server(3, world)
            try await world.until("the list is fresh") { list.last?.dataStatus == .fresh }
            #expect(list.last?.snapshot.count == 3)
            await client.close()
        }
    }

    /// The data of the second message are damaged on the server, and the third was deleted.
    @Test func aMessageThatTheServerCannotReadIsKept() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let messages = try (1...4).map { try RemoteMessages.placed($0, world) }
            try await world.store.commit(messages.map { .merge($0, at: world.runtime.wallClock) })
            world.transport.server.withLock {
                var page = RemotePage(items: [messages[0], messages[3]], hasMore: false, range: 1..<5)
                page.unreadable = [2]
                $0.fixedPage = page
            }
            try await client.messages.refreshMessages(in: world.general, limit: 20)
            for (message, isKept) in zip(messages, [true, true, false, true]) {
                #expect(try await (world.store.message(message.id) != nil) == isKept, "\(message)")
            }
            await client.close()
        }
    }

    // MARK: - Reconnecting

    /// A list of 3,000, at the newest or at the oldest end of its channel.
    private nonisolated static func longList(
        _ world: ClientWorld, _ client: CausewayClient, _ direction: LiveDirection, _ anchor: LiveAnchor<MessageCursor>
    ) async throws -> Followed<Message> {
        let list = onMain {
            client.messages.getMessages(in: world.general, direction: direction, anchor: anchor, pageSize: 1000)
        }
        let all = Followed(list.changes, world.runtime)
        await world.pass(.seconds(1))
        onMain {
            let isAtEnd = anchor == .last
            list.resetPage()
            for _ in 1...2 { if isAtEnd { list.previousPage() } else { list.nextPage() } }
        }
        await world.pass(.seconds(1))
        #expect(all.last?.snapshot.count == 3000 && all.last?.dataStatus == .fresh)
        all.forgetCounts()
        world.transport.server.withLock { server in
            server.messagesRead = 0
            server.pageQueries = []
            server.changeQueries = []
        }
        return all
    }

    private nonisolated static func reconnect(_ world: ClientWorld, _ client: CausewayClient) async throws {
        try await client.login(server: ClientWorld.address, token: #require(AccessToken("renewed")))
        await world.pass(.seconds(1))
    }

    @Test(arguments: [LiveDirection.ascending, .descending], [LiveAnchor<MessageCursor>.first, .last])
    func aReconnectAsksOnlyForWhatChanged(direction: LiveDirection, anchor: LiveAnchor<MessageCursor>) throws {
        try ClientWorld.run(on: [direction == .ascending ? .file : .memory]) { world in
            let messages = try RemoteMessages.server(3000, world)
            world.transport.server.withLock { $0.revisions = [:] }
            let client = try await world.loggedIn()
            let list = try await Self.longList(world, client, direction, anchor)
            // Nothing has changed.
            try await Self.reconnect(world, client)
            #expect(world.transport.server.withLock { $0.messagesRead } == 0)
            #expect(world.transport.server.withLock { $0.pageQueries.count + $0.changeQueries.count } == 1)
            #expect(list.last?.dataStatus == .fresh && list.last?.snapshot.count == 3000)
            // Little has changed.
            let (edited, gone) = (messages[5], messages[2000])
            let new = try (3001...3002).map { try RemoteMessages.placed($0, world) }
            world.transport.server.withLock { server in
                server.edit(edited.id, "edited", at: world.runtime.wallClock)
                server.remove(gone.id)
                server.page += new
                server.newest = 3003  // the last of them is gone already
            }
            try await Self.reconnect(world, client)
            #expect(world.transport.server.withLock { $0.messagesRead } == 3)
            #expect(world.transport.server.withLock { $0.pageQueries.count + $0.changeQueries.count } == 2)
            #expect(list.last?.dataStatus == .fresh && list.last?.loadingStatus == .loaded)
            let shown = list.last?.snapshot.compactMap(\.serverPosition?.position).sorted()
            #expect(shown == (1...3002).map(Int64.init).filter { $0 != 2001 })
            #expect(list.last?.snapshot.first { $0.id == edited.id }?.content == .text("edited"))
            #expect(list.counts.allSatisfy { $0 == 3000 || $0 == 3001 }, "\(list.counts)")
            // The next one continues from that cursor.
            try await Self.reconnect(world, client)
            #expect(world.transport.server.withLock { $0.changeQueries.last?.cursor } == "2")
            #expect(world.transport.server.withLock { $0.changeQueries.last?.through } == 3003)
            #expect(world.transport.server.withLock { $0.pageQueries.isEmpty })
            await client.close()
        }
    }

    /// Pages are requested instead.
    @Test func whereTooMuchChangedPagesAreAskedFor() throws {
        try ClientWorld.run { world in
            _ = try RemoteMessages.server(20, world)
            world.transport.server.withLock { $0.revisions = [:] }
            let client = try await world.loggedIn()
            let list = Followed(onMain { client.messages.getMessages(in: world.general).changes }, world.runtime)
            await world.pass(.seconds(1))
            let new = try (21...1500).map { try RemoteMessages.placed($0, world) }
            world.transport.server.withLock { server in
                server.page += new
                server.newest = 1500
            }
            list.forgetCounts()
            try await Self.reconnect(world, client)
            #expect(world.transport.server.withLock { $0.changeQueries.count } == 1)
            #expect(list.last?.dataStatus == .fresh && list.last?.loadingStatus == .loaded)
            let shown = list.last?.snapshot.compactMap(\.serverPosition?.position) ?? []
            #expect(shown.last == 1500 && zip(shown, shown.dropFirst()).allSatisfy { $0 + 1 == $1 }, "\(shown)")
            #expect(list.counts.allSatisfy { $0 >= 20 }, "\(list.counts)")
            await client.close()
        }
    }

    /// The server has deleted a message of this account; it is not known here yet whether it was delivered.
    @Test func whatIsInTheOutboxIsNotDeletedByChanges() throws {
        try ClientWorld.run { world in
            _ = try RemoteMessages.server(20, world)
            world.transport.server.withLock { $0.revisions = [:] }
            let client = try await world.loggedIn()
            let list = Followed(onMain { client.messages.getMessages(in: world.general).changes }, world.runtime)
            await world.pass(.seconds(1))
            world.transport.server.withLock { $0.always = .fail(.unreachable(detail: "for a test")) }
            let own = try await client.messages.createTextMessage("mine", in: world.general)
            await world.pass(.seconds(1))
            world.transport.server.withLock { server in
                server.remove(own.id)
                server.newest = 21
            }
            try await Self.reconnect(world, client)
            #expect(world.transport.server.withLock { $0.changeQueries.count } >= 1)
            let stored = try await client.messages.storedMessage(own.id)
            #expect(stored != nil && stored?.syncState != .synced)
            #expect(list.last?.snapshot.count == 21)
            await client.close()
        }
    }

    // MARK: - Reads of the main actor

    /// On the real main actor, from the first moment on.
    @Test func aMessageIsInTheCollectionsWhenCreateReturns() async throws {
        let (runtime, store) = (SystemRuntime(), MemoryStore())
        let general = try #require(ChannelID("general"))
        let transport = ScriptedTransport(user: try #require(UserID("ann")), runtime: runtime)
        var transports = TransportRegistry()
        transports.register("test") { _, _ in transport }
        let client = try await CausewayClient.open(
            store: store, transports: transports, credentials: MemoryCredentialStore(), runtime: runtime)
        try await client.login(server: ClientWorld.address, token: #require(AccessToken("secret")))
        try await client.pause()
        let list = client.messages.getMessages(in: general)
        let outbox = client.messages.getOutbox()
        for number in 1...200 {
            _ = try await client.messages.createTextMessage("\(number)", in: general)
            #expect(list.snapshots.last?.content == .text("\(number)"))
            #expect(outbox.snapshots.last?.content == .text("\(number)"))
        }
        await client.close()
    }
}
