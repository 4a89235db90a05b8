import Causeway
import CausewayConfiguration
import CausewayControlAPI
import CausewayControlServer
import CausewayScriptedWorld
import CausewayStatusPage
import CausewayTestSupport
import Foundation
import Logging
import ServiceLifecycle
import Testing

/// The daemon stops and restarts; the page keeps running.
@Suite struct RecoveryTests {
    /// Runs `body` while a daemon's control service is served at a socket.
    private static func serving(_ path: String, _ body: @Sendable () async throws -> Void) async throws {
        guard let token = AccessToken("s3cret") else { throw PageWorld.Unserved() }
        let client = try await CausewayClient.open(
            store: MemoryStore(), transports: ScriptedServer().registry, credentials: MemoryCredentialStore())
        let process = StatusResponse.Process(pid: 1, version: "test", store: "/store", isDaemon: true)
        let service = ClientControlService(client: client, trust: MemoryTrustStore(), process: process)
        _ = try await service.login(LoginRequest(server: "test://server", token: token))
        let (ready, readied) = AsyncStream.makeStream(of: Void.self)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let server = ControlServer(service: service, socketPath: path, logger: logger) { readied.yield() }
        let group = ServiceGroup(configuration: .init(services: [server], logger: logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { readied.finish() }
                try await group.run()
            }
            for await _ in ready { break }
            try await body()
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        await client.close()
    }

    @Test func thePageSaysSoAndRecoversByItself() async throws {
        let folder = try TemporaryFolder(.short)
        let socket = folder.path + "/run/s"
        let (daemon, close) = try DaemonClient.socket(socket)
        try await PageWorld.serving(daemon) { page in
            try await Self.expectDown(page)
            try await Self.serving(socket) {
                try await Eventually.holds("the page answers") { try await page.get("/").status == 200 }
                #expect(try await page.get("/healthz").status == 200)
                try await Eventually.holds("the events say so") { try await page.firstEvent() == "up" }
            }
            try await Self.expectDown(page)
            try await Eventually.holds("the events say so") { try await page.firstEvent() == "down" }
            try await Self.serving(socket) {
                try await Eventually.holds("the page answers again") { try await page.get("/outbox").status == 200 }
            }
        }
        await close()
    }

    private static func expectDown(_ page: PageClient) async throws {
        for path in ["/", "/outbox", "/failed", "/delete-actions", "/delete-actions.csv", "/messages?q=general"] {
            let answer = try await page.get(path)
            #expect(answer.status == 503, "\(path)")
            #expect(answer.body.contains("The daemon does not respond"), "\(path)")
            #expect(answer.field("Retry-After") == "2")
        }
        #expect(try await page.get("/healthz").status == 503)
        #expect(try await page.get("/api/outbox").body.contains("daemonUnreachable"))
    }
}
