import Foundation

/// A real hub of its own, over TLS: with the account `ann` and the channel `general`.
struct TestHub {
    let folder: String
    let address: String
    let process: RunningProgram
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
            home.environment)
        guard made.status == 0 else { throw TookTooLong(what: made.errors) }
        return try await serve(folder, at: "127.0.0.1:0", home.environment)
    }

    /// Runs it again where it was.
    func again() async throws -> TestHub {
        try await Self.serve(folder, at: String(address.dropFirst("https://".count)), environment)
    }

    private static func serve(
        _ folder: String, at listen: String, _ environment: [String: String]
    ) async throws -> TestHub {
        let process = try RunningProgram(.hub, ["serve", "--data", folder, "--listen", listen], environment)
        try await process.says("https://127.0.0.1:")
        let address = process.logText.firstMatch(of: /https:\/\/127\.0\.0\.1:[1-9][0-9]*/).map { String($0.output) }
        return TestHub(folder: folder, address: address ?? "", process: process, environment: environment)
    }
}
