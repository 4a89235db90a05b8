import Causeway
import CausewayModels
import CausewayRuntime
import CausewaySimulatedRuntime
import CausewayStorage
import CausewayTransport
import Synchronization
import Testing

/// Lists that keep deleted messages in their places.
@Suite struct DeletedMessageTests {
    private typealias Reader = LiveChanges<Message>.AsyncIterator

    private static let time = Timestamp(milliseconds: 77)

    private static func message(_ number: UInt64, _ world: ClientWorld) throws -> RemoteMessage {
        RemoteMessage(
            id: MessageID(UUIDv7(high: 7, low: number)), channel: world.general, sender: try #require(UserID("bob")),
            content: .text("\(number)"), createdAt: Timestamp(milliseconds: 4),
            serverPosition: ServerPosition(position: Int64(number), acceptedAt: Timestamp(milliseconds: 5)))
    }

    private static func options(_ world: ClientWorld, includeDeleted: Bool = true) -> MessageQueryOptions {
        MessageQueryOptions(channel: world.general, sort: .firstCreated, includeDeleted: includeDeleted)
    }

    /// Reads changes until one is as wanted.
    private static func wait(
        _ reader: Reader, _ holds: (LiveCollectionChange<Message>) -> Bool
    ) async -> LiveCollectionChange<Message>? {
        while let change = await reader.next() {
            if holds(change) { return change }
        }
        return nil
    }

    /// The texts of a list; of deleted messages a minus.
    private static func shown(_ change: LiveCollectionChange<Message>?) -> [String]? {
        change?.snapshot.map { message in
            if message.isDeleted { return "-" }
            return if case .text(let text) = message.content { text } else { "?" }
        }
    }

    private static func filled(_ world: ClientWorld, withEvents: Bool) throws {
        let messages = try (1...3).map { try message($0, world) }
        world.transport.server.withLock { server in
            if withEvents { server.log = ScriptedLog() }
            server.newest = 0
            for message in messages { server.post(message) }
        }
    }

