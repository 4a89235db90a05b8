import Causeway
import CausewayModels
import CausewayRuntime
import CausewaySimulatedRuntime
import CausewayStorage
import CausewayTransport
import Synchronization
import Testing

/// Operations and contents that the server is known not to accept are refused before anything is stored.
@Suite struct CapabilityTests {
    private static func run(
        operations: Set<OperationKind>, content: ContentLimits = ContentLimits(),
        _ body: @escaping @Sendable (CausewayClient, ForgetfulServer, ChannelID) async throws -> Void
    ) throws {
        let runtime = SimulatedRuntime(seed: 1)
        let server = ForgetfulServer(
            window: .seconds(600), user: try #require(UserID("ann")), runtime: runtime)
        let general = try #require(ChannelID("general"))
        try runtime.run {
            var transports = TransportRegistry()
            transports.register("test") { _, _ in
                IdempotentTransport(
                    to: server, window: .seconds(600), operations: operations, content: content, runtime: runtime)
            }
            let client = try await CausewayClient.open(
                store: MemoryStore(), transports: transports, credentials: MemoryCredentialStore(), runtime: runtime)
            try await client.login(server: "test://forgetful", token: #require(AccessToken("secret")))
            try await body(client, server, general)
        }
    }

    @Test func contentsThatTheServerDoesNotAccept() throws {
        let limits = ContentLimits(textBytesMax: 4, customBytesMax: 41)
        try Self.run(operations: Set(OperationKind.allCases), content: limits) { client, _, general in
            await #expect(throws: ClientError.content(.textTooLong(bytes: 6, limit: 4))) {
                try await client.messages.createTextMessage("äöü", in: general)
            }
            await #expect(throws: ClientError.content(.customTooLong(bytes: 42, limit: 41))) {
                try await client.messages.createCustomMessage(.object(["a": .string("bcd")]), in: general)
            }
            #expect(try await client.status().counts.undelivered == 0)
            let handle = try await client.messages.createTextMessage("four", in: general)
            _ = try await handle.delivered()
            await #expect(throws: ClientError.content(.textTooLong(bytes: 5, limit: 4))) {
                try await client.messages.editTextMessage(handle.id, to: "fives")
            }
            #expect(try await client.messages.storedMessage(handle.id)?.content == .text("four"))
        }
    }

    @Test func aServerWithoutMessages() throws {
        try Self.run(operations: []) { client, server, general in
            await #expect(throws: ClientError.notSupported(.create)) {
                try await client.messages.createTextMessage("a", in: general)
            }
            let undelivered = try await client.status().counts.undelivered
            #expect(undelivered == 0)
            #expect(server.state.withLock { $0.applied }.isEmpty)
        }
    }

    @Test func aServerWithoutChanges() throws {
        try Self.run(operations: [.create]) { client, server, general in
            let handle = try await client.messages.createTextMessage("a", in: general)
            _ = try await handle.delivered()
            await #expect(throws: ClientError.notSupported(.edit)) {
                try await client.messages.editTextMessage(handle.id, to: "b")
            }
            await #expect(throws: ClientError.notSupported(.react)) {
                try await client.messages.addReaction("+1", to: handle.id)
            }
            await #expect(throws: ClientError.notSupported(.delete)) {
                try await client.messages.softDeleteMessage(handle.id)
            }
            #expect(try await client.messages.dependants(of: handle.id).isEmpty)
            #expect(try await client.messages.storedMessage(handle.id)?.content == .text("a"))
            #expect(server.state.withLock { $0.stored } == [handle.id])

            // A message that never leaves needs no deletion on the server.
            try await client.pause()
            let waiting = try await client.messages.createTextMessage("b", in: general)
            try await client.messages.softDeleteMessage(waiting.id)
            #expect(try await client.messages.storedMessage(waiting.id) == nil)
        }
    }

    /// The limits of an unknown server are those of the client.
    @Test func limitsNeverExceedTheClients() {
        let limits = ContentLimits(textBytesMax: .max, customBytesMax: .max)
        #expect(limits == ContentLimits())
        #expect(limits.textBytesMax == Limits.textBytesMax && limits.customBytesMax == Limits.customBytesMax)
    }
}
