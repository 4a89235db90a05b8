import CausewayTestSupport
import Foundation

/// Two hosts, each a network namespace, joined by one link: a hub on the one, a daemon on the other. Needs root.
struct LinkedHosts: Sendable {
    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    private static let ip = Program(path: "/usr/sbin/ip")
    private static let serverAddress = "10.78.0.1"
    private static let clientAddress = "10.78.0.2"
    private static let server = "https://\(serverAddress):8443"

    private let files: TemporaryFolder
    private var folder: String { files.path }
    private let serverHost: String
    private let clientHost: String

    /// Runs a scenario with both programs running and an account logged in; removes everything after it.
    static func run(_ body: (LinkedHosts) async throws -> Void) async throws {
        let name = "causeway-\(UUID().uuidString.prefix(8))"
        let hosts = LinkedHosts(
            files: try TemporaryFolder(.short), serverHost: "\(name)-s", clientHost: "\(name)-c")
        var programs: [RunningProgram] = []
        var problem: (any Error)?
        do {
            try await hosts.connect()
            try await hosts.startPrograms(&programs)
            try await body(hosts)
        } catch {
            problem = error
        }
        for program in programs { await program.stop(SIGKILL) }
        for host in [hosts.serverHost, hosts.clientHost] { _ = try? await ip.run(["netns", "delete", host]) }
        if let problem { throw problem }
    }

    /// Sets the client's end of the link up or down.
    func setLink(up isUp: Bool) async throws {
        try await Self.ip(["-n", clientHost, "link", "set", "link0", isUp ? "up" : "down"])
    }

    func causeway(_ arguments: String..., input: String = "") async throws -> Program.Outcome {
        try await Program.causeway.run(arguments, environment: environment, input: input)
    }

    /// The texts of the channel in the hub's order, read on the hub's own host.
    func textsOnTheHub() async throws -> [String] {
        struct Page: Decodable {
            struct Item: Decodable {
                struct Content: Decodable { let text: String }
                let content: Content
            }
            let messages: [Item]
        }
        let token = try String(contentsOfFile: tokenFile, encoding: .utf8).trimmingCharacters(in: .newlines)
        let config = folder + "/curl.conf"
        try "header = \"Authorization: Bearer \(token)\"\n".write(toFile: config, atomically: true, encoding: .utf8)
        let done = try await Self.ip.run([
            "netns", "exec", serverHost, Program.curl.path, "--silent", "--show-error", "--fail", "--cacert",
            folder + "/hub/tls/ca.pem", "--config", config,
            "\(Self.server)/v1/channels/general/messages?limit=1000&after=0",
        ])
        guard done.status == 0 else { throw Failed(description: "curl: \(done.errors)") }
        return try JSONDecoder().decode(Page.self, from: Data(done.output.utf8)).messages.map(\.content.text)
    }

    // MARK: - Making

    private var tokenFile: String { folder + "/hub/tokens/ann.token" }

    private var environment: [String: String] {
        [
            "CAUSEWAY_STORE": folder + "/store", "CAUSEWAY_SOCKET": folder + "/run/c.sock",
            "CAUSEWAY_CONFIG": folder + "/config.json", "CAUSEWAY_CA": folder + "/hub/tls/ca.pem",
        ]
    }

    private static func ip(_ arguments: [String]) async throws {
        let done = try await ip.run(arguments)
        guard done.status == 0 else {
            throw Failed(description: "ip \(arguments.joined(separator: " ")): \(done.errors)")
        }
    }

    private func connect() async throws {
        for host in [serverHost, clientHost] {
            try await Self.ip(["netns", "add", host])
            try await Self.ip(["-n", host, "link", "set", "lo", "up"])
        }
        try await Self.ip([
            "-n", serverHost, "link", "add", "link0", "type", "veth", "peer", "name", "link0", "netns", clientHost,
        ])
        for (host, address) in [(serverHost, Self.serverAddress), (clientHost, Self.clientAddress)] {
            try await Self.ip(["-n", host, "addr", "add", address + "/30", "dev", "link0"])
            try await Self.ip(["-n", host, "link", "set", "link0", "up"])
        }
    }

    private func startPrograms(_ programs: inout [RunningProgram]) async throws {
        try "{}".write(toFile: folder + "/config.json", atomically: false, encoding: .utf8)
        let made = try await Program.hub.run([
            "init", "--data", folder + "/hub", "--name", Self.serverAddress, "--account", "ann", "--channel",
            "general",
        ])
        guard made.status == 0 else { throw Failed(description: "causeway-hub init: \(made.errors)") }
        let log = folder + "/hub.log"
        let hub = try Self.ip.start(
            [
                "netns", "exec", serverHost, Program.hub.path, "serve", "--data", folder + "/hub", "--listen",
                "\(Self.serverAddress):8443",
            ], errors: .file(log))
        programs.append(hub)
        try await Eventually.holds("the hub listens") {
            let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
            guard !hub.isOver else { throw Failed(description: "the hub ended: \(text)") }
            return text.contains("listening")
        }
        let daemon = try Self.ip.start(
            ["netns", "exec", clientHost, Program.causewayd.path, "--restart", "resume"], environment: environment,
            errors: .file(folder + "/daemon.log"))
        programs.append(daemon)
        try await Eventually.holds("the daemon responds") {
            guard !daemon.isOver else { throw Failed(description: "the daemon ended") }
            return try await causeway("status").status == 0
        }
        let login = try await causeway("login", Self.server, "--token-file", tokenFile)
        guard login.status == 0 else { throw Failed(description: "causeway login: \(login.errors)") }
    }
}
