import Causeway
import CausewayModels
import CausewaySimulatedRuntime
import CausewayStorage
import CausewayTransport
import Synchronization
import Testing

/// A whole client that follows a server's events: what another device does appears, and disappears, by itself.
@MainActor struct EventTests {
    /// Runs a test with a client that follows a server with `count` messages, and a list that is open.
    ///
    /// - Parameter reportsChanges: true for a server that reports the changes since a page was read.
    static func run(
        _ count: Int = 3, reportsChanges: Bool = false,
        _ body:
            @escaping @Sendable (ClientWorld, CausewayClient, Followed<Message>, [RemoteMessage]) async throws -> Void
    ) throws {
        try ClientWorld.run { world in
            let messages = try RemoteMessages.server(count, world)
            world.transport.server.withLock { server in
                server.log = ScriptedLog()
                server.revisions = reportsChanges ? [:] : nil
            }
            let client = try await world.loggedIn()
            let list = Followed(
                onMain { client.messages.getMessages(in: world.general).changes }, world.runtime)
            try await world.until("the list is fresh") {
                let status = try await client.status()
                return list.last?.dataStatus == .fresh && list.last?.snapshot.count == count
                    && status.events == .upToDate
            }
            await world.pass(.seconds(1))
            try await body(world, client, list, messages)
            await client.close()
        }
    }

    /// The client requests nothing on its own, and shows what it was told; a later one reads what was missed.
    @Test func aClientThatDoesNotFollowRequestsNothingUnasked() throws {
        try ClientWorld.run { world in
            _ = try RemoteMessages.server(3, world)
            world.transport.server.withLock { $0.log = ScriptedLog() }
            var configuration = ClientConfiguration()
            configuration.followsEvents = false
            let sender = try await world.loggedIn(configuration)
            let list = Followed(onMain { sender.messages.getMessages(in: world.general).changes }, world.runtime)
            try await world.until("the list is fresh") { list.last?.dataStatus == .fresh }
            _ = try await sender.messages.createTextMessage("4", in: world.general).delivered()
            let asked = Self.pages(world)
            let message = try RemoteMessages.placed(9, world)
            world.transport.server.withLock { $0.post(message) }
            await world.pass(.seconds(600))
            #expect(try await sender.status().events == EventsStatus.none)
            #expect(Self.pages(world) == asked)
            #expect(world.transport.server.withLock { $0.log?.requests } == 0)
            #expect(Self.numbers(list).contains(9) == false)
            await sender.close()

            let client = try await world.open(on: world.store.crashedCopy())
            let later = Followed(onMain { client.messages.getMessages(in: world.general).changes }, world.runtime)
            try await world.until("what was missed is there") {
                try await client.status().events == .upToDate && Self.numbers(later).contains(9)
            }
            await client.close()
        }
    }

    private nonisolated static func pages(_ world: ClientWorld) -> Int {
        world.transport.server.withLock { $0.pageQueries.count + $0.changeQueries.count }
    }

    nonisolated static func numbers(_ list: Followed<Message>) -> [Int64] {
        list.last?.snapshot.compactMap { $0.serverPosition?.position } ?? []
    }

    // MARK: - While connected

    @Test func anotherDevicesMessageAppearsWithoutARequest() throws {
        try Self.run { world, client, list, _ in
            let asked = Self.pages(world)
            let message = try RemoteMessages.placed(4, world)
            world.transport.server.withLock { $0.post(message) }
            await world.pass(.milliseconds(100))
            #expect(Self.numbers(list) == [1, 2, 3, 4])
            #expect(list.last?.dataStatus == .fresh && list.last?.loadingStatus == .loaded)
            await world.pass(.seconds(600))
            #expect(Self.pages(world) == asked)
            #expect(list.last?.dataStatus == .fresh)
            #expect(try await world.store.eventCursor == world.transport.server.withLock { $0.log?.cursor })
        }
    }

    @Test func whatAnotherDeviceDeletesDisappears() throws {
        try Self.run { world, client, list, messages in
            let object = onMain { client.liveObject(OneMessageQuery(messages[1].id)) }
            await world.pass(.seconds(1))
            let asked = Self.pages(world)
            world.transport.server.withLock { $0.retract(messages[1].id) }
            await world.pass(.milliseconds(100))
            #expect(Self.numbers(list) == [1, 3])
            let status = onMain { object.dataStatus }
            #expect(status == .notExist)
            #expect(Self.pages(world) == asked)
        }
    }

