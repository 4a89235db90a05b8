import Causeway
import CausewayConfiguration
import CausewayControlAPI
import CausewayControlServer
import CausewayDiagnostics
import CausewayScriptedWorld
import CausewayTestSupport
import Foundation
import Logging
import Synchronization
import Testing

/// Logins that fail, and logins at the same time.
@Suite struct LoginTests {
    private struct World: Sendable {
        let remote: ScriptedServer
        let trust: any TrustStore
        let client: CausewayClient
        let service: ClientControlService

        init(token: AccessToken? = nil, trust: any TrustStore = MemoryTrustStore()) async throws {
            self.trust = trust
            remote = ScriptedServer(token: token)
            client = try await CausewayClient.open(
                store: MemoryStore(), transports: remote.registry, credentials: MemoryCredentialStore(),
                configuration: .forTests())
            let process = StatusResponse.Process(pid: 1, version: "test", store: "/", isDaemon: true)
            service = ClientControlService(client: client, trust: trust, process: process)
        }

        /// The code of the error of a login; `nil` without one.
        func problem(of request: LoginRequest) async -> ControlError.Code? {
            do throws(ControlError) {
                _ = try await service.login(request)
                return nil
            } catch {
                return error.code
            }
        }
    }

    private static let server = "test://server"

    private static func request(_ token: String, authorities: String) throws -> LoginRequest {
        let token = try #require(AccessToken(token))
        return LoginRequest(server: server, token: token, authorities: authorities)
    }

    @Test(arguments: [
        "https://ann:pass-word@chat.example", "test://server?pass-word", "test://server/#pass-word", "pass-word",
        "ann:pass-word@chat.example",
    ])
    func aFailedLoginLogsNoSecretOfTheAddress(_ address: String) async throws {
        let written = Mutex<[String]>([])
        let logger = Logger(label: "test") { _ in
            LineLogHandler(format: .text, level: .debug) { line in written.withLock { $0.append(line) } }
        }
        let folder = try TemporaryFolder(.short)
        let world = try await World()
        try await ControlWorld.serving(world.service, at: folder.path + "/s", logger: logger) {
            let body = #"{"server":"\#(address)","token":"s3cret-token"}"#
            let answer = try await RawRequest.send(RawRequest.post("/v1/login", body), to: folder.path + "/s")
            #expect(answer.status >= 400)
            #expect(answer.problem?.detail.contains("pass-word") == false)
            #expect(answer.problem?.detail.contains("address") == true)
        }
        await world.client.close()
        let lines = written.withLock { $0 }
        #expect(lines.contains { $0.contains("login failed") })
        #expect(!lines.contains { $0.contains("pass-word") || $0.contains("s3cret-token") })
        #expect(world.trust.entry(for: address) == nil)
    }

    @Test func anAddressIsBounded() async throws {
        let world = try await World()
        var request = try Self.request("t", authorities: "PEM")
        request.server = Self.server + "/" + String(repeating: "a", count: ControlLimits.serverAddressBytesMax)
        #expect(await world.problem(of: request) == .badRequest)
        #expect(world.trust.entry(for: request.server) == nil)
        await world.client.close()
    }

    /// One that fails puts the former settings back, and not those of the other one away.
    @Test func loginsAtTheSameTimeTakeTurns() async throws {
        let world = try await World(token: AccessToken("right"))
        let (wrong, right) = (
            try Self.request("wrong", authorities: "A"), try Self.request("right", authorities: "B")
        )
        world.remote.holdAuthentications(true)
        let first = Task { await world.problem(of: wrong) }
        try await Eventually.holds("the first waits for the server") { world.remote.authenticationsHeld == 1 }
        let second = Task { await world.problem(of: right) }
        try await Eventually.holds("the second waits") {
            world.service.loginsWaiting == 1 || world.remote.authenticationsHeld == 2
        }
        #expect(world.remote.authenticationsHeld == 1)
        world.remote.holdAuthentications(false)
        #expect(await first.value == .tokenRefused)
        #expect(await second.value == nil)
        #expect(world.trust.entry(for: Self.server)?.authorities == "B")
        await world.client.close()
    }

    /// The process may end during a login; the session that goes on needs its own settings at the next start.
    @Test func theSettingsOfALoginAreStoredWhenItHasSucceeded() async throws {
        let folder = try TemporaryFolder(.short)
        func stored() throws -> TrustEntry? {
            let trust = try FileTrustStore(folder: folder.path)
            let file = try #require(trust.authoritiesFile(for: Self.server))
            #expect(try String(contentsOfFile: file, encoding: .utf8) == trust.entry(for: Self.server)?.authorities)
            return trust.entry(for: Self.server)
        }
        let trust = try FileTrustStore(folder: folder.path)
        try trust.keep(TrustEntry(authorities: "A"), for: Self.server)
        let world = try await World(token: AccessToken("right"), trust: trust)
        let logins: [(token: String, problem: ControlError.Code?, after: String)] = [
            ("wrong", .tokenRefused, "A"), ("right", nil, "B"),
        ]
        for (number, (token, problem, after)) in logins.enumerated() {
            let request = try Self.request(token, authorities: "B")
            world.remote.holdAuthentications(true)
            let login = Task { await world.problem(of: request) }
            try await Eventually.holds("the login waits for the server") {
                world.remote.authenticationsHeld == number + 1
            }
            #expect(trust.entry(for: Self.server)?.authorities == "B")
            let during = try stored()
            #expect(during?.authorities == "A")
            world.remote.holdAuthentications(false)
            #expect(await login.value == problem)
            let then = try stored()
            #expect(then?.authorities == after && trust.entry(for: Self.server) == then)
        }
        await world.client.close()
    }

    @Test func theLoginsThatWaitAreBounded() async throws {
        let world = try await World()
        let request = try Self.request("t", authorities: "A")
        world.remote.holdAuthentications(true)
        let first = Task { await world.problem(of: request) }
        try await Eventually.holds("the first waits for the server") { world.remote.authenticationsHeld == 1 }
        let others = (0..<ControlServerLimits.loginsWaitingMax).map { _ in
            Task { await world.problem(of: request) }
        }
        try await Eventually.holds("the others wait") {
            world.service.loginsWaiting == others.count || world.remote.authenticationsHeld > 1
        }
        #expect(await world.problem(of: request) == .busy)
        world.remote.holdAuthentications(false)
        #expect(await first.value == nil)
        for other in others { #expect(await other.value == nil) }
        await world.client.close()
    }
}
