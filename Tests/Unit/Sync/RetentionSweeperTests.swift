import Causeway
import CausewayModels
import CausewayRuntime
import CausewaySimulatedRuntime
import CausewayStorage
import CausewayStoreTorture
import CausewaySync
import CausewayTransport
import Synchronization
import Testing

/// The rules of a sweep, each of which drops something else when it is broken.
struct RetentionSweeperTests {
    private static let day = Duration.seconds(86_400)

    /// Stores messages of another user, each accepted this long ago.
    private static func store(
        _ positions: ClosedRange<Int>, in channel: ChannelID, _ world: ClientWorld,
        age: (Int) -> Duration = { _ in .zero }
    ) async throws {
        let now = world.runtime.wallClock
        let messages = try positions.map { number in
            var message = try RemoteMessages.placed(number, world)
            message.channel = channel
            message.serverPosition = ServerPosition(
                position: Int64(number), acceptedAt: now.advanced(by: .zero - age(number)))
            return message
        }
        try await world.store.commit(messages.map { .merge($0, at: now) })
    }

    private static func positions(_ channel: ChannelID, _ world: ClientWorld) async throws -> [Int] {
        var query = MessageQuery(scope: .channel(channel), limit: 200)
        var positions: [Int] = []
        while true {
            let page = try await world.store.page(query)
            positions += page.messages.compactMap { $0.serverPosition.map { Int($0.position) } }
            guard let next = page.next else { return positions }
            query.after = next
        }
    }

    private static func sweeper(_ policy: RetentionPolicy, _ world: ClientWorld) throws -> RetentionSweeper {
        try #require(RetentionSweeper(store: world.store, policy: policy, runtime: world.runtime))
    }

    // MARK: What is dropped

    @Test func everyChannelIsSwept() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let channels = try ["a", "b", "c"].map { try #require(ChannelID($0)) }
            for channel in channels { try await Self.store(1...130, in: channel, world) }
            try await Self.sweeper(.count(120), world).sweep()
            for channel in channels { #expect(try await Self.positions(channel, world) == Array(11...130)) }
            await client.close()
        }
    }

    /// An application may set a number that the settings of the programs refuse.
    @Test func theNewestOfAChannelStayWhateverTheNumber() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            try await Self.store(1...130, in: world.general, world)
            try await Self.sweeper(.count(0), world).sweep()
            #expect(try await Self.positions(world.general, world) == Array(31...130))
            await client.close()
        }
    }

    @Test func aMessageOfExactlyTheAgeIsKept() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            try await Self.store(1...150, in: world.general, world) { number in
                number <= 20 ? Self.day + .milliseconds(1) : Self.day
            }
            try await Self.sweeper(.age(Self.day), world).sweep()
            #expect(try await Self.positions(world.general, world) == Array(21...150))
            await client.close()
        }
    }

    /// The rest of a channel has no hole, although the server's clock went back between two messages.
    @Test func nothingIsDroppedBehindAMessageThatIsKept() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            try await Self.store(1...150, in: world.general, world) { number in number == 11 ? .zero : Self.day * 2 }
            try await Self.sweeper(.age(Self.day), world).sweep()
            #expect(try await Self.positions(world.general, world) == Array(11...150))
            await client.close()
        }
    }

    @Test func foreverNeedsNoSweeper() throws {
        try ClientWorld.run(on: [.memory]) { world in
            #expect(RetentionSweeper(store: world.store, policy: .forever, runtime: world.runtime) == nil)
            let part = RetainedPart(channel: world.general, start: 5)
            #expect(RetentionCutoff(.forever, part, now: world.runtime.wallClock) == nil)
        }
    }

    // MARK: How it is dropped

    @Test func commitsAreSmallAndWaitForNoDisk() throws {
        try ClientWorld.run(on: [.file]) { world in
            let client = try await world.loggedIn()
            try await Self.store(1...450, in: world.general, world)
            let sizes = Mutex<[Int]>([])
            let subscription = world.store.subscribe { commit in sizes.withLock { $0.append(commit.changes.count) } }
            let disk = try #require(world.store as? SimulatedFileStore).disk
            let syncs = disk.counts[.sync]
            try await Self.sweeper(.count(100), world).sweep()
            #expect(disk.counts[.sync] == syncs)
            #expect(sizes.withLock { $0 } == [100, 100, 100, 50])
            subscription.cancel()
            await client.close()
        }
    }

    @Test func aStoreInTroubleIsSweptTheNextTime() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            try await Self.store(1...130, in: world.general, world)
            let sweeper = try Self.sweeper(.count(100), world)
            sweeper.start()
            world.store.failNextCommits(1, with: .full(detail: "no room"))
            await world.pass(.seconds(61))
            #expect(try await Self.positions(world.general, world).count == 130)
            await world.pass(.seconds(3600))
            #expect(try await Self.positions(world.general, world).count == 100)
            sweeper.close()
            await client.close()
        }
    }

    @Test func nothingIsDroppedAfterTheEnd() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            try await Self.store(1...130, in: world.general, world)
            let sweeper = try Self.sweeper(.count(100), world)
            sweeper.start()
            await world.pass(.seconds(30))
            sweeper.close()
            await world.pass(.seconds(7200))
            #expect(try await Self.positions(world.general, world).count == 130)
            await client.close()
        }
    }

    @Test func onlyTheCurrentAccountIsSwept() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            try await Self.store(1...130, in: world.general, world)
            try await Self.logIn("bob", client, world)
            try await Self.sweeper(.count(100), world).sweep()
            try await Self.logIn("ann", client, world)
            #expect(try await Self.positions(world.general, world).count == 130)
            await client.close()
        }
    }

    private static func logIn(_ name: String, _ client: CausewayClient, _ world: ClientWorld) async throws {
        try await client.logout()
        let user = try #require(UserID(name))
        world.transport.server.withLock { $0.serverInfo = .success(ServerInfo(user: user, server: "scripted")) }
        try await world.login(client)
    }
}
