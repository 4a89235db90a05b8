import CausewayHub
import CausewayHubStorage
import CausewayTestSupport
import NIOCore
import NIOPosix
import Testing

/// A hub that is stopped while clients connect to it.
@Suite struct StoppingTests {
    /// A connection that was accepted and not handled any more once ended the whole process.
    @Test func connectionsOfTheLastMomentEndNobody() async throws {
        let temporary = try TemporaryFolder()
        let folder = DataFolder(temporary.path)
        try await HubFixture.prepare(folder)
        // Afterwards nothing else listens there, and no connection to an unused port is one to itself.
        let port = try ReservedPort()
        for _ in 0..<20 {
            try await port.waitUntilFree()
            let knocking = try await HubFixture.running(folder, port: port.number) { hub in
                let port = hub.port
                let knocking = (0..<8).map { _ in
                    Task {
                        while let channel = try? await Self.knock(port) { try? await channel.close() }
                    }
                }
                _ = try await Self.knock(port).close()
                return knocking
            }
            for task in knocking { await task.value }
        }
    }

    /// The next hub starts at once, whoever still refers to this one.
    @Test func aStoppedHubHoldsNeitherItsFolderNorItsDatabase() async throws {
        let temporary = try TemporaryFolder()
        let folder = DataFolder(temporary.path)
        try await HubFixture.prepare(folder)
        let stopped = try await HubFixture.running(folder) { $0.hub }
        _ = try DataFolderLock(folder)
        #expect(!stopped.storage.isHealthy)
    }

    /// Nothing is wrong with the hub.
    @Test func aRequestThatIsCutOffIsLoggedAsANotice() async throws {
        let temporary = try TemporaryFolder()
        let folder = DataFolder(temporary.path)
        try await HubFixture.prepare(folder)
        let (log, request) = try await HubFixture.running(folder) { hub in
            let client = hub.client
            let head =
                "POST /v1/deliveries HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer \(client.token ?? "")\r\n"
                + "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
            let request = Task { _ = try? await client.raw(Array(head.utf8)) }
            try await Eventually.holds("the hub reads the body") { hub.hub.requestsInProgress == 1 }
            return (hub.log, request)
        }
        await request.value
        #expect(log.contains("notice request cut off"), "\(log.lines)")
        #expect(!log.contains("request failed"))
    }

    private static func knock(_ port: Int) async throws -> any Channel {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.minutes(2))
            .connect(host: "127.0.0.1", port: port).get()
    }
}
