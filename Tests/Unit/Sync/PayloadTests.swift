import Causeway
import CausewayModels
import CausewayScriptedWorld
import CausewayTestSupport
import Foundation
import Logging
import Synchronization
import Testing

/// Values of the application as custom messages, options of queries, and the client's log.
@MainActor struct PayloadTests {
    private let server = ScriptedServer()
    private let general: ChannelID

    private struct Vote: Codable, Equatable {
        var choice: Int
        var at = Date(timeIntervalSinceReferenceDate: 5)
        var link = URL(string: "https://example.org/a")
        var bytes = Data([1, 2])
    }

    init() throws { general = try #require(ChannelID("general")) }

    private func opened(_ configuration: ClientConfiguration = .forTests()) async throws -> CausewayClient {
        let client = try await CausewayClient.open(
            store: MemoryStore(), transports: server.registry, credentials: MemoryCredentialStore(),
            configuration: configuration)
        try await client.login(server: "test:", token: try #require(AccessToken("secret")))
        return client
    }

    @Test func aValueIsSentAndRead() async throws {
        let client = try await opened()
        let handle = try await client.messages.createCustomMessage(encoding: Vote(choice: 1), in: general)
        #expect(try handle.message.data(as: Vote.self) == Vote(choice: 1))
        try await client.messages.editCustomMessage(handle.id, encoding: Vote(choice: 2))
        let stored = try #require(try await client.messages.storedMessage(handle.id))
        #expect(try stored.data(as: Vote.self) == Vote(choice: 2))
        #expect(stored.data?["choice"] == 2 && stored.text == nil)
        let text = try await client.messages.createTextMessage("hi", in: general).message
        #expect(text.text == "hi")
        #expect(try text.data(as: Vote.self) == nil)
        let other = try await client.messages.createCustomMessage(["choice": "two"], in: general).message
        #expect(throws: DecodingError.self) { try other.data(as: Vote.self) }
        await client.close()
    }

    @Test func aValueThatIsNoObjectIsRefused() async throws {
        let client = try await opened()
        await #expect(throws: ClientError.content(.customNotAnObject)) {
            try await client.messages.createCustomMessage(encoding: [1, 2], in: general)
        }
        do throws(ClientError) {
            _ = try await client.messages.createCustomMessage(encoding: ["a": Double.infinity], in: general)
            Issue.record("it was created")
        } catch {
            guard case .content(.customNotEncodable) = error else {
                Issue.record("\(error)")
                return
            }
        }
        #expect(try await client.status().counts == StoreCounts())
        await client.close()
    }

    @Test func optionsSayTheOrderAndTheFirstPage() async throws {
        let client = try await opened()
        for number in 1...5 { try await client.messages.createTextMessage("\(number)", in: general).delivered() }
        func texts(
            _ sort: MessageQueryOptions.SortOption, _ start: MessageQueryOptions.Start
        ) async throws -> [String] {
            let options = MessageQueryOptions(channel: general, sort: sort, start: start, pageSize: 2)
            let list = await client.messages.getMessages(options: options).ready()
            for await change in client.messages.messageChanges(options: options) where change.dataStatus == .fresh {
                #expect(change.snapshot.map(\.id) == list.snapshots.map(\.id))
                break
            }
            return list.snapshots.compactMap(\.text)
        }
        #expect(try await texts(.lastCreated, .first) == ["5", "4"])
        #expect(try await texts(.lastCreated, .last) == ["2", "1"])
        #expect(try await texts(.firstCreated, .first) == ["1", "2"])
        #expect(try await texts(.firstCreated, .last) == ["4", "5"])
        await client.close()
    }

    // MARK: - The log

    private final class Lines: Sendable {
        private let texts = Mutex<[String]>([])

        var all: [String] { texts.withLock { $0 } }
        func add(_ text: String) { texts.withLock { $0.append(text) } }
    }

    private struct Recorder: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let metadata = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            lines.add(([event.message.description] + metadata).joined(separator: " "))
        }
    }

    @Test(.timeLimit(.minutes(5))) func changesOfTheStatusAreLogged() async throws {
        let lines = Lines()
        var configuration = ClientConfiguration.forTests()
        configuration.logger = Logger(label: "test") { _ in Recorder(lines: lines) }
        let client = try await opened(configuration)
        await until { lines.all.contains("logged in server=test: user=ann") }
        server.set(.refusing(code: "muted", detail: "you are muted"))
        let handle = try await client.messages.createTextMessage("a secret text", in: general)
        await #expect(throws: DeliveryError.self) { try await handle.delivered() }
        await until { lines.all.contains("deliveries failed failed=1") }
        server.set(.refusingToken)
        try await client.messages.createTextMessage("another", in: general)
        await until { lines.all.contains { $0.hasPrefix("action required cause=tokenRefused") } }
        try await client.logout()
        await until { lines.all.contains("logged out") }
        await client.close()
        #expect(!lines.all.contains { $0.contains("secret") })
    }

    /// The daemon reports sessions and failed deliveries from the store's commits.
    @Test(.timeLimit(.minutes(5))) func withoutCommitsOnlyTheStateIsLogged() async throws {
        let lines = Lines()
        let client = try await opened()
        let log = Task { [changes = client.liveStatus()] in
            await changes.log(to: Logger(label: "test") { _ in Recorder(lines: lines) }, includesCommits: false)
        }
        server.set(.refusing(code: "muted", detail: "you are muted"))
        let handle = try await client.messages.createTextMessage("1", in: general)
        await #expect(throws: DeliveryError.self) { try await handle.delivered() }
        try await client.pause()
        await until { lines.all.contains("sending paused") }
        try await client.resume()
        await until { lines.all.contains("sending resumed") }
        try await client.logout()
        await client.close()
        // The changes end with the client, so every line is there.
        await log.value
        #expect(!lines.all.contains { $0.hasPrefix("deliveries failed") || $0.hasPrefix("logged") })
    }

    @Test func failedMessagesAreCountedBesideFailedChanges() async throws {
        let client = try await opened()
        let handle = try await client.messages.createTextMessage("1", in: general)
        try await handle.delivered()
        server.set(.unreachable)
        try await client.messages.addReaction("wave", to: handle.id)
        try await client.messages.createTextMessage("2", in: general)
        try await client.logout()
        let counts = try await client.status().counts
        #expect(counts.error == 2 && counts.failedMessages == 1 && counts.failedChanges == 1)
        #expect(try await client.messages.failedMessages().messages.count == counts.failedMessages)
        await client.close()
    }
}
