import CausewayTLS
import CausewayTestSupport
import NIOCore
import Synchronization
import Testing

/// Our server with independent clients, and our client with independent servers.
@Suite(.timeLimit(.minutes(10)))
struct OutsideJudgeTests {
    static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"

    @Test(arguments: [["--tlsv1.3"], ["--tlsv1.2", "--tls-max", "1.2"]])
    func curlTrustsOurServer(arguments: [String]) async throws {
        let certificates = try TestCertificates()
        let server = try await Loopback.listen(
            certificates.serverContext(protocols: ["http/1.1"]), answer: .reply(Self.answer))
        let url = "https://localhost:\(server.port)/"
        let common = ["-sS", "-m", "600", "--resolve", "localhost:\(server.port):127.0.0.1"] + arguments
        let output = try await Program.curl.run(common + ["--cacert", certificates.trust, url])
        #expect(output.output == "hello")
        #expect(output.status == 0)
        // Control: without our root it refuses.
        let refused = try await Program.curl.run(common + [url])
        #expect(refused.status == 60)
        try await server.close()
    }

    @Test(arguments: ["-tls1", "-tls1_1"])
    func ourServerRefusesOldVersions(version: String) async throws {
        let certificates = try TestCertificates()
        let server = try await Loopback.listen(certificates.serverContext())
        let lowered = try OpenSSLProgram.client(port: server.port, [version, "-cipher", "ALL:@SECLEVEL=0"])
        #expect(await lowered.finished().status != 0)
        let log = await server.connection().log.wait { $0.isOver }
        guard case .protocolVersion = log.tlsErrors.first else {
            Issue.record("\(log.tlsErrors)")
            return
        }
        try await server.close()
    }

    @Test(arguments: ["AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-SHA", "eNULL", "aNULL"])
    func ourServerRefusesWeakSuites(suite: String) async throws {
        let certificates = try TestCertificates()
        let server = try await Loopback.listen(certificates.serverContext())
        let lowered = try OpenSSLProgram.client(port: server.port, ["-tls1_2", "-cipher", "\(suite):@SECLEVEL=0"])
        #expect(await lowered.finished().status != 0)
        let log = await server.connection().log.wait { $0.isOver }
        guard case .handshake = log.tlsErrors.first else {
            Issue.record("\(log.tlsErrors)")
            return
        }
        try await server.close()
    }

