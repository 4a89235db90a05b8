import CausewayTLS
import CausewayTestSupport
import NIOCore
import Testing

/// Our client against our server over loopback.
@Suite(.timeLimit(.minutes(10)))
struct HandshakeTests {
    @Test(
        arguments: [
            (["http/1.1"], ["http/1.1"], "http/1.1"),
            (["h2", "http/1.1"], ["http/1.1"], "http/1.1"),
            (["a", "b"], ["b", "a"], "b"),
            ([], ["http/1.1"], nil),
            (["http/1.1"], [], nil),
            ([], [], nil),
        ] as [([String], [String], String?)])
    func applicationProtocolIsAgreed(offered: [String], served: [String], agreed: String?) async throws {
        let certificates = try TestCertificates()
        let server = try await Loopback.listen(certificates.serverContext(protocols: served))
        let client = try await Loopback.connect(certificates.client(protocols: offered), port: server.port)
        let seen = await client.log.wait { $0.completed != nil }.completed
        let served = await server.connection().log.wait { $0.completed != nil }.completed
        #expect(seen?.negotiatedProtocol == agreed)
        #expect(served?.negotiatedProtocol == agreed)
        #expect(seen?.protocolVersion == "TLSv1.3")
        try await client.close()
        try await server.close()
    }

    @Test func noCommonApplicationProtocolIsAnError() async throws {
        let certificates = try TestCertificates()
        let server = try await Loopback.listen(certificates.serverContext(protocols: ["h2"]))
        let client = try await Loopback.connect(certificates.client(protocols: ["http/1.1"]), port: server.port)
        let error = await client.log.wait { $0.isOver }.tlsErrors.first
        #expect("\(try #require(error))".contains("ALPN"))
        let served = await server.connection().log.wait { $0.isOver }.tlsErrors.first
        #expect("\(try #require(served))".contains("ALPN"))
        try await server.close()
    }

    @Test(arguments: [("localhost", "localhost"), ("a.example.test", "a.example.test"), ("127.0.0.1", nil)])
    func serverNameIsSentForNamesOnly(name: String, sent: String?) async throws {
        let certificates = try TestCertificates()
        let server = try await Loopback.listen(certificates.serverContext())
        let client = try await Loopback.connect(certificates.client(), port: server.port, serverName: name)
        let served = await server.connection().log.wait { $0.completed != nil }.completed
        #expect(served?.serverName == sent)
        let seen = await client.log.wait { $0.completed != nil }.completed
        #expect(seen?.peerCertificateSubject == "CN=localhost")
        try await client.close()
        try await server.close()
    }

    @Test func theSecondConnectionResumesTheFirst() async throws {
        let certificates = try TestCertificates()
        let server = try await Loopback.listen(certificates.serverContext(), answer: .echo)
        let context = try certificates.client()
        var resumed: [Bool?] = []
        for index in 0..<4 {
            // A separate client context shares no session.
            let own = index == 3 ? try certificates.client() : context
            let client = try await Loopback.connect(own, port: server.port, early: "ping")
            let log = await client.log.wait { $0.text == "ping" }
            resumed.append(log.completed?.resumed)
            #expect(log.completed?.peerCertificateSubject == "CN=localhost")
            let served = await server.connection(index).log.wait { $0.completed != nil }.completed
            #expect(served?.resumed == log.completed?.resumed)
            try await client.close()
        }
        #expect(resumed == [false, true, true, false])
        try await server.close()
    }

    @Test func aSessionIsNotResumedForAnotherName() async throws {
        let certificates = try TestCertificates()
        let server = try await Loopback.listen(certificates.serverContext(), answer: .echo)
        let context = try certificates.client()
        for (index, name) in ["localhost", "a.example.test", "127.0.0.1"].enumerated() {
            let client = try await Loopback.connect(context, port: server.port, serverName: name, early: "ping")
            let log = await client.log.wait { $0.text == "ping" }
            #expect(log.completed?.resumed == false, "\(index)")
            try await client.close()
        }
        try await server.close()
    }

    @Test func resumptionSurvivesAConnectionThatWasCut() async throws {
        let certificates = try TestCertificates()
        let context = try certificates.client()
        let server = try await Loopback.listen(certificates.serverContext(), answer: .echo)
        for (index, expected) in [false, true].enumerated() {
            let client = try await Loopback.connect(context, port: server.port, early: "ping")
            let log = await client.log.wait { $0.text == "ping" }
            #expect(log.completed?.resumed == expected)
            // Below our handler: nothing is sent to the peer.
            let peer = await server.connection(index)
            try await peer.channel.eventLoop.submit {
                try peer.channel.pipeline.syncOperations.context(handlerType: TLSHandler.self).close(promise: nil)
            }.get()
            await client.log.wait { $0.isOver }
        }
        try await server.close()
    }

    // MARK: Client certificates

    @Test func aClientThatShowsItsCertificateIsAdmitted() async throws {
        let certificates = try TestCertificates()
        let identity = try certificates.folder.write(
            certificates.root.issueClient(commonName: "device 7", validDays: 2), as: "client")
        let server = try await Loopback.listen(
            certificates.serverContext(clientAuthorities: certificates.trust), answer: .echo)
        let context = try certificates.client(identity: identity)
        for expected in [false, true] {
            let client = try await Loopback.connect(context, port: server.port, early: "ping")
            let log = await client.log.wait { $0.text == "ping" || $0.isOver }
            #expect(log.text == "ping")
            #expect(log.completed?.resumed == expected)
            let served = await server.connection(expected ? 1 : 0).log.wait { $0.completed != nil }.completed
            #expect(served?.peerCertificateSubject == "CN=device 7")
            try await client.close()
        }
        try await server.close()
    }

