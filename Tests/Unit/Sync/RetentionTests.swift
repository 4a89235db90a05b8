import Causeway
import CausewayModels
import CausewayRuntime
import CausewaySimulatedRuntime
import CausewayStorage
import CausewaySync
import Synchronization
import Testing

/// Messages that a store need not keep.
@MainActor struct RetentionTests {
    private nonisolated static func configuration(_ policy: RetentionPolicy) -> ClientConfiguration {
        var configuration = ClientConfiguration()
        configuration.retention = policy
        return configuration
    }

    private nonisolated static func positions(_ world: ClientWorld) async throws -> [Int64] {
        var query = MessageQuery(scope: .channel(world.general), limit: 200)
        var positions: [Int64] = []
        while true {
            let page = try await world.store.page(query)
            positions += page.messages.compactMap(\.serverPosition?.position)
            guard let next = page.next else { return positions }
            query.after = next
        }
    }

    /// Stores messages of another user; the older ones were accepted a day earlier for each hundred positions.
    private nonisolated static func store(_ range: ClosedRange<Int>, _ world: ClientWorld) async throws {
        let now = world.runtime.wallClock
        let messages = try range.map { number in
            var message = try RemoteMessages.placed(number, world)
            let age = Duration.seconds(86_400 * ((400 - number) / 100))
            message.serverPosition = ServerPosition(
                position: Int64(number), acceptedAt: now.advanced(by: .zero - age))
            return message
        }
        try await world.store.commit(messages.map { .merge($0, at: now) })
    }

    @Test func aNumberOfMessagesIsKept() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn(Self.configuration(.count(150)))
            try await Self.store(1...400, world)
            try await client.applyRetention()
            #expect(try await Self.positions(world) == Array(251...400))
            // Nothing is due.
            try await client.applyRetention()
            #expect(try await Self.positions(world).count == 150)
            await client.close()
        }
    }

    @Test func theMessagesOfATimeAreKeptAndAlwaysTheNewest() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn(Self.configuration(.age(.seconds(129_600))))
            try await Self.store(1...400, world)
            try await client.applyRetention()
            // Those of a day and less; of the last hundred none would be dropped at any age.
            #expect(try await Self.positions(world) == Array(201...400))
            await world.pass(.seconds(10 * 86_400))
            #expect(try await Self.positions(world) == Array(301...400))
            await client.close()
        }
    }

    @Test func itIsAppliedAMinuteAfterTheStartAndEveryHour() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn(Self.configuration(.count(100)))
            try await Self.store(1...130, world)
            await world.pass(.seconds(59))
            #expect(try await Self.positions(world).count == 130)
            await world.pass(.seconds(2))
            #expect(try await Self.positions(world).count == 100)
            try await Self.store(131...140, world)
            await world.pass(.seconds(3500))
            #expect(try await Self.positions(world).count == 110)
            await world.pass(.seconds(200))
            #expect(try await Self.positions(world).count == 100)
            await client.close()
        }
    }

    @Test func withoutARetentionEverythingIsKept() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            try await Self.store(1...130, world)
            try await client.applyRetention()
            await world.pass(.seconds(7200))
            #expect(try await Self.positions(world).count == 130)
            await client.close()
        }
    }

    /// A whole client: the list requests from the server what was dropped, and a message finds itself again.
    @Test func whatWasDroppedComesFromTheServer() throws {
        try ClientWorld.run { world in
            let messages = try RemoteMessages.server(130, world)
            let client = try await world.loggedIn(Self.configuration(.count(100)))
            let changes = onMain { client.messages.getMessages(in: world.general, pageSize: 130).changes }
            let list = Followed(changes, world.runtime)
            let oldest = try #require(messages.first?.id)
            try await world.until("the list is complete") { list.last?.snapshot.count == 130 }
            let object = Followed(onMain { client.messages.getMessage(oldest).changes }, world.runtime)
            await world.pass(.seconds(1))
            #expect(object.last?.snapshot.first?.id == oldest)
            let queries = world.transport.server.withLock { $0.pageQueries.count }
            try await client.applyRetention()
            try await world.until("the list is complete again") {
                list.last?.snapshot.count == 130 && list.last?.dataStatus == .fresh && list.counts.contains(100)
            }
            await world.pass(.seconds(1))
            #expect(list.last?.snapshot.map(\.id) == messages.map(\.id))
            #expect(object.last?.snapshot.first?.id == oldest && object.last?.dataStatus == .fresh)
            #expect(world.transport.server.withLock { $0.pageQueries.count } > queries)
            await client.close()
        }
    }

    @Test func aLiveMessageIsRequestedWhereItWas() throws {
        try ClientWorld.run { world in
            let messages = try RemoteMessages.server(130, world)
            let client = try await world.loggedIn(Self.configuration(.count(100)))
            try await world.store.commit(messages.map { .merge($0, at: world.runtime.wallClock) })
            let dropped = try #require(messages.dropFirst(7).first)
            let object = Followed(onMain { client.messages.getMessage(dropped.id).changes }, world.runtime)
            await world.pass(.seconds(1))
            try await client.applyRetention()
            await world.pass(.seconds(1))
            #expect(object.last?.snapshot.first?.id == dropped.id && object.last?.dataStatus == .fresh)
            // Once it was deleted there, it does not exist.
            world.transport.server.withLock { $0.remove(dropped.id) }
            try await client.applyRetention()
            await world.pass(.seconds(1))
            #expect(object.last?.snapshot.isEmpty == true && object.last?.dataStatus == .notExist)
            await client.close()
        }
    }
}