    @Test func anEditAndAReactionAppear() throws {
        try Self.run { world, client, list, messages in
            var changed = messages[2]
            changed.body.content = .text("edited")
            changed.body.reactions = ["wave": 2]
            changed.body.changedAt = world.runtime.wallClock
            world.transport.server.withLock { [changed] in $0.post(changed) }
            await world.pass(.milliseconds(100))
            #expect(list.last?.snapshot.last?.content == .text("edited"))
            #expect(list.last?.snapshot.last?.reactions == ["wave": 2])
        }
    }

    /// A position was given to a message that no longer exists: only events can tell that nothing is missing.
    @Test func aGapInThePositionsNeedsNoRequest() throws {
        try Self.run { world, client, list, _ in
            let asked = Self.pages(world)
            let message = try RemoteMessages.placed(9, world)
            world.transport.server.withLock { $0.post(message) }
            await world.pass(.milliseconds(100))
            #expect(Self.numbers(list) == [1, 2, 3, 9])
            #expect(list.last?.dataStatus == .fresh)
            #expect(Self.pages(world) == asked)
        }
    }

    // MARK: - After an outage

    @Test func whatHappenedOfflineIsCaughtUpWithoutAPage() throws {
        try Self.run { world, client, list, messages in
            let asked = Self.pages(world)
            Self.cut(world)
            await world.pass(.seconds(60))
            #expect(list.last?.dataStatus == .local)
            let message = try RemoteMessages.placed(4, world)
            world.transport.server.withLock { server in
                server.retract(messages[0].id)
                server.post(message)
            }
            try await Self.mend(world)
            try await world.until("the list is fresh") { list.last?.dataStatus == .fresh }
            #expect(Self.numbers(list) == [2, 3, 4])
            #expect(Self.pages(world) == asked)
        }
    }

    @Test func aShortInterruptionIsNotShown() throws {
        try Self.run { world, client, list, _ in
            list.forgetCounts()
            world.transport.server.withLock { $0.log?.errors = [.inDoubt(detail: "cut")] }
            await world.pass(.seconds(10))
            #expect(list.counts == [])
            let events = try await client.status().events
            #expect(events == .upToDate)
        }
    }

    @Test func offlineNothingIsAttempted() throws {
        try Self.run { world, client, list, _ in
            Self.cut(world)
            await world.pass(.seconds(30))
            let requests = world.transport.server.withLock { $0.log?.requests }
            await world.pass(.seconds(600))
            #expect(world.transport.server.withLock { $0.log?.requests } == requests)
            let events = try await client.status().events
            #expect(events == .waiting)
        }
    }

    @Test func aLimitedChannelIsReadAnew() throws {
        try Self.run { world, client, list, messages in
            let channel = EventTopic.channel(world.general)
            let more = try (4...6).map { try RemoteMessages.placed($0, world) }
            world.transport.server.withLock { server in
                server.retract(messages[0].id)
                for message in more { server.post(message) }
                server.log?.limited = [channel]
            }
            try await world.until("the list is complete") { Self.numbers(list) == [2, 3, 4, 5, 6] }
            try await world.until("the list is fresh") { list.last?.dataStatus == .fresh }
        }
    }

    @Test func aCursorThatIsTooOldLeadsToReadingAnew() throws {
        try Self.run { world, client, list, messages in
            Self.cut(world)
            await world.pass(.seconds(5))
            let message = try RemoteMessages.placed(4, world)
            world.transport.server.withLock { server in
                server.retract(messages[2].id)
                server.post(message)
                server.log?.start = 2
                server.log?.id = 7
            }
            try await Self.mend(world)
            try await world.until("the list is complete") { Self.numbers(list) == [1, 2, 4] }
            try await world.until("the list is fresh") { list.last?.dataStatus == .fresh }
            #expect(try await world.store.eventCursor == world.transport.server.withLock { $0.log?.cursor })
        }
    }