    @Test func aClientWithoutCertificateIsToldSo() async throws {
        let certificates = try TestCertificates()
        let server = try await Loopback.listen(certificates.serverContext(clientAuthorities: certificates.trust))
        let client = try await Loopback.connect(certificates.client(), port: server.port, early: "application-secret")
        // With TLS 1.3 the client's handshake completes before the server's verdict; only the server's alert counts.
        let judged = await server.connection().log.wait { $0.isOver || $0.completed != nil }
        try #require(judged.completed == nil)
        let seen = await client.log.wait { $0.isOver }
        #expect("\(try #require(seen.tlsErrors.first))".contains("client certificate"))
        let served = await server.connection().log.wait { $0.isOver }
        #expect("\(try #require(served.tlsErrors.first))".contains("sent no certificate"))
        #expect(served.received.isEmpty)
        #expect(served.completed == nil)
        try await server.close()
    }

    @Test(arguments: ["of a stranger", "for servers", "expired"])
    func aClientWithTheWrongCertificateIsToldSo(kind: String) async throws {
        let certificates = try TestCertificates()
        let stranger = try CertificateAuthority.create(commonName: "Stranger", validDays: 2)
        let issued =
            switch kind {
            case "of a stranger": try stranger.issueClient(commonName: "device 7", validDays: 2)
            case "for servers": try certificates.root.issueServer(names: ["device.example"], validDays: 2)
            default:
                try certificates.root.issue(
                    BadServer.options {
                        $0.purpose = .client
                        $0.startsInSeconds = -7200
                        $0.endsInSeconds = -60
                    })
            }
        let identity = try certificates.folder.write(issued, as: "client")
        let server = try await Loopback.listen(certificates.serverContext(clientAuthorities: certificates.trust))
        let client = try await Loopback.connect(
            certificates.client(identity: identity), port: server.port, early: "application-secret")
        // With TLS 1.3 the client's handshake completes before the server's verdict; only the server's alert counts.
        let judged = await server.connection().log.wait { $0.isOver || $0.completed != nil }
        try #require(judged.completed == nil)
        let seen = await client.log.wait { $0.isOver }
        guard case .refusedByPeer = seen.tlsErrors.first else {
            Issue.record("\(seen)")
            return
        }
        let served = await server.connection().log.wait { $0.isOver }
        guard case .certificate(let problem, _) = served.tlsErrors.first else {
            Issue.record("\(served)")
            return
        }
        let expected: [String: CertificateProblem] = [
            "of a stranger": .unknownAuthority, "for servers": .wrongUsage, "expired": .expired,
        ]
        #expect(problem == expected[kind])
        #expect(served.received.isEmpty)
        try await server.close()
    }

    // MARK: Ends

    @Test func aCleanEndIsNoError() async throws {
        let certificates = try TestCertificates()
        let server = try await Loopback.listen(certificates.serverContext(), answer: .reply("bye"))
        let client = try await Loopback.connect(certificates.client(), port: server.port, early: "x\r\n\r\n")
        let log = await client.log.wait { $0.isOver }
        #expect(log.entries == [.secured, .bytes, .inactive])
        #expect(log.text == "bye")
        #expect(await server.connection().log.wait { $0.isOver }.entries == [.secured, .bytes, .inactive])
        try await server.close()
    }

    @Test func aCutIsTruncation() async throws {
        let certificates = try TestCertificates()
        let server = try await Loopback.listen(certificates.serverContext(), answer: .echo)
        let client = try await Loopback.connect(certificates.client(), port: server.port, early: "half of it")
        await client.log.wait { $0.text == "half of it" }
        let peer = await server.connection()
        try await peer.channel.eventLoop.submit {
            try peer.channel.pipeline.syncOperations.context(handlerType: TLSHandler.self).close(promise: nil)
        }.get()
        let log = await client.log.wait { $0.isOver }
        #expect(log.entries == [.secured, .bytes, .error(.truncated), .inactive])
        try await server.close()
    }

    @Test func aConnectionMayEndInHalves() async throws {
        let certificates = try TestCertificates()
        let server = try await Loopback.listen(certificates.serverContext(), halfClosure: true)
        let client = try await Loopback.connect(certificates.client(), port: server.port, halfClosure: true)
        try await client.send("question")
        try await client.channel.close(mode: .output)
        let peer = await server.connection()
        let asked = await peer.log.wait { $0.entries.contains(.inputClosed) }
        #expect(asked.entries == [.secured, .bytes, .inputClosed])
        await #expect(throws: ChannelError.outputClosed) { try await client.send("too late") }
        try await peer.send("answer")
        try await peer.close()
        let log = await client.log.wait { $0.isOver }
        #expect(log.text == "answer")
        #expect(log.tlsErrors.isEmpty)
        #expect(await peer.log.wait { $0.isOver }.tlsErrors.isEmpty)
        try await server.close()
    }

    @Test func aServerThatIsSpokenToInPlainTextSaysSo() async throws {
        let certificates = try TestCertificates()
        let server = try await Loopback.listen(certificates.serverContext())
        let curl = try await Program.curl.run(["-s", "-m", "600", "http://127.0.0.1:\(server.port)/"])
        #expect(curl.status != 0)
        let log = await server.connection().log.wait { $0.isOver }
        #expect("\(try #require(log.tlsErrors.first))".contains("plain HTTP"))
        try await server.close()
    }
}
