import Causeway
import CausewayModels
import CausewayRuntime
import CausewaySimulatedRuntime
import CausewayTransport
import Synchronization
import Testing

/// Lists of the messages of a type, and of the replies to a message.
struct FilterTests {
    /// A custom message every tenth one, a reply to the first message every third, a tag on every second and on every
    /// fifth.
    private static func message(_ number: Int, _ world: ClientWorld) throws -> RemoteMessage {
        let id = { MessageID(UUIDv7(high: 7, low: UInt64($0 as Int))) }
        return RemoteMessage(
            id: id(number), channel: world.general, sender: try #require(UserID("bob")),
            parent: number % 3 == 0 ? id(1) : nil,
            body: MessageBody(
                content: number % 10 == 0 ? .custom(["n": .integer(Int64(number))]) : .text("\(number)"),
                tags: (number % 2 == 0 ? ["even"] : []) + (number % 5 == 0 ? ["five"] : [])),
            createdAt: Timestamp(milliseconds: 4),
            serverPosition: ServerPosition(position: Int64(number), acceptedAt: Timestamp(milliseconds: 5)))
    }

    private static func fill(_ world: ClientWorld, _ count: Int) throws -> [RemoteMessage] {
        let messages = try (1...count).map { try message($0, world) }
        world.transport.server.withLock {
            $0.page = messages
            $0.newest = Int64(count)
        }
        return messages
    }

    private static let filters = [
        MessageFilter(type: .custom), MessageFilter(parent: .parent(MessageID(UUIDv7(high: 7, low: 1)))),
        MessageFilter(parent: .noParent), MessageFilter(type: .text, parent: .noParent),
        MessageFilter(type: .video), MessageFilter(includingTags: ["five"]), MessageFilter(excludingTags: ["even"]),
        MessageFilter(type: .text, includingTags: ["even", "five"], excludingTags: ["odd"]),
        MessageFilter(includingTags: ["five"], excludingTags: ["even"]), MessageFilter(includingTags: ["none"]),
    ]

    /// Every fresh state is the newest part of the list, without a gap, although the store has messages of elsewhere.
    /// The server finds the messages itself, in steps or at once, or lists all of them.
    @Test(arguments: [(Int.max, true), (7, true), (0, false)])
    func aFilteredListHasNoGaps(examinedMax: Int, appliesFilters: Bool) throws {
        for filter in Self.filters {
            try ClientWorld.run { world in
                let client = try await world.loggedIn()
                let all = try Self.fill(world, 90)
                // Stored messages far from the newest.
                try await client.messages.refreshMessages(in: world.general, limit: 15, before: 31)
                world.transport.server.withLock {
                    $0.examinedMax = examinedMax
                    $0.appliesFilters = appliesFilters
                }
                let expected = all.filter {
                    filter.admits(type: $0.content.type, parent: $0.parent, tags: $0.body.tags)
                }.map(\.id)
                let options = MessageQueryOptions(
                    channel: world.general, sort: .firstCreated, start: .last, pageSize: 4, type: filter.type,
                    messageParentFilter: filter.parent, includingTags: filter.includingTags,
                    excludingTags: filter.excludingTags)
                let changes = client.messages.messageChanges(options: options)
                let reader = changes.makeAsyncIterator()
                var hasPrevious = true
                while hasPrevious, let change = await reader.next() {
                    guard change.dataStatus == .fresh else { continue }
                    let ids = change.snapshot.map(\.id)
                    #expect(ids == expected.suffix(ids.count), "\(filter)")
                    guard change.loadingStatus != .loading else { continue }
                    hasPrevious = change.hasPrevious
                    if hasPrevious {
                        _ = try await changes.previousPage()
                    } else {
                        #expect(ids == expected, "\(filter)")
                    }
                }
                await client.close()
            }
        }
    }

