import Causeway
import CausewayConfiguration
import CausewayControlAPI
import CausewayControlClient
import CausewayControlServer
import CausewayScriptedWorld
import CausewayTestSupport
import Foundation
import Logging
import ServiceLifecycle
import Synchronization

/// A client on a memory store, its control service, and a server of it on a real socket.
struct ControlWorld {
    let folder: TemporaryFolder
    let remote: ScriptedServer
    let store: MemoryStore
    let local: ClientControlService
    let client: ControlClient
    let socketPath: String

    var socket: ControlSocketPath { ControlSocketPath(path: socketPath) }

    static let token = "s3cret-token-of-ann"

    /// Runs `body` while the server serves; logged in by default.
    static func run(
        loggedIn: Bool = true, requestTime: Duration? = nil,
        _ body: @Sendable (ControlWorld) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder(.short)
        let remote = ScriptedServer()
        let store = MemoryStore()
        let client = try await CausewayClient.open(
            store: store, transports: remote.registry, credentials: MemoryCredentialStore(),
            configuration: .forTests())
        let process = StatusResponse.Process(pid: 4711, version: "test", store: folder.path, isDaemon: true)
        let service = ClientControlService(client: client, trust: MemoryTrustStore(), process: process)
        if loggedIn { _ = try await service.login(login) }
        let socketPath = folder.path + "/run/s"
        try await serving(service, at: socketPath, requestTime: requestTime) {
            let control = try ControlClient(socketPath: socketPath)
            let world = ControlWorld(
                folder: folder, remote: remote, store: store, local: service, client: control,
                socketPath: socketPath)
            do {
                try await Eventually.ends { try await body(world) }
            } catch {
                await control.close()
                throw error
            }
            await control.close()
        }
        await client.close()
    }

    static var login: LoginRequest {
        guard let token = AccessToken(token) else { preconditionFailure("a token") }
        return LoginRequest(server: "test://server", token: token)
    }

    /// The end of a delivery, however long it takes: one call of the service waits only so long.
    func result(of id: MessageID) async throws -> DeliveryResultResponse {
        while true {
            let result = try await client.result(of: id, within: .seconds(20))
            if result.outcome != .waiting { return result }
        }
    }

    /// Runs `body` while `service` is served at a socket.
    static func serving(
        _ service: any ControlService, at path: String, requestTime: Duration? = nil, logger log: Logger? = nil,
        _ body: @Sendable () async throws -> Void
    ) async throws {
        let (ready, readied) = AsyncStream.makeStream(of: Void.self)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let server = ControlServer(
            service: service, socketPath: path, logger: log ?? logger, requestTime: requestTime ?? .seconds(60)
        ) { readied.yield() }
        let group = ServiceGroup(configuration: .init(services: [server], logger: logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { readied.finish() }
                try await group.run()
            }
            var starts = ready.makeAsyncIterator()
            guard await starts.next() != nil else {
                try await tasks.waitForAll()
                throw Unserved()
            }
            do {
                try await body()
            } catch {
                await group.triggerGracefulShutdown()
                throw error
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    struct Unserved: Error {}
}
