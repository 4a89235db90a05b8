import CausewayTestSupport
import Foundation

/// A real hub of its own, over TLS: with the account `ann` and the channel `general`.
struct TestHub {
    let folder: String
    let address: String
    let process: RunningProgram
    private let port: ReservedPort
    private let environment: [String: String]

    var authority: String { folder + "/tls/ca.pem" }
    var tokenFile: String { folder + "/tokens/ann.token" }
    var token: String {
        get throws {
            try String(contentsOfFile: tokenFile, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }

    /// Sets up a hub and runs it.
    static func start(in home: Home) async throws -> TestHub {
        let folder = home.path + "/hub"
        let made = try await Program.hub.run(
            ["init", "--data", folder, "--name", "127.0.0.1", "--account", "ann", "--channel", "general"],
            environment: home.environment)
        guard made.status == 0 else { throw Eventually.TookTooLong(what: made.errors) }
        return try await serve(folder, at: try ReservedPort(), home.environment)
    }

    /// Restarts the hub at its former address.
    func again() async throws -> TestHub {
        try await Self.serve(folder, at: port, environment)
    }

    private static func serve(
        _ folder: String, at port: ReservedPort, _ environment: [String: String]
    ) async throws -> TestHub {
        let listen = "127.0.0.1:\(port.number)"
        let process = try Program.hub.start(["serve", "--data", folder, "--listen", listen], environment: environment)
        let address = "https://\(listen)"
        try await process.says(address)
        return TestHub(folder: folder, address: address, process: process, port: port, environment: environment)
    }
}