    /// A page of a type shows nothing about messages of another type.
    @Test func onlyMessagesThatSatisfyTheFilterAreGone() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let all = try Self.fill(world, 30)
            try await client.messages.refreshMessages(in: world.general, limit: 30)
            let options = MessageQueryOptions(channel: world.general, sort: .firstCreated, type: .custom)
            let changes = client.messages.messageChanges(options: options)
            let reader = changes.makeAsyncIterator()
            var last = await reader.next()
            while let change = last, change.dataStatus != .fresh { last = await reader.next() }
            #expect(last?.snapshot.count == 3)
            world.transport.server.withLock { $0.page.removeAll { [10, 11].contains($0.serverPosition.position) } }
            try await changes.refresh()
            while let change = last, change.snapshot.count > 2 { last = await reader.next() }
            #expect(last?.snapshot.map(\.id) == [all[19].id, all[29].id] && last?.deletions == [0])
            #expect(try await client.messages.storedMessages(in: world.general, limit: 50).messages.count == 29)
            await client.close()
        }
    }

    /// A server that ignored tags, or sent them to a version of this client that did, has other tags than the store:
    /// messages that it does not list because of them were not deleted.
    @Test(arguments: [MessageFilter(includingTags: ["five"]), MessageFilter(excludingTags: ["five"])])
    func aPageChosenByTagsDeletesNothingThatExists(filter: MessageFilter) throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            var all = try Self.fill(world, 30)
            // In the store, the fifth message has the tag, and the tenth has none.
            all[4].body.tags = ["five"]
            all[9].body.tags = []
            world.transport.server.withLock { [all] in $0.page = all }
            try await client.messages.refreshMessages(in: world.general, limit: 30)
            all[4].body.tags = []
            all[9].body.tags = ["five"]
            let deleted = filter.includingTags.isEmpty ? all[2] : all[24]
            world.transport.server.withLock { [all] in $0.page = all.filter { $0.id != deleted.id } }
            let options = MessageQueryOptions(
                channel: world.general, sort: .firstCreated, pageSize: 30, includingTags: filter.includingTags,
                excludingTags: filter.excludingTags)
            for await change in client.messages.messageChanges(options: options) where change.dataStatus == .fresh {
                let expected = all.filter {
                    $0.id != deleted.id && filter.admits(type: .text, parent: nil, tags: $0.body.tags)
                }
                #expect(change.snapshot.map(\.id) == expected.map(\.id))
                break
            }
            let stored = try await client.messages.storedMessages(in: world.general, limit: 50).messages
            #expect(stored.count == 29 && !stored.contains { $0.id == deleted.id })
            #expect(try await client.messages.storedMessage(all[4].id)?.tags == [])
            #expect(try await client.messages.storedMessage(all[9].id)?.tags == ["five"])
            await client.close()
        }
    }

    @Test func invalidTagsAreRefusedAtOnce() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            await #expect(throws: ClientError.content(.tagInvalid)) {
                try await client.messages.createTextMessage("1", in: world.general, tags: ["a\n"])
            }
            let many = (0...Limits.tagsMax).map { "\($0)" }
            await #expect(throws: ClientError.content(.tooManyTags(count: many.count))) {
                try await client.messages.createCustomMessage(["n": 1], in: world.general, tags: many)
            }
            #expect(try await client.messages.storedMessages(in: world.general, limit: 5).messages.isEmpty)
            await client.close()
        }
    }

    /// Two lists with different filters are different queries: none is fresh because the other is.
    @Test func eachFilterIsAskedFor() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            _ = try Self.fill(world, 30)
            for filter in Self.filters.prefix(3) {
                let options = MessageQueryOptions(
                    channel: world.general, type: filter.type, messageParentFilter: filter.parent)
                for await change in client.messages.messageChanges(options: options)
                where change.dataStatus == .fresh { break }
            }
            let asked = world.transport.server.withLock { $0.pageQueries.map(\.filter) }
            #expect(asked == Array(Self.filters.prefix(3)))
            await client.close()
        }
    }

    /// Messages of this device, and changes of their state.
    @Test func ownMessagesAreInTheListsThatTheyBelongTo() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let first = try await client.messages.createTextMessage("1", in: world.general)
            try await first.delivered()
            let thread = client.messages.messageChanges(
                options: MessageQueryOptions(channel: world.general, messageParentFilter: .parent(first.id)))
            let reader = thread.makeAsyncIterator()
            _ = try await client.messages.createTextMessage("2", in: world.general)
            let reply = try await client.messages.createTextMessage("3", in: world.general, parent: first.id)
            var last = await reader.next()
            while let change = last, change.snapshot.first?.syncState != .synced {
                #expect(change.snapshot.allSatisfy { $0.id == reply.id })
                last = await reader.next()
            }
            #expect(last?.snapshot.map(\.id) == [reply.id])
            await client.close()
        }
    }
}
