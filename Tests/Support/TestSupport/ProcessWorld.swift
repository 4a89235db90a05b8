import Foundation
import NIOCore
import NIOPosix

/// A hub, a daemon and command lines as real processes, in a folder of their own.
package actor ProcessWorld {
    /// A message as the hub shows it.
    package struct Shown: Sendable, Hashable {
        package let id: String
        package let position: Int
        package let text: String
    }

    package struct Failed: Error, CustomStringConvertible {
        package let what: String
        package let said: String

        package var description: String { "\(what): \(said)" }
    }

    private nonisolated let files: TemporaryFolder
    package nonisolated var folder: String { files.path }
    private var hub: RunningProgram?
    private var daemon: RunningProgram?
    private let reserved: ReservedPort

    /// The port on which the hub listens whenever it runs.
    package nonisolated var port: Int { reserved.number }

    private init() throws {
        // A socket's path must be short.
        files = try TemporaryFolder(.short)
        reserved = try ReservedPort()
    }

    /// Runs a scenario with a hub that has the account `ann` and the channel `general`; ends all processes after it.
    ///
    /// - Parameter configuration: of the daemon and the command line, as JSON.
    package static func run<Result: Sendable>(
        configuration: String = "{}", _ body: (ProcessWorld) async throws -> Result
    ) async throws -> Result {
        let world = try ProcessWorld()
        let folder = world.folder
        try configuration.write(toFile: folder + "/config.json", atomically: false, encoding: .utf8)
        let made = try await Program.hub.run(
            ["init", "--data", folder + "/hub", "--name", "127.0.0.1", "--account", "ann", "--channel", "general"])
        guard made.status == 0 else { throw Failed(what: "causeway-hub init", said: made.errors) }
        do {
            let result = try await body(world)
            await world.endAll()
            return result
        } catch {
            await world.endAll()
            throw error
        }
    }

    package nonisolated var environment: [String: String] {
        [
            "CAUSEWAY_STORE": store, "CAUSEWAY_SOCKET": socket,
            "CAUSEWAY_CONFIG": folder + "/config.json", "CAUSEWAY_CA": folder + "/hub/tls/ca.pem",
            "CAUSEWAY_SETTLING_TIME": "50ms",
        ]
    }

    /// The folder of the daemon's store.
    package nonisolated var store: String { folder + "/store" }
    /// The daemon's control socket.
    package nonisolated var socket: String { folder + "/run/c.sock" }

    // MARK: - The hub

    /// Starts the hub at its former address, and returns when it listens.
    package func startHub() async throws {
        let log = folder + "/hub.log"
        try Data().write(to: URL(fileURLWithPath: log))
        let hub = try Program.hub.start(
            ["serve", "--data", folder + "/hub", "--listen", "127.0.0.1:\(port)"], errors: .file(log))
        self.hub = hub
        try await Eventually.holds("the hub listens") {
            let said = try String(contentsOfFile: log, encoding: .utf8)
            guard !hub.isOver else { throw Failed(what: "the hub", said: said) }
            return said.contains("https://127.0.0.1:\(port)")
        }
    }

    package func endHub(_ signal: Int32 = SIGTERM) async {
        await hub?.stop(signal)
        hub = nil
    }

    // MARK: - The daemon

    /// Starts the daemon, and returns when it listens.
    package func startDaemon(restart: String = "resume", settings: [String: String] = [:]) async throws {
        try beginDaemon(restart: restart, settings: settings)
        try await daemonListens()
    }

    /// Starts the daemon and returns at once.
    ///
    /// - Parameter settings: additional environment variables.
    package func beginDaemon(restart: String = "resume", settings: [String: String] = [:]) throws {
        daemon = try Program.causewayd.start(
            ["--restart", restart], environment: environment.merging(settings) { $1 },
            errors: .file(folder + "/daemon.log"))
    }

    /// Waits until a process listens at the control socket.
    package func daemonListens() async throws {
        try await Eventually.holds("the daemon listens", lookingEvery: .milliseconds(2)) {
            guard daemon?.isOver == false else { throw Failed(what: "the daemon", said: daemonLog) }
            return await isListening
        }
    }

    /// True when a process accepts connections at the control socket; a dead one may have left its file there.
    package nonisolated var isListening: Bool {
        get async {
            guard FileManager.default.fileExists(atPath: socket) else { return false }
            let connecting = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(unixDomainSocketPath: socket)
            guard let channel = try? await connecting.get() else { return false }
            try? await channel.close()
            return true
        }
    }

    /// The daemon's log, over all its runs.
    package nonisolated var daemonLog: String {
        (try? String(contentsOfFile: folder + "/daemon.log", encoding: .utf8)) ?? ""
    }

    package func endDaemon(_ signal: Int32 = SIGTERM) async {
        await daemon?.stop(signal)
        daemon = nil
    }

    private func endAll() async {
        await endDaemon(SIGKILL)
        await endHub(SIGKILL)
    }

    // MARK: - The command line

    /// Runs the command line.
    package nonisolated func causeway(
        _ arguments: String..., input: String = ""
    ) async throws -> Program.Outcome {
        try await Program.causeway.run(arguments, environment: environment, input: input)
    }

    /// - Parameter port: the port through which the hub is reached, if not its own.
    package func login(through port: Int? = nil) async throws {
        let done = try await causeway(
            "login", "https://127.0.0.1:\(port ?? self.port)", "--token-file", folder + "/hub/tokens/ann.token")
        guard done.status == 0 else { throw Failed(what: "causeway login", said: done.errors) }
    }

    /// The number of messages that are not on the hub, as the daemon reports it.
    package nonisolated func undelivered() async throws -> Int {
        struct Status: Decodable {
            struct Counts: Decodable {
                let created: Int
                let uploading: Int
                let syncing: Int
                let error: Int
            }
            let counts: Counts
        }
        let said = try await causeway("status", "--json")
        guard said.status == 0 else { throw Failed(what: "causeway status", said: said.errors) }
        let counts = try JSONDecoder().decode(Status.self, from: Data(said.output.utf8)).counts
        return counts.created + counts.uploading + counts.syncing + counts.error
    }

    // MARK: - The hub's content

    /// The texts on the hub, in its order.
    package func textsOnTheHub() async throws -> [String] { try await messagesOnTheHub().map(\.text) }

    /// The messages on the hub, in its order, read by curl over TLS.
    package func messagesOnTheHub() async throws -> [Shown] {
        struct Page: Decodable {
            struct Item: Decodable {
                struct Content: Decodable { let text: String }
                let id: String
                let position: Int
                let content: Content
            }
            let messages: [Item]
        }
        let token = try String(contentsOfFile: folder + "/hub/tokens/ann.token", encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let config = folder + "/curl.conf"
        try "header = \"Authorization: Bearer \(token)\"\n".write(toFile: config, atomically: true, encoding: .utf8)
        var shown: [Shown] = []
        while true {
            let answer = try await Program.curl.run([
                "--silent", "--show-error", "--fail", "--cacert", folder + "/hub/tls/ca.pem", "--config", config,
                "https://127.0.0.1:\(port)/v1/channels/general/messages?limit=1000&after=\(shown.last?.position ?? 0)",
            ])
            guard answer.status == 0 else { throw Failed(what: "curl", said: answer.errors) }
            let page = try JSONDecoder().decode(Page.self, from: Data(answer.output.utf8)).messages
            guard !page.isEmpty else { return shown }
            shown += page.map { Shown(id: $0.id, position: $0.position, text: $0.content.text) }
        }
    }
}
