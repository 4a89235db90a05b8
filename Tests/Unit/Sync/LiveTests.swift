import Causeway
import CausewayModels
import CausewayRuntime
import CausewaySimulatedRuntime
import CausewayStorage
import CausewayTransport
import Synchronization
import Testing

/// Live collections of a whole client. On the main thread, so that a test may create objects of the main actor.
@MainActor struct LiveTests {
    @Test func theStoryOfAMessageIsOfOneIdentity() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let changes = onMain { client.messages.getMessages(in: world.general).changes }
            let told = Mutex<[LiveCollectionChange<Message>]>([])
            let task = world.runtime.spawn {
                for await change in changes { told.withLock { $0.append(change) } }
            }
            await world.pass(.milliseconds(1))
            let handle = try await client.messages.createTextMessage("hi", in: world.general)
            _ = try await handle.delivered()
            await world.pass(.milliseconds(1))
            let data = told.withLock { $0 }.filter { !$0.isDataUnchanged }
            #expect(data.first?.insertions == [0])
            #expect(data.dropFirst().allSatisfy { $0.modifications == [0] && $0.insertions.isEmpty })
            #expect(data.last?.snapshot.map(\.id) == [handle.id])
            #expect(data.last?.snapshot.first?.syncState == .synced)
            #expect(told.withLock { $0.last?.dataStatus } == .fresh)
            task.cancel()
            await task.finished()
            await client.close()
        }
    }

    @Test func theServersPageIsMergedAndShown() throws {
        try ClientWorld.run { world in
            let sender = try #require(UserID("grace"))
            world.transport.server.withLock { server in
                server.page = (1...3).map { number in
                    RemoteMessage(
                        id: MessageID(world.runtime.makeUUIDv7()), channel: world.general, sender: sender,
                        content: .text("\(number)"), createdAt: world.runtime.wallClock,
                        serverPosition: ServerPosition(position: Int64(number), acceptedAt: world.runtime.wallClock))
                }
            }
            let client = try await world.loggedIn()
            let changes = onMain { client.messages.getMessages(in: world.general).changes }.makeAsyncIterator()
            var last = await changes.next()
            while let change = last, change.loadingStatus != .loaded { last = await changes.next() }
            #expect(last?.dataStatus == .fresh)
            #expect(last?.snapshot.map(\.content) == [.text("1"), .text("2"), .text("3")])
            await client.close()
        }
    }

    @Test func withoutASessionWhatIsStoredIsShown() throws {
        try ClientWorld.run { world in
            let client = try await world.open()
            let changes = onMain { client.messages.getMessages(in: world.general).changes }.makeAsyncIterator()
            var last = await changes.next()
            while let change = last, change.loadingStatus != .error { last = await changes.next() }
            #expect(last?.error == .noSession)
            await client.close()
        }
    }

    @Test func aStreamThrows() throws {
        try ClientWorld.run { world in
            let client = try await world.open()
            let changes = client.messages.messageChanges(in: world.general)
            await #expect(throws: ClientError.noSession) { for try await _ in changes.throwing {} }
            await client.close()
        }
    }

    // MARK: - Repeated requests

    @Test func whatWasOpenedBeforeTheLoginIsAskedForAfterIt() throws {
        try ClientWorld.run { world in
            let placed = try RemoteMessages.placed(1, world)
            world.transport.server.withLock { $0.page = [placed] }
            let client = try await world.open()
            let messages = Followed(onMain { client.messages.getMessages(in: world.general).changes }, world.runtime)
            await world.pass(.seconds(1))
            #expect(messages.last?.loadingStatus == .error && messages.last?.dataStatus == .error)
            try await world.login(client)
            await world.pass(.seconds(1))
            #expect(
                messages.last?.dataStatus == .fresh && messages.last?.loadingStatus == .loaded
                    && messages.last?.error == nil)
            #expect(messages.last?.snapshot.count == 1)
            // Without a session the data are no longer confirmed.
            _ = try await client.logout()
            await world.pass(.seconds(1))
            #expect(messages.last?.dataStatus == .local && messages.last?.error == .noSession)
            try await world.login(client)
            await world.pass(.seconds(1))
            #expect(messages.last?.dataStatus == .fresh && messages.last?.error == nil)
            await client.close()
        }
    }

    @Test func whatWasOpenedOfflineIsAskedForWhenTheServerIsBack() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            await world.pass(.seconds(1))
            world.transport.server.withLock { server in
                server.pageError = .unreachable(detail: "no network")
                server.serverInfo = .failure(.unreachable(detail: "no network"))
            }
            // Nothing is sent: only the page that cannot be read shows that the server is unreachable.
            let messages = Followed(onMain { client.messages.getMessages(in: world.general).changes }, world.runtime)
            await world.pass(.seconds(60))
            #expect(messages.last?.loadingStatus == .error)
            #expect(world.transport.server.withLock { $0.pageQueries.count } == 1)
            let placed = try RemoteMessages.placed(1, world)
            let user = try #require(UserID("ann"))
            world.transport.server.withLock { server in
                server.pageError = nil
                server.serverInfo = .success(ServerInfo(user: user, server: "scripted"))
                server.page = [placed]
            }
            try await world.until("the list is fresh") { messages.last?.dataStatus == .fresh }
            #expect(messages.last?.snapshot.count == 1 && messages.last?.error == nil)
            await client.close()
        }
    }

    /// A server that responds to probes but returns no pages is not asked constantly.
    @Test func aServerThatGivesNoPagesIsAskedOnceInAWhile() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            world.transport.server.withLock { $0.pageError = .transient(code: "busy", detail: "later") }
            let messages = Followed(onMain { client.messages.getMessages(in: world.general).changes }, world.runtime)
            await world.pass(.seconds(100))
            let count = world.transport.server.withLock { $0.pageQueries.count }
            #expect((5...15).contains(count), "it was asked \(count) times")
            world.transport.server.withLock { $0.pageError = nil }
            try await world.until("the list is fresh") { messages.last?.dataStatus == .fresh }
            await client.close()
        }
    }

    @Test func aMessageIsAskedForAtItsPlace() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            var placed = try RemoteMessages.placed(7, world)
            try await world.store.commit([.merge(placed, at: world.runtime.wallClock)])
            placed.body.content = .text("edited elsewhere")
            let edited = placed
            world.transport.server.withLock { $0.page = [edited] }
            let message = Followed(onMain { client.messages.getMessage(edited.id).changes }, world.runtime)
            await world.pass(.seconds(1))
            #expect(
                world.transport.server.withLock { $0.pageQueries } == [
                    RemoteQuery(channel: world.general, range: .after(position: 6), limit: 1)
                ])
            #expect(message.last?.snapshot.first?.content == edited.content)
            #expect(message.last?.dataStatus == .fresh && message.last?.loadingStatus == .loaded)
            await client.close()
        }
    }

    // MARK: - Messages that are not stored

    @Test func aMessageThatIsNotStoredIsAskedForByItsID() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let placed = try RemoteMessages.placed(7, world)
            world.transport.server.withLock { $0.page = [placed] }
            let message = Followed(onMain { client.messages.getMessage(placed.id).changes }, world.runtime)
            await world.pass(.seconds(1))
            #expect(message.last?.snapshot.map(\.content) == [placed.content])
            #expect(message.last?.dataStatus == .fresh && message.last?.loadingStatus == .loaded)
            #expect(world.transport.server.withLock { $0.messageQueries } == [placed.id])
            #expect(world.transport.server.withLock { $0.pageQueries }.isEmpty)
            #expect(try await world.texts(client) == ["7"])
            let unknown = MessageID(world.runtime.makeUUIDv7())
            let none = Followed(onMain { client.messages.getMessage(unknown).changes }, world.runtime)
            await world.pass(.seconds(1))
            #expect(none.last?.dataStatus == .notExist && none.last?.loadingStatus == .loaded)
            await client.close()
        }
    }

    @Test func aMessageThatCannotBeAskedForIsAskedForAgain() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            await world.pass(.seconds(1))
            let placed = try RemoteMessages.placed(7, world)
            let ann = world.transport.server.withLock { server in
                server.page = [placed]
                server.pageError = .unreachable(detail: "no network")
                defer { server.serverInfo = .failure(.unreachable(detail: "no network")) }
                return server.serverInfo
            }
            let message = Followed(onMain { client.messages.getMessage(placed.id).changes }, world.runtime)
            await world.pass(.seconds(60))
            #expect(message.last?.loadingStatus == .error && message.last?.snapshot.isEmpty == true)
            world.transport.server.withLock { server in
                server.pageError = nil
                server.serverInfo = ann
            }
            try await world.until("the object is fresh") { message.last?.dataStatus == .fresh }
            #expect(message.last?.snapshot.count == 1 && message.last?.error == nil)
            await client.close()
        }
    }

    /// The message was deleted while the response to the request for it was under way.
    @Test func aLateMessageComesNotBack() throws {
        try ClientWorld.run { world in
            let messages = try RemoteMessages.server(3, world)
            let client = try await world.loggedIn()
            world.transport.server.withLock { $0.pageDelays = [.seconds(5)] }
            let late = Followed(onMain { client.messages.getMessage(messages[1].id).changes }, world.runtime)
            await world.pass(.seconds(1))
            let changes = onMain { client.messages.getMessages(in: world.general).changes }
            let list = Followed(changes, world.runtime)
            await world.pass(.seconds(1))
            #expect(list.last?.snapshot.count == 3)
            world.transport.server.withLock { server in server.page.removeAll { $0.number == 2 } }
            try await changes.refresh()
            await world.pass(.seconds(10))
            #expect(late.last?.dataStatus == .notExist && late.last?.snapshot.isEmpty == true)
            #expect(try await world.texts(client) == ["1", "3"])
            await client.close()
        }
    }

    /// A response that was requested for another user.
    @Test func aMessageOfAnotherSessionIsNotStored() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let placed = try RemoteMessages.placed(7, world)
            world.transport.server.withLock { server in
                server.page = [placed]
                server.pageDelays = [.seconds(5)]
            }
            let message = Followed(onMain { client.messages.getMessage(placed.id).changes }, world.runtime)
            await world.pass(.seconds(1))
            try await client.logout()
            let bob = ServerInfo(user: try #require(UserID("bob")), server: "scripted")
            world.transport.server.withLock { server in
                server.serverInfo = .success(bob)
                server.page = []
            }
            try await world.login(client)
            await world.pass(.seconds(10))
            #expect(message.last?.snapshot.isEmpty == true && message.last?.dataStatus == .notExist)
            #expect(try await world.texts(client) == [])
            await client.close()
        }
    }

    // MARK: - A channel that is refused

    @Test func oneRefusedChannelMakesNoOtherListAskAgain() throws {
        try ClientWorld.run { world in
            let lost = try #require(ChannelID("lost"))
            _ = try RemoteMessages.server(3, world)
            world.transport.server.withLock { server in
                server.channelErrors[lost] = .refused(code: "channelNotFound", detail: "There is no such channel.")
            }
            let client = try await world.loggedIn()
            let refused = Followed(onMain { client.messages.getMessages(in: lost).changes }, world.runtime)
            let lists = (1...20).map { size in
                Followed(
                    onMain { client.messages.getMessages(in: world.general, pageSize: size).changes }, world.runtime)
            }
            await world.pass(.seconds(1))
            let asked = world.transport.server.withLock { $0.pageQueries.count }
            await world.pass(.seconds(600))
            let queries = world.transport.server.withLock { $0.pageQueries[asked...] }
            #expect(queries.filter { $0.channel == world.general }.isEmpty)
            #expect((1...40).contains(queries.count))
            #expect(refused.last?.loadingStatus == .error)
            #expect(lists.allSatisfy { $0.last?.dataStatus == .fresh })
            // The channel may be created later.
            world.transport.server.withLock { $0.channelErrors = [:] }
            await world.pass(.seconds(16))
            #expect(refused.last?.dataStatus == .fresh)
            await client.close()
        }
    }

    /// The same for a channel that the server cannot read for now.
    @Test func oneFailingChannelMakesNoOtherListAskAgain() throws {
        try ClientWorld.run { world in
            let broken = try #require(ChannelID("broken"))
            _ = try RemoteMessages.server(3, world)
            world.transport.server.withLock { $0.channelErrors[broken] = .transient(code: "internal", detail: "") }
            let client = try await world.loggedIn()
            let failing = Followed(onMain { client.messages.getMessages(in: broken).changes }, world.runtime)
            let list = Followed(onMain { client.messages.getMessages(in: world.general).changes }, world.runtime)
            await world.pass(.seconds(100))
            let queries = world.transport.server.withLock { $0.pageQueries }
            #expect(queries.filter { $0.channel == world.general }.count == 1)
            #expect((5...15).contains(queries.filter { $0.channel == broken }.count))
            #expect(failing.last?.loadingStatus == .error && list.last?.dataStatus == .fresh)
            await client.close()
        }
    }

    @Test func closingTheClientEndsWhatIsLive() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let messages = Followed(onMain { client.messages.getMessages(in: world.general).changes }, world.runtime)
            await world.pass(.seconds(1))
            #expect(messages.last?.dataStatus == .fresh)
            await client.close()
            await messages.task.finished()
            await world.pass(.seconds(1))
            #expect(messages.last?.dataStatus == .error && messages.last?.loadingStatus == .error)
        }
    }
}
