import CausewayHub
import CausewayHubSQLite
import CausewayModels
import CausewayTestSupport
import CausewayWire
import Foundation
import Testing

/// The hub over TLS with independent clients: curl and OpenSSL's own client.
@Suite struct SecureHubTests {
    private static func running<Value: Sendable>(
        _ body: @Sendable (DataFolder, Int) async throws -> Value
    ) async throws -> Value {
        let temporary = try TemporaryFolder()
        let folder = DataFolder(temporary.path)
        _ = try await HubSetup(
            folder: folder, names: ["localhost", "127.0.0.1"], account: "me", channel: "general"
        ).run(opening: SQLiteHubStorage.open)
        return try await HubService.running(
            HubConfiguration.secure(folder).patient, opening: SQLiteHubStorage.open, logger: HubFixture.logger
        ) { hub in
            #expect(try await hub.address().hasPrefix("https://127.0.0.1:"))
            return try await body(folder, try await hub.port())
        }
    }

    /// The token is in a file, because other users can see arguments.
    private static func curl(_ folder: DataFolder, _ arguments: [String]) async throws -> Program.Outcome {
        let header = folder.path + "/authorization"
        let token = try HubFixture.token(in: folder)
        try "Authorization: Bearer \(token)\n".write(toFile: header, atomically: true, encoding: .utf8)
        return try await Program.curl.run(["-sS", "-m", "600", "-H", "@\(header)"] + arguments)
    }

    @Test func aWholeVisitWithCurl() async throws {
        try await Self.running { folder, port in
            let base = "https://localhost:\(port)"
            let body = folder.path + "/body.json"
            let operations = (1...500).map { send(Int64($0)) }
            try Data(HubClient.coded(delivery(operations))).write(to: URL(fileURLWithPath: body))
            let ca = ["--cacert", folder.authorityCertificate]
            let sent = try await Self.curl(
                folder,
                ca + ["-H", "Content-Type: application/json", "--data-binary", "@\(body)", base + "/v1/deliveries"])
            #expect(sent.status == 0, "\(sent.errors)")
            #expect(try JSONDecoder().decode(WireReport.self, from: Data(sent.output.utf8)).mark == 500)
            let page = try await Self.curl(folder, ca + [base + "/v1/channels/general/messages?limit=1000"])
            let messages = try JSONDecoder().decode(WirePage.self, from: Data(page.output.utf8)).messages
            #expect(messages.map(\.position) == Array(1...500))
            let byAddress = try await Self.curl(folder, ca + ["https://127.0.0.1:\(port)/v1/session"])
            #expect(byAddress.output.contains(#""user":"me""#))
        }
    }

    @Test func manyClientsAtOnce() async throws {
        try await Self.running { folder, port in
            try await withThrowingTaskGroup(of: Program.Outcome.self) { group in
                for _ in 0..<16 {
                    group.addTask {
                        try await Program.curl.run([
                            "-sS", "-m", "600", "--cacert", folder.authorityCertificate,
                            "https://localhost:\(port)/healthz", "https://localhost:\(port)/healthz",
                        ])
                    }
                }
                for try await result in group {
                    #expect(result.status == 0, "\(result.errors)")
                    #expect(result.output == #"{"status":"ok"}{"status":"ok"}"#)
                }
            }
        }
    }

    @Test func whoDoesNotTrustTheAuthorityGetsNothing() async throws {
        try await Self.running { folder, port in
            let stranger = try await Self.curl(folder, ["https://localhost:\(port)/healthz"])
            #expect(stranger.status == 60)
            #expect(stranger.output.isEmpty)
            let wrongName = try await Self.curl(
                folder,
                [
                    "--cacert", folder.authorityCertificate, "--resolve", "other.example:\(port):127.0.0.1",
                    "https://other.example:\(port)/healthz",
                ])
            #expect(wrongName.status == 60)
        }
    }

    @Test func plainHTTPIsNotAnswered() async throws {
        try await Self.running { folder, port in
            let plain = try await Self.curl(folder, ["http://localhost:\(port)/healthz"])
            #expect(plain.status != 0)
            #expect(plain.output.isEmpty)
        }
    }

    @Test func oldVersionsOfTLSAreRefused() async throws {
        try await Self.running { folder, port in
            let base = ["s_client", "-connect", "127.0.0.1:\(port)", "-CAfile", folder.authorityCertificate, "-brief"]
            let old = try await Program.openssl.run(base + ["-tls1_1", "-cipher", "DEFAULT:@SECLEVEL=0"])
            #expect(old.status != 0)
            for version in ["-tls1_2", "-tls1_3"] {
                let new = try await Program.openssl.run(base + [version])
                #expect(new.status == 0, "\(new.errors)")
                #expect(new.errors.contains("Verification: OK"))
            }
        }
    }

    @Test func aPlainHubOnAnOpenAddressIsRefused() async throws {
        let temporary = try TemporaryFolder()
        let folder = DataFolder(temporary.path)
        try await HubFixture.prepare(folder)
        for host in ["0.0.0.0", "::", "127.0.0.1.example", "192.168.0.1", "hub.example"] {
            let configuration = HubConfiguration(folder: folder, host: host, security: .plainOnLoopback)
            await #expect(throws: HubError.self, "\(host)") {
                try await HubService(configuration, opening: SQLiteHubStorage.open, logger: HubFixture.logger)
            }
        }
    }
}