    /// Many parts: the list is not fresh before the last one, and nothing is asked meanwhile.
    @Test func aLongBacklogComesInParts() throws {
        try Self.run { world, client, list, _ in
            let asked = Self.pages(world)
            Self.cut(world)
            await world.pass(.seconds(40))
            let more = try (4...60).map { try RemoteMessages.placed($0, world) }
            world.transport.server.withLock { server in
                server.log?.partMax = 5
                // In another order than that of their positions, as after edits.
                for message in more.reversed() { server.post(message) }
            }
            try await Self.mend(world)
            try await world.until("the list is fresh") { list.last?.dataStatus == .fresh }
            #expect(Self.numbers(list) == Array(1...60))
            #expect(Self.pages(world) == asked)
        }
    }

    // MARK: - Own messages

    @Test func anEventProvesADelivery() throws {
        try Self.run(0) { world, client, list, _ in
            // The server has the message, and its response never comes.
            world.transport.server.withLock { $0.behaviours = [.hang(.seconds(500))] }
            let handle = try await client.messages.createTextMessage("hi", in: world.general)
            let position = Position()
            world.runtime.spawn { position.set(try? await handle.delivered().position) }
            await world.pass(.seconds(1))
            let user = try #require(UserID("ann"))
            let sent = RemoteMessage(
                id: handle.id, channel: world.general, sender: user, content: .text("hi"),
                createdAt: world.runtime.wallClock,
                serverPosition: ServerPosition(position: 1, acceptedAt: world.runtime.wallClock))
            world.transport.server.withLock { $0.post(sent) }
            await world.pass(.seconds(1))
            #expect(position.value == 1)
            #expect(list.last?.snapshot.first?.syncState == .synced)
        }
    }

    /// Another device deletes a message whose response this device never saw.
    @Test func aDeletionEndsAnUndecidedDelivery() throws {
        try Self.run(0) { world, client, list, _ in
            world.transport.server.withLock { $0.behaviours = [.respondLate(.seconds(300))] }
            let handle = try await client.messages.createTextMessage("hi", in: world.general)
            await world.pass(.seconds(1))
            let channel = world.general
            world.transport.server.withLock { $0.log?.append(.messageDeleted(handle.id), in: .channel(channel)) }
            await world.pass(.seconds(600))
            #expect(list.last?.snapshot.isEmpty == true)
            #expect(try await world.store.message(handle.id) == nil)
        }
    }

    @Test func aPendingEditRemainsOnTop() throws {
        try Self.run(0) { world, client, list, _ in
            let handle = try await client.messages.createTextMessage("first", in: world.general)
            _ = try await handle.delivered()
            let user = try #require(UserID("ann"))
            world.transport.server.withLock { $0.always = .hang(.seconds(20)) }
            try await client.messages.editTextMessage(handle.id, to: "mine")
            let position = try #require(try await world.store.message(handle.id)?.serverPosition)
            var other = RemoteMessage(
                id: handle.id, channel: world.general, sender: user, content: .text("another device's"),
                createdAt: world.runtime.wallClock, serverPosition: position)
            other.body.changedAt = world.runtime.wallClock
            world.transport.server.withLock { [other] in $0.post(other) }
            await world.pass(.seconds(2))
            let shown = try #require(try await world.store.message(handle.id))
            #expect(shown.content == .text("mine"))
            #expect(shown.confirmed?.content == .text("another device's"))
        }
    }

    /// The result of a wait in another task.
    private final class Position: Sendable {
        private let found = Mutex<Int64?>(nil)

        var value: Int64? { found.withLock { $0 } }
        func set(_ position: Int64?) { found.withLock { $0 = position } }
    }

    // MARK: - The store

    @Test func aBatchIsOneCommit() throws {
        try Self.run { world, client, list, messages in
            let position = Position()
            let subscription = world.store.subscribe { _ in position.set((position.value ?? 0) + 1) }
            let more = try (4...9).map { try RemoteMessages.placed($0, world) }
            world.transport.server.withLock { server in
                for message in more { server.post(message) }
                server.retract(messages[0].id)
            }
            await world.pass(.milliseconds(200))
            #expect(Self.numbers(list) == Array(2...9))
            #expect(position.value == 1)
            subscription.cancel()
        }
    }

