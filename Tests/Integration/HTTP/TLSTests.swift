import CausewayHTTP
import CausewayTLS
import CausewayTestSupport
import HTTPTypes
import NIOCore
import Testing

/// Requests over real TLS, and the errors if it cannot be established.
@Suite struct TLSTests {
    static let forever = Duration.seconds(600)

    /// A TLS server for `127.0.0.1` and a client that trusts it, unless configured otherwise.
    private func withServer(
        certificateFor name: String = "127.0.0.1", trusted: Bool = true, timeouts: HTTPTimeouts = .unhurried,
        script: @escaping @Sendable (ScriptedConnection) async throws -> Void,
        body: (HTTPClient) async throws -> Void
    ) async throws {
        let certificates = try TestCertificates()
        let trust = try trusted ? certificates.client() : TestCertificates().client()
        try await ScriptedServer.run(tls: try certificates.serverContext(for: name), script: script) { port in
            let endpoint = try HTTPEndpoint.tcp(host: "127.0.0.1", port: port, tls: true)
            try await withClient(of: endpoint, tls: trust, timeouts: timeouts, body: body)
        }
    }

    @Test func oneConnectionCarriesManyRequests() async throws {
        let log = Log()
        try await withServer { connection in
            log.add("connected")
            while let request = try await connection.readRequest() {
                let size = request.utf8.count
                try await connection.write(
                    "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n\(String(repeating: "a", count: size))")
            }
        } body: { client in
            for size in [0, 1, 16 * 1024, 3 * 1024 * 1024, 10] {
                let response = try await client.post("/", String(repeating: "b", count: size))
                #expect(response.body.readableBytes > size)
                #expect(response.body.readableBytes < size + 200)
            }
        }
        #expect(log.lines == ["connected"])
    }

    @Test(arguments: [("127.0.0.1", false), ("127.0.0.2", true), ("localhost", true)])
    func aServerThatIsNotTrustedGetsNothing(name: String, trusted: Bool) async throws {
        let log = Log()
        try await withServer(certificateFor: name, trusted: trusted) { connection in
            if try await connection.readRequest() != nil { log.add("request") }
        } body: { client in
            let error = try await client.failure(of: .post)
            guard case .tls(.certificate, requestSent: false) = error else {
                Issue.record("\(error.kind)")
                return
            }
            #expect(!error.mayHaveReachedServer)
        }
        #expect(log.lines.isEmpty)
    }

    @Test func withoutTrustNothingIsSentAndNeverInPlainText() async throws {
        let log = Log()
        try await ScriptedServer.run { connection in
            if try await connection.readRequest() != nil { log.add("request") }
        } body: { port in
            let endpoint = try HTTPEndpoint.tcp(host: "127.0.0.1", port: port, tls: true)
            try await withClient(of: endpoint) { client in
                let kind = try await client.failure(of: .post).kind
                #expect(kind == "tls(false)")
            }
        }
        #expect(log.lines.isEmpty)
    }

    @Test(arguments: [
        ("HTTP/1.1 400 Bad Request\r\n\r\n", "tls(false)"), ("<html>log in to our network</html>", "tls(false)"),
        ("", "connectFailed"),
    ])
    func aServerThatSpeaksNoTLS(answer: String, kind: String) async throws {
        let trust = try TestCertificates.shared.client()
        try await ScriptedServer.run { connection in
            if answer.isEmpty { return }
            try await connection.write(answer)
            // Closing with unread bytes would send a reset that overtakes the response.
            try await connection.untilClosed()
        } body: { port in
            let endpoint = try HTTPEndpoint.tcp(host: "127.0.0.1", port: port, tls: true)
            try await withClient(of: endpoint, tls: trust) { client in
                let error = try await client.failure(of: .post)
                #expect(error.kind == kind)
                #expect(!error.mayHaveReachedServer)
            }
        }
    }

