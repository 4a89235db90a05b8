import Causeway
import CausewayModels
import CausewaySimulatedRuntime
import CausewayTransport
import Synchronization
import Testing

/// A whole client with a server that has typing and presence.
@MainActor struct EphemeralTests {
    private static func run(
        _ body: @escaping @Sendable (ClientWorld, CausewayClient) async throws -> Void
    ) throws {
        try ClientWorld.run { world in
            world.transport.server.withLock { server in
                server.log = ScriptedLog()
                server.signals = []
            }
            let client = try await world.loggedIn()
            try await upToDate(world, client)
            try await body(world, client)
            await client.close()
        }
    }

    private nonisolated static func upToDate(_ world: ClientWorld, _ client: CausewayClient) async throws {
        try await world.until("events are followed") { try await client.status().events == .upToDate }
    }

    private nonisolated static func state(
        _ typing: [String: Int64], present: [String] = [], _ world: ClientWorld
    ) throws -> EphemeralUpdate.Channel {
        EphemeralUpdate.Channel(
            channel: world.general,
            typing: try typing.map { name, seconds in
                EphemeralUpdate.Typing(user: try #require(UserID(name)), remaining: .seconds(seconds))
            },
            present: try present.map { try #require(UserID($0)) })
    }

    private nonisolated static func show(
        _ typing: [String: Int64], present: [String] = [], _ world: ClientWorld
    ) async throws {
        let state = try state(typing, present: present, world)
        world.transport.server.withLock { $0.show([state]) }
        await world.pass(.milliseconds(100))
    }

    private nonisolated static func signals(_ world: ClientWorld) -> [Bool] {
        world.transport.server.withLock { $0.signals ?? [] }.map(\.isTyping)
    }

    private nonisolated static func cut(_ world: ClientWorld) {
        let error = TransportError.unreachable(detail: "no network")
        world.transport.server.withLock { server in
            server.serverInfo = .failure(error)
            server.log?.error = error
        }
    }

    // MARK: - Others

    @Test func othersAreShownAsTypingUntilTheirTimeEnds() throws {
        try Self.run { world, client in
            let seen = SeenUsers(client.typing(in: world.general), world)
            let presence = SeenUsers(client.presence(in: world.general), world)
            await world.pass(.milliseconds(100))
            #expect(seen.all == [[]] && presence.all == [[]])
            try await Self.show(["bob": 6, "grace": 3, "ann": 6], present: ["bob", "ann"], world)
            #expect(seen.all.last == ["bob", "grace"], "the session's user is not shown as typing")
            #expect(presence.all.last == ["ann", "bob"])
            await world.pass(.milliseconds(2850))
            #expect(seen.all.last == ["bob", "grace"])
            await world.pass(.milliseconds(150))
            #expect(seen.all.last == ["bob"])
            await world.pass(.seconds(4))
            #expect(seen.all == [[], ["bob", "grace"], ["bob"], []])
            #expect(client.typing(in: world.general).now == [] && presence.all.last == ["ann", "bob"])
        }
    }

    @Test func nothingIsShownWhileEventsAreNotFollowed() throws {
        try Self.run { world, client in
            try await Self.show(["bob": 30], present: ["bob"], world)
            #expect(client.typing(in: world.general).now.count == 1)
            Self.cut(world)
            await world.pass(.seconds(1))
            #expect(client.typing(in: world.general).now == [] && client.presence(in: world.general).now == [])
        }
    }

    @Test func nothingOfOneAccountIsShownToTheNext() throws {
        try Self.run { world, client in
            let presence = SeenUsers(client.presence(in: world.general), world)
            try await Self.show(["bob": 30], present: ["bob"], world)
            #expect(presence.all.last == ["bob"])
            _ = try await client.logout()
            await world.pass(.milliseconds(100))
            #expect(presence.all.last == [] && client.typing(in: world.general).now == [])
        }
    }

    @Test func theStreamsEndWithTheClient() throws {
        try ClientWorld.run { world in
            let client = try await world.loggedIn()
            let typing = client.typing(in: world.general)
            let task = world.runtime.spawn { for await _ in typing {} }
            await client.close()
            await task.finished()
            for await _ in typing { Issue.record("a stream of a closed client has a value") }
        }
    }

    // MARK: - Own typing

    @Test func typingIsReportedNowAndThen() throws {
        try Self.run { world, client in
            for _ in 0..<100 {
                await client.setTyping(in: world.general)
                await world.pass(.milliseconds(100))
            }
            #expect(Self.signals(world) == [true, true, true, true], "ten seconds")
            await client.setTyping(false, in: world.general)
            await client.setTyping(false, in: world.general)
            await world.pass(.seconds(1))
            #expect(Self.signals(world) == [true, true, true, true, false])
            let sent = world.transport.server.withLock { $0.signals ?? [] }
            #expect(sent.map(\.sequence) == [1, 2, 3, 4, 5] && Set(sent.map(\.device)).count == 1)
        }
    }

    @Test func typingIsNeverQueuedNorRepeated() throws {
        try Self.run { world, client in
            let lost = TransportError.inDoubt(detail: "cut")
            world.transport.server.withLock { $0.signalBehaviour = .fail(lost) }
            await client.setTyping(in: world.general)
            await world.pass(.seconds(60))
            #expect(Self.signals(world) == [true])
            // A server that does not respond holds up nothing.
            world.transport.server.withLock { $0.signalBehaviour = .hang(.seconds(10)) }
            for number in 0..<20 {
                await client.setTyping(in: try #require(ChannelID("channel\(number)")))
            }
            await world.pass(.seconds(1))
            #expect(Self.signals(world).count == 5, "four are under way")
            world.transport.server.withLock { $0.signalBehaviour = .work }
            Self.cut(world)
            await world.pass(.seconds(30))
            await client.setTyping(in: try #require(ChannelID("later")))
            await world.pass(.seconds(60))
            #expect(Self.signals(world).count == 5, "offline")
        }
    }

    @Test func withoutASessionNothingIsSent() throws {
        try Self.run { world, client in
            try await client.pause()
            await client.setTyping(in: world.general)
            try await client.resume()
            _ = try await client.logout()
            await client.setTyping(in: world.general)
            await world.pass(.seconds(10))
            #expect(Self.signals(world).isEmpty)
            world.transport.server.withLock { $0.signals = nil }
            try await world.login(client)
            try await Self.upToDate(world, client)
            await client.setTyping(in: world.general)
            await world.pass(.seconds(10))
        }
    }
}

/// Collects the users of a sequence by name.
private final class SeenUsers: Sendable {
    private let seen = Seen()

    private final class Seen: Sendable {
        let users = Mutex<[[String]]>([])
    }

    init(_ users: ChannelUsers, _ world: ClientWorld) {
        world.runtime.spawn { [seen] in
            for await users in users { seen.users.withLock { $0.append(users.map(\.value)) } }
        }
    }

    var all: [[String]] { seen.users.withLock { $0 } }
}