    @Test func aBatchThatCannotBeStoredIsReadAgain() throws {
        try Self.run { world, client, list, _ in
            world.store.failNextCommits(1, with: .full(detail: "no room"))
            let message = try RemoteMessages.placed(4, world)
            let before = try await world.store.eventCursor
            world.transport.server.withLock { $0.post(message) }
            await world.pass(.milliseconds(500))
            #expect(try await world.store.eventCursor == before)
            #expect(try await world.store.message(message.id) == nil)
            try await world.until("the message is there") { Self.numbers(list) == [1, 2, 3, 4] }
            #expect(try await world.store.eventCursor != before)
        }
    }

    @Test func theNextRunContinuesFromTheCursor() throws {
        try Self.run { world, client, list, messages in
            await client.close()
            let message = try RemoteMessages.placed(4, world)
            world.transport.server.withLock { server in
                server.retract(messages[0].id)
                server.post(message)
            }
            let taken = world.transport.server.withLock { $0.log?.cursorsTaken }
            let next = try await world.open(on: world.store.crashedCopy())
            await world.pass(.seconds(2))
            #expect(try await world.texts(next) == ["2", "3", "4"])
            #expect(world.transport.server.withLock { $0.log?.cursorsTaken } == taken)
            await next.close()
        }
    }

    @Test func aBatchOfAnEndedSessionIsDropped() throws {
        try Self.run { world, client, list, _ in
            _ = try await client.logout()
            let message = try RemoteMessages.placed(4, world)
            let cursor = try await world.store.eventCursor
            world.transport.server.withLock { $0.post(message) }
            await world.pass(.seconds(60))
            #expect(try await world.store.eventCursor == cursor)
            #expect(try await world.store.message(message.id) == nil)
            let events = try await client.status().events
            #expect(events == .none)
            // The account is back: its cursor is still good.
            try await world.login(client)
            await world.pass(.seconds(2))
            #expect(try await world.store.message(message.id) != nil)
            #expect(world.transport.server.withLock { $0.log?.cursorsTaken } == 1)
        }
    }

    // MARK: - Servers without events

    @Test func aServerThatRefusesEventsIsAskedForPages() throws {
        try ClientWorld.run { world in
            _ = try RemoteMessages.server(3, world)
            world.transport.server.withLock { server in
                server.log = ScriptedLog()
                server.log?.error = .refused(code: "notFound", detail: "no such request")
            }
            let client = try await world.loggedIn()
            let list = Followed(
                onMain { client.messages.getMessages(in: world.general).changes }, world.runtime)
            await world.pass(.seconds(5))
            #expect(list.last?.dataStatus == .fresh)
            await world.pass(.seconds(1200))
            #expect(list.last?.dataStatus == .fresh)
            #expect(world.transport.server.withLock { $0.log?.cursorsTaken ?? 0 } <= 4)
            await client.close()
        }
    }

    /// A hub that was repaired meanwhile: the next probe shows that it is there, and events begin.
    @Test func aServerThatRefusedEventsIsAskedAgainAfterAProbe() throws {
        try ClientWorld.run { world in
            world.transport.server.withLock { server in
                server.log = ScriptedLog()
                server.log?.error = .refused(code: "notFound", detail: "no such request")
                server.pageError = .transient(code: "503", detail: "the hub starts")
            }
            let client = try await world.loggedIn()
            let list = Followed(
                onMain { client.messages.getMessages(in: world.general).changes }, world.runtime)
            await world.pass(.seconds(5))
            world.transport.server.withLock { server in
                server.log?.error = nil
                server.pageError = nil
            }
            // Much less than the pause after a refusal.
            await world.pass(.seconds(60))
            #expect(list.last?.dataStatus == .fresh)
            let events = try await client.status().events
            #expect(events == .upToDate)
            await client.close()
        }
    }

    // MARK: - Outages

    private nonisolated static func cut(_ world: ClientWorld) {
        let error = TransportError.unreachable(detail: "no network")
        world.transport.server.withLock { server in
            server.serverInfo = .failure(error)
            server.pageError = error
            server.log?.error = error
        }
    }

    private nonisolated static func mend(_ world: ClientWorld) async throws {
        let user = try #require(UserID("ann"))
        world.transport.server.withLock { server in
            server.serverInfo = .success(ServerInfo(user: user, server: "scripted"))
            server.pageError = nil
            server.log?.error = nil
        }
    }
}