    @Test func ourServerDoesNotRenegotiate() async throws {
        let certificates = try TestCertificates()
        let server = try await Loopback.listen(certificates.serverContext(), answer: .echo)
        let client = try OpenSSLProgram.client(port: server.port, ["-tls1_2", "-CAfile", certificates.trust])
        client.send("echo this first\n")
        // Until the echo has arrived: data that come during a renegotiation are an error to the client.
        try await client.says("echo this first")
        // On a line of its own, it requests a renegotiation.
        client.send("R\n")
        try await client.says("no renegotiation")
        client.closeInput()
        _ = await client.finished()
        try await server.close()
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func theirClientResumesOurSession(version: String) async throws {
        let certificates = try TestCertificates()
        let server = try await Loopback.listen(certificates.serverContext(), answer: .reply(Self.answer))
        let session = certificates.folder.file("session")
        for (arguments, expected) in [(["-sess_out", session], "New, TLS"), (["-sess_in", session], "Reused, TLS")] {
            let client = try OpenSSLProgram.client(
                port: server.port, [version, "-crlf", "-CAfile", certificates.trust] + arguments)
            client.send("GET / HTTP/1.1\n\n")
            let output = await client.finished()
            #expect(output.output.contains(expected), "\(output.output)")
            #expect(output.output.contains("hello"))
        }
        try await server.close()
    }

    /// A stolen ticket key decrypts the tickets that it encrypted, and none of later hours.
    @Test func theKeysOfTicketsAreMadeAnew() async throws {
        let certificates = try TestCertificates()
        let start = ContinuousClock.now
        let hours = Mutex(0)
        let context = try TLSServerContext(
            TLSServerConfiguration(
                certificateChainPath: certificates.server.chain, privateKeyPath: certificates.server.key),
            now: { start + .seconds(hours.withLock { $0 } * TLSLimits.ticketKeySecondsMax) })
        let server = try await Loopback.listen(context, answer: .reply(Self.answer))
        let session = certificates.folder.file("session")
        func connect(_ arguments: [String]) async throws -> String {
            let client = try OpenSSLProgram.client(
                port: server.port, ["-tls1_2", "-crlf", "-CAfile", certificates.trust] + arguments)
            client.send("GET / HTTP/1.1\n\n")
            return await client.finished().output
        }
        /// The name of the key that encrypted the ticket which a client has in the end: its first 16 bytes.
        func key(in output: String) -> Substring? {
            output.split(separator: "\n").drop { !$0.contains("TLS session ticket:") }.dropFirst().first
        }
        let first = try await connect(["-sess_out", session])
        #expect(first.contains("New, TLS"))
        #expect(first.contains("lifetime hint: \(TLSLimits.sessionSecondsMax) (seconds)"))
        let second = try await connect(["-sess_in", session])
        #expect(second.contains("Reused, TLS"))
        let firstKey = try #require(key(in: first))
        #expect(key(in: second) == firstKey)
        // The key that encrypted it encrypts no more, and decrypts for as long again; the client gets another ticket.
        hours.withLock { $0 = 1 }
        let third = try await connect(["-sess_in", session])
        #expect(third.contains("Reused, TLS"))
        #expect(key(in: third) != nil && key(in: third) != firstKey)
        hours.withLock { $0 = 2 }
        #expect(try await connect(["-sess_in", session]).contains("New, TLS"))
        // A renewed session continues, and eventually ends.
        #expect(try await connect(["-sess_out", session]).contains("New, TLS"))
        hours.withLock { $0 = 9 }
        #expect(try await connect(["-sess_in", session]).contains("New, TLS"))
        try await server.close()
    }

    @Test(arguments: [("-tls1_2", "TLSv1.2"), ("-tls1_3", "TLSv1.3")])
    func ourClientResumesTheirSession(version: String, expected: String) async throws {
        let certificates = try TestCertificates()
        let (server, port) = try await OpenSSLProgram.server(
            ["-cert", certificates.server.chain, "-key", certificates.server.key, "-rev", version])
        defer { server.kill() }
        let context = try certificates.client()
        for resumed in [false, true, true] {
            let client = try await Loopback.connect(context, port: port, early: "abc\n")
            let log = await client.log.wait { $0.text == "cba\n" || $0.isOver }
            #expect(log.text == "cba\n", "\(log) \(server.text)")
            #expect(log.completed?.protocolVersion == expected)
            #expect(log.completed?.resumed == resumed)
            try await client.close()
        }
    }

    @Test func aKilledServerIsTruncation() async throws {
        let certificates = try TestCertificates()
        let (server, port) = try await OpenSSLProgram.server([
            "-cert", certificates.server.chain, "-key", certificates.server.key,
        ])
        defer { server.kill() }
        let client = try await Loopback.connect(certificates.client(), port: port, early: "hello\n")
        try await server.says("hello")
        server.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nonly this\n")
        await client.log.wait { $0.text.contains("only this") }
        server.kill()
        let log = await client.log.wait { $0.isOver }
        #expect(log.tlsErrors == [.truncated])
    }

    @Test func theirServerEndsCleanly() async throws {
        let certificates = try TestCertificates()
        let (server, port) = try await OpenSSLProgram.server(
            ["-cert", certificates.server.chain, "-key", certificates.server.key, "-www"])
        defer { server.kill() }
        let client = try await Loopback.connect(certificates.client(), port: port, early: "GET / HTTP/1.0\r\n\r\n")
        let log = await client.log.wait { $0.isOver }
        #expect(log.text.contains("</HTML>") || log.text.contains("</pre>"), "\(log.text.suffix(200))")
        #expect(log.tlsErrors.isEmpty)
    }

    @Test func keyUpdatesAreAnswered() async throws {
        let certificates = try TestCertificates()
        let server = try await Loopback.listen(certificates.serverContext(), answer: .echo)
        let client = try OpenSSLProgram.client(port: server.port, ["-tls1_3", "-CAfile", certificates.trust])
        defer { client.kill() }
        client.send("before\n")
        try await client.says("before")
        // As a read of its own, it requests new keys in both directions.
        client.send("K\n")
        try await client.says("KEYUPDATE")
        client.send("with new keys\n")
        try await client.says("with new keys")
        #expect(await server.connection().log.value.text == "before\nwith new keys\n")
        try await server.close()
    }
}
