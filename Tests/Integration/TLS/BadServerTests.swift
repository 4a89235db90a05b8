import CausewayTLS
import CausewayTestSupport
import NIOCore
import Testing

/// Every bad server is a real `openssl s_server`. An `openssl s_client` with a lowered security level reaches it and
/// gets a byte through, so that a refusal is due to our side and not to a server that was never there.
@Suite(.timeLimit(.minutes(10)))
struct BadServerTests {
    @Test(arguments: BadServer.certificates + BadServer.protocols)
    func isRefusedBeforeTheFirstByte(_ bad: BadServer) async throws {
        let certificates = try TestCertificates()
        let identity = try bad.identity?(certificates)
        let files = identity.map { ["-cert", $0.chain, "-cert_chain", $0.chain, "-key", $0.key] } ?? []
        let (server, port) = try await OpenSSLProgram.server(files + bad.serverArguments)
        defer { server.kill() }

        let connection = try await Loopback.connect(
            certificates.client(), port: port, serverName: bad.serverName, early: "application-secret\n")
        var log = await connection.log.wait { $0.isOver || $0.completed != nil }
        try #require(log.completed == nil)
        log = await connection.log.wait { $0.isOver }
        let error = try #require(log.tlsErrors.first)
        #expect(bad.verdict.matches(error), "\(error)")
        #expect(log.tlsErrors.count == 1)
        #expect(log.received.isEmpty)

        // The control comes second: its byte shows that the server has printed everything before it.
        let control = try OpenSSLProgram.client(port: port, bad.lowered)
        control.send("control-marker\n")
        try await server.says("control-marker")
        #expect(!server.text.contains("application-secret"))
    }

    @Test func whatACertificateSaysIsEscaped() async throws {
        let certificates = try TestCertificates()
        // A DNS name: "evil", ESC, "[31m", U+202E, ".test".
        let hostile = BadServer.options {
            $0.rawAlternativeNames = "DER:30:13:82:11:65:76:69:6c:1b:5b:33:31:6d:e2:80:ae:2e:74:65:73:74"
        }
        let files = try certificates.folder.write(certificates.root.issue(hostile), as: "hostile")
        let server = try await Loopback.listen(
            TLSServerContext(TLSServerConfiguration(certificateChainPath: files.chain, privateKeyPath: files.key)))
        let connection = try await Loopback.connect(certificates.client(), port: server.port, early: "x")
        let log = await connection.log.wait { $0.isOver }
        let text = "\(try #require(log.tlsErrors.first))"
        #expect(text.contains(#"evil\u{1b}[31m\u{202e}.test"#))
        #expect(!text.unicodeScalars.contains("\u{1B}") && !text.unicodeScalars.contains("\u{202E}"))
        try await server.close()
    }

    @Test func textOfACertificateIsShort() throws {
        let certificates = try TestCertificates()
        let files = try certificates.folder.write(
            certificates.root.issueServer(names: (0..<100).map { "name\($0).example" }, validDays: 2), as: "names")
        let pair = try BackToBack(certificates, server: certificates.serverContext(files))
        try pair.exchange()
        let text = "\(try #require(pair.clientLog.value.tlsErrors.first))"
        #expect(text.contains("name1.example") && text.contains("…"))
        #expect(text.utf8.count < 2 * TLSLimits.certificateTextBytesMax)
    }

    @Test func aSoundServerIsAccepted() async throws {
        let certificates = try TestCertificates()
        let arguments = ["-cert", certificates.server.chain, "-key", certificates.server.key]
        let (server, port) = try await OpenSSLProgram.server(arguments)
        defer { server.kill() }
        for name in ["localhost", "LOCALHOST.", "127.0.0.1", "a.example.test"] {
            let connection = try await Loopback.connect(
                certificates.client(), port: port, serverName: name, early: "hello \(name)\n")
            try await server.says("hello \(name)\n")
            #expect(connection.log.value.tlsErrors.isEmpty)
            try await connection.close()
        }
    }

    @Test func aChainThroughAnIntermediateIsAccepted() async throws {
        let certificates = try TestCertificates()
        let middle = try certificates.root.issueAuthority(BadServer.authority("Intermediate"))
        let files = try certificates.folder.write(middle.issue(BadServer.options()), as: "linked")
        let (server, port) = try await OpenSSLProgram.server(
            ["-cert", files.chain, "-cert_chain", files.chain, "-key", files.key])
        defer { server.kill() }
        let connection = try await Loopback.connect(certificates.client(), port: port, early: "through\n")
        try await server.says("through")
        try await connection.close()
    }

    @Test func aServerThatSpeaksPlainTextIsRefused() async throws {
        let certificates = try TestCertificates()
        let server = try await Loopback.listen(nil, answer: .echo)
        let connection = try await Loopback.connect(
            certificates.client(), port: server.port, early: "application-secret")
        let log = await connection.log.wait { $0.isOver }
        guard case .handshake = log.tlsErrors.first else {
            Issue.record("\(log.tlsErrors)")
            return
        }
        let seen = await server.connection().log.wait { $0.isOver }
        #expect(!seen.received.isEmpty)
        #expect(!seen.text.contains("application-secret"))
        try await server.close()
    }

    @Test func theSystemsStoreDoesNotTrustOurRoot() async throws {
        let certificates = try TestCertificates()
        let server = try await Loopback.listen(certificates.serverContext())
        let connection = try await Loopback.connect(
            TLSClientContext(TLSClientConfiguration()), port: server.port, early: "application-secret")
        let log = await connection.log.wait { $0.isOver || $0.completed != nil }
        // Public authorities never issue from their root.
        guard case .certificate(.missingIntermediate, _) = log.tlsErrors.first else {
            Issue.record("\(log.tlsErrors)")
            return
        }
        // The server learns the reason.
        let seen = await server.connection().log.wait { $0.isOver }
        guard case .refusedByPeer = seen.tlsErrors.first else {
            Issue.record("\(seen.tlsErrors)")
            return
        }
        #expect(seen.received.isEmpty)
        try await server.close()
    }
}

extension BadServer.Verdict {
    func matches(_ error: TLSError) -> Bool {
        switch (self, error) {
        case (.certificate(let expected), .certificate(let problem, _)): expected == problem
        case (.protocolVersion, .protocolVersion), (.handshake, .handshake): true
        default: false
        }
    }
}
