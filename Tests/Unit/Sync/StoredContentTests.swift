import Causeway
import CausewayFileStorage
import CausewayModels
import CausewayRuntime
import CausewaySQLiteStorage
import CausewayStorage
import CausewayTestSupport
import CausewayTransport
import Foundation
import Testing

/// `create` returns exactly the stored content, down to the form of numbers.
struct StoredContentTests {
    private static let given = JSONValue.object([
        "whole": .double(1), "list": .array([.double(-3), .double(0.5), .object(["zero": .double(-0.0)])]),
    ])
    private static let kept = JSONValue.object([
        "whole": .integer(1), "list": .array([.integer(-3), .double(0.5), .object(["zero": .integer(0)])]),
    ])

    @Test func inMemory() async throws { try await check(MemoryStore()) }

    @Test func onDisk() async throws {
        let folder = try TemporaryFolder()
        try await check(try await SQLiteStore.open(at: folder.fresh(), durability: .normal))
        try await check(try await FileStore.open(at: folder.fresh(), durability: .normal))
    }

    private func check(_ store: any Store) async throws {
        let runtime = SystemRuntime()
        let transport = ScriptedTransport(
            user: try #require(UserID("ann")), runtime: runtime, operationsMax: 10)
        var transports = TransportRegistry()
        transports.register("test") { _, _ in transport }
        let client = try await CausewayClient.open(
            store: store, transports: transports, credentials: MemoryCredentialStore(), runtime: runtime,
            configuration: ClientConfiguration())
        try await client.login(server: ClientWorld.address, token: #require(AccessToken("secret")))
        try await client.pause()
        let general = try #require(ChannelID("general"))
        let text = try await client.messages.createTextMessage("e\u{301} 1.0", in: general)
        let custom = try await client.messages.createCustomMessage(Self.given, in: general)
        let reply = try await client.messages.createCustomMessage(Self.given, in: general, parent: text.id)
        let tagged = try await client.messages.createTextMessage("t", in: general, tags: ["b", "a", "b"])
        #expect(tagged.message.tags == ["b", "a"])
        for handle in [text, custom, reply, tagged] {
            let stored = try #require(try await client.messages.storedMessage(handle.id))
            #expect(handle.message.content == stored.content && handle.message.tags == stored.tags)
        }
        #expect(custom.message.content == .custom(Self.kept))
        #expect(reply.message.content == .custom(Self.kept))
        #expect(text.message.content == .text("e\u{301} 1.0"))
        await client.close()
    }
}
