import CausewayTestSupport
import Foundation
import Testing

/// A hub, a daemon and command lines as real processes, in a folder of their own.
actor ProcessWorld {
    nonisolated let folder: String
    private var hub: RunningProgram?
    private var daemon: RunningProgram?
    private var port = 0

    private init(_ folder: String) { self.folder = folder }

    /// Runs a story with a hub that has the account `ann` and the channel `general`; ends all processes after it.
    static func run(_ story: (ProcessWorld) async throws -> Void) async throws {
        // A socket's path must be short.
        let folder = "/tmp/cw-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let world = ProcessWorld(folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try "{}".write(toFile: folder + "/config.json", atomically: false, encoding: .utf8)
        let made = try await BuiltProgram("causeway-hub").run(
            ["init", "--data", folder + "/hub", "--name", "127.0.0.1", "--account", "ann", "--channel", "general"])
        try #require(made.status == 0, "\(made.errors)")
        do {
            try await story(world)
        } catch {
            await world.endAll()
            throw error
        }
        await world.endAll()
    }

    nonisolated var environment: [String: String] {
        [
            "CAUSEWAY_STORE": folder + "/store", "CAUSEWAY_SOCKET": folder + "/run/c.sock",
            "CAUSEWAY_CONFIG": folder + "/config.json", "CAUSEWAY_CA": folder + "/hub/tls/ca.pem",
            "CAUSEWAY_SETTLING_TIME": "50ms",
        ]
    }

    func startHub() async throws {
        let log = folder + "/hub.log"
        try Data().write(to: URL(fileURLWithPath: log))
        let hub = try BuiltProgram("causeway-hub").start(
            ["serve", "--data", folder + "/hub", "--listen", "127.0.0.1:\(port)"], errors: log)
        self.hub = hub
        try await RealWorld.until("the hub listens") {
            let said = try String(contentsOfFile: log, encoding: .utf8)
            guard !hub.isOver else { throw Failed(what: "the hub", said: said) }
            guard let range = said.range(of: "https://127\\.0\\.0\\.1:[0-9]+", options: .regularExpression),
                let found = Int(said[range].split(separator: ":")[2])
            else { return false }
            port = found
            return true
        }
    }

    func startDaemon(restart: String = "resume") async throws {
        let log = folder + "/daemon.log"
        let daemon = try BuiltProgram("causewayd").start(
            ["--restart", restart], environment: environment, errors: log)
        self.daemon = daemon
        try await RealWorld.until("the daemon answers") {
            guard !daemon.isOver else {
                throw Failed(what: "the daemon", said: try String(contentsOfFile: log, encoding: .utf8))
            }
            return FileManager.default.fileExists(atPath: folder + "/run/c.sock")
        }
    }

    func endHub(_ signal: Int32 = SIGTERM) async {
        await hub?.end(signal)
        hub = nil
    }

    func endDaemon(_ signal: Int32 = SIGTERM) async {
        await daemon?.end(signal)
        daemon = nil
    }

    private func endAll() async {
        await endDaemon(SIGKILL)
        await endHub(SIGKILL)
    }

    struct Failed: Error {
        let what: String
        let said: String
    }

    /// Runs the command line.
    nonisolated func causeway(_ arguments: String..., input: String = "") async throws -> BuiltProgram.Result {
        try await BuiltProgram("causeway").run(arguments, environment: environment, input: input)
    }

    func login() async throws {
        let done = try await causeway(
            "login", "https://127.0.0.1:\(port)", "--token-file", folder + "/hub/tokens/ann.token")
        try #require(done.status == 0, "\(done.errors)")
    }

    /// How many messages are not on the hub, as the daemon says.
    nonisolated func undelivered() async throws -> Int {
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
        try #require(said.status == 0, "\(said.errors)")
        let counts = try JSONDecoder().decode(Status.self, from: Data(said.output.utf8)).counts
        return counts.created + counts.uploading + counts.syncing + counts.error
    }

    /// The texts that the hub holds, in its order, read by curl over TLS.
    func textsOnTheHub() async throws -> [String] {
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
        var texts: [String] = []
        var position = 0
        while true {
            let answer = try await BuiltProgram(path: "/usr/bin/curl").run([
                "--silent", "--show-error", "--fail", "--cacert", folder + "/hub/tls/ca.pem", "--config", config,
                "https://127.0.0.1:\(port)/v1/channels/general/messages?limit=1000&after=\(position)",
            ])
            try #require(answer.status == 0, "\(answer.errors)")
            let page = try JSONDecoder().decode(Page.self, from: Data(answer.output.utf8)).messages
            guard let last = page.last else { return texts }
            texts += page.map(\.content.text)
            position = last.position
        }
    }
}