    @Test func aMessageThatIsDeletedHereKeepsItsPlace() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let handles = [
                try await client.messages.createTextMessage("1", in: world.general),
                try await client.messages.createTextMessage("2", in: world.general),
            ]
            for handle in handles { _ = try await handle.delivered() }
            let stored = try #require(try await client.messages.storedMessage(handles[0].id))
            let (kept, left) = (
                client.messages.messageChanges(options: Self.options(world)).makeAsyncIterator(),
                client.messages.messageChanges(options: Self.options(world, includeDeleted: false))
                    .makeAsyncIterator()
            )
            _ = await Self.wait(kept) { $0.snapshot.count == 2 }
            _ = await Self.wait(left) { $0.snapshot.count == 2 }
            try await client.messages.softDeleteMessage(handles[0].id)
            let change = await Self.wait(kept) { $0.snapshot.contains(where: \.isDeleted) }
            #expect(Self.shown(change) == ["-", "2"] && change?.modifications == [0])
            #expect(change?.deletions == [] && change?.insertions == [])
            let message = try #require(change?.snapshot.first)
            #expect(message.id == stored.id && message.sender == stored.sender && message.deletedAt == nil)
            #expect(message.serverPosition == stored.serverPosition && message.createdAt == stored.createdAt)
            #expect(message.content == .text("") && message.syncState == .synced)
            let other = await Self.wait(left) { $0.snapshot.count == 1 }
            #expect(Self.shown(other) == ["2"] && other?.deletions == [0])
            #expect(try await client.messages.storedMessage(stored.id) == nil)
            await client.close()
            // The next process shows it at once, without the server.
            world.transport.server.withLock { $0.pageError = .unreachable(detail: "for a test") }
            let next = try await world.open(on: world.store.crashedCopy())
            let first = await next.messages.messageChanges(options: Self.options(world)).makeAsyncIterator().next()
            #expect(Self.shown(first) == ["-", "2"])
            await next.close()
        }
    }

    /// A failed message and a queued one leave.
    @Test func aMessageThatWasNotDeliveredLeaves() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let failed = try await client.messages.createTextMessage("failed", in: world.general)
            world.transport.server.withLock { $0.refused = [failed.id] }
            await #expect(throws: DeliveryError.self) { try await failed.delivered() }
            try await client.pause()
            let queued = try await client.messages.createTextMessage("queued", in: world.general)
            let reader = client.messages.messageChanges(options: Self.options(world)).makeAsyncIterator()
            _ = await Self.wait(reader) { $0.snapshot.count == 2 }
            try await client.messages.softDeleteMessage(failed.id)
            try await client.messages.softDeleteMessage(queued.id)
            let change = await Self.wait(reader) { $0.snapshot.isEmpty }
            #expect(change != nil)
            await client.close()
        }
    }

    /// By events, from a server that sends tombstones, and from one that does not.
    @Test(arguments: [true, false]) func aMessageThatAnotherDeviceDeletesKeepsItsPlace(isReported: Bool) throws {
        try ClientWorld.run { world in
            try Self.filled(world, withEvents: true)
            let client = try await world.loggedIn()
            let reader = client.messages.messageChanges(options: Self.options(world)).makeAsyncIterator()
            _ = await Self.wait(reader) { $0.dataStatus == .fresh && $0.snapshot.count == 3 }
            try await world.until("events are followed") { try await client.status().events == .upToDate }
            let second = try Self.message(2, world).id
            world.transport.server.withLock { $0.retract(second, at: isReported ? Self.time : nil) }
            let change = await Self.wait(reader) { $0.snapshot.contains(where: \.isDeleted) }
            #expect(Self.shown(change) == ["1", "-", "3"] && change?.modifications == [1])
            #expect(change?.snapshot.map(\.deletedAt) == [nil, isReported ? Self.time : nil, nil])
            await client.close()
        }
    }

    /// Tombstones of messages that were never stored here come with pages that ask for them.
    @Test func pagesBringTombstones() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            try Self.filled(world, withEvents: false)
            let second = try Self.message(2, world).id
            world.transport.server.withLock { $0.retract(second, at: Self.time) }
            let plain = client.messages.messageChanges(options: Self.options(world, includeDeleted: false))
                .makeAsyncIterator()
            let first = await Self.wait(plain) { $0.dataStatus == .fresh }
            #expect(Self.shown(first) == ["1", "3"])
            let reader = client.messages.messageChanges(options: Self.options(world)).makeAsyncIterator()
            let change = await Self.wait(reader) { $0.dataStatus == .fresh }
            #expect(Self.shown(change) == ["1", "-", "3"])
            #expect(change?.snapshot.map(\.deletedAt) == [nil, Self.time, nil])
            #expect(world.transport.server.withLock { $0.pageQueries.map(\.includesDeleted) } == [false, true])
            await client.close()
        }
    }

    /// Without events, a refresh finds what was deleted meanwhile: a list with deleted messages reads its pages again,
    /// since changes do not describe them.
    @Test func aRefreshFindsWhatWasDeletedMeanwhile() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            try Self.filled(world, withEvents: false)
            world.transport.server.withLock { $0.revisions = [:] }
            let changes = client.messages.messageChanges(options: Self.options(world))
            let reader = changes.makeAsyncIterator()
            _ = await Self.wait(reader) { $0.dataStatus == .fresh }
            let third = try Self.message(3, world).id
            world.transport.server.withLock { $0.retract(third, at: Self.time) }
            try await changes.refresh()
            let change = await Self.wait(reader) { $0.snapshot.contains(where: \.isDeleted) }
            #expect(Self.shown(change) == ["1", "2", "-"] && change?.modifications == [2])
            #expect(change?.snapshot.map(\.deletedAt) == [nil, nil, Self.time])
            #expect(world.transport.server.withLock { $0.changeQueries.isEmpty })
            await client.close()
        }
    }

    /// Deleted messages have no tags, and the type and the parent that they had.
    @Test func aFilterAppliesToDeletedMessages() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let parent = try await client.messages.createTextMessage("1", in: world.general)
            _ = try await parent.delivered()
            let reply = try await client.messages.createCustomMessage(
                ["a": 1], in: world.general, parent: parent.id, tags: ["t"])
            _ = try await reply.delivered()
            try await client.messages.softDeleteMessage(reply.id)
            let filters: [(MessageFilter, Bool)] = [
                (MessageFilter(), true), (MessageFilter(type: .custom), true), (MessageFilter(type: .text), false),
                (MessageFilter(parent: .parent(parent.id)), true), (MessageFilter(parent: .noParent), false),
                (MessageFilter(includingTags: ["t"]), false), (MessageFilter(excludingTags: ["t"]), true),
            ]
            for (filter, isShown) in filters {
                let query = MessagesQuery(.channel(world.general), filter: filter, includesDeleted: true)
                let change = await client.liveChanges(of: query).makeAsyncIterator().next()
                #expect(change?.snapshot.contains { $0.id == reply.id && $0.isDeleted } == isShown, "\(filter)")
            }
            await client.close()
        }
    }

    /// Lists without positions have no deleted messages.
    @Test func theOutboxHasNoDeletedMessages() throws {
        let query = MessagesQuery(.undelivered, includesDeleted: true)
        #expect(!query.includesDeleted && query == MessagesQuery(.undelivered))
    }
}