    @Test func aHandshakeThatNeverEndsIsCutByTheConnectTimeout() async throws {
        let trust = try TestCertificates.shared.client()
        try await ScriptedServer.run { connection in
            try await connection.untilClosed()
        } body: { port in
            let endpoint = try HTTPEndpoint.tcp(host: "127.0.0.1", port: port, tls: true)
            let timeouts = HTTPTimeouts(
                connect: .milliseconds(100), firstByte: Self.forever, whole: Self.forever)
            try await withClient(of: endpoint, tls: trust, timeouts: timeouts) { client in
                let error = try await client.failure(of: .post)
                #expect(error.kind == "timeout(connect, false)")
                #expect(!error.mayHaveReachedServer)
            }
        }
    }

    /// A response that ends with the connection is complete only with TLS's `close_notify`.
    @Test(arguments: [false, true])
    func aCutIsNotAnEnd(isCut: Bool) async throws {
        try await withServer { connection in
            _ = try await connection.readRequest()
            try await connection.write("HTTP/1.1 200 OK\r\n\r\npart")
            if isCut { try await connection.cut() }
        } body: { client in
            if isCut {
                let kind = try await client.failure(of: .post).kind
                #expect(kind == "truncated")
            } else {
                let text = try await client.post().text
                #expect(text == "part")
            }
        }
    }

    @Test func aCutBeforeTheAnswerIsInDoubt() async throws {
        try await withServer { connection in
            _ = try await connection.readRequest()
            try await connection.cut()
        } body: { client in
            let error = try await client.failure(of: .post)
            #expect(error.kind == "connectionClosed(true)")
        }
    }

    @Test(arguments: [false, true])
    func aGetOnAKeptConnectionThatCloses(isCut: Bool) async throws {
        let log = Log()
        try await withServer { connection in
            while try await connection.readRequest() != nil {
                log.add("\(connection.number)")
                if log.lines.count == 2 {
                    if isCut { try await connection.cut() }
                    return
                }
                try await connection.write(KeepAliveTests.answer)
            }
        } body: { client in
            for _ in 1...2 {
                let text = try await client.get().text
                #expect(text == "ok")
            }
        }
        #expect(log.lines == ["1", "1", "2"])
    }

    /// An attempt from an address of the old network would go on until its time-out.
    @Test func aChangedNetworkBeginsAnOpeningAnew() async throws {
        let certificates = try TestCertificates()
        let trust = try certificates.client()
        try await ScriptedServer.run(tls: try certificates.serverContext(for: "127.0.0.1")) { connection in
            while try await connection.readRequest() != nil {
                try await connection.write(KeepAliveTests.answer)
            }
        } body: { port in
            let plan: FaultProxy.Plan = { $0 == 1 ? .blackHole : .none }
            try await FaultProxy.run(to: port, plan: plan) { proxy, port in
                let endpoint = try HTTPEndpoint.tcp(host: "127.0.0.1", port: port, tls: true)
                let timeouts = HTTPTimeouts(connect: .seconds(20), firstByte: Self.forever, whole: Self.forever)
                try await withClient(of: endpoint, tls: trust, timeouts: timeouts) { client in
                    let answer = Task { try await client.post().text }
                    try await Eventually.holds("the first connection is made") { proxy.connectionCount == 1 }
                    client.networkChanged()
                    let text = try await answer.value
                    #expect(text == "ok")
                    #expect(proxy.connectionCount == 2)
                }
            }
        }
    }

    @Test func cancellingClosesTheConnection() async throws {
        let arrived = Event()
        let closed = Event()
        try await withServer { connection in
            _ = try await connection.readRequest()
            arrived.fire()
            try await connection.untilClosed()
            closed.fire()
        } body: { client in
            let request = Task { try await client.failure(of: .post) }
            await arrived.wait()
            request.cancel()
            let kind = try await request.value.kind
            #expect(kind == "cancelled(true)")
            await closed.wait()
        }
    }
}
