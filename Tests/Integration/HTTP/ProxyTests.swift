import CausewayHTTP
import CausewayTLS
import CausewayTestSupport
import HTTPTypes
import NIOCore
import Testing

/// Requests through a proxy, as the proxy sees them.
@Suite struct ProxyTests {
    private func withProxy(
        url: String, user: String? = nil, password: String? = nil, timeouts: HTTPTimeouts = .unhurried,
        script: @escaping @Sendable (ScriptedConnection) async throws -> Void,
        body: (HTTPClient) async throws -> Void
    ) async throws {
        try await ScriptedServer.run(script: script) { port in
            let proxy = try HTTPProxy(host: "127.0.0.1", port: port, user: user, password: password)
            try await withClient(of: try HTTPEndpoint(url: url), timeouts: timeouts, proxy: proxy, body: body)
        }
    }

    @Test func plainRequestsGoInAbsoluteForm() async throws {
        let log = Log()
        try await withProxy(url: "http://hub.example:8080/base", user: "me", password: "open sesame") { connection in
            while let request = try await connection.readRequest() {
                log.add(request)
                try await connection.write(KeepAliveTests.answer)
            }
        } body: { client in
            _ = try await client.post("/a?b", "x")
            _ = try await client.get("/")
        }
        let authorization = "Proxy-Authorization: Basic bWU6b3BlbiBzZXNhbWU=\r\n"
        #expect(
            log.lines == [
                "POST http://hub.example:8080/base/a?b HTTP/1.1\r\nHost: hub.example:8080\r\nContent-Length: 1\r\n"
                    + authorization + "\r\nx",
                "GET http://hub.example:8080/base/ HTTP/1.1\r\nHost: hub.example:8080\r\n" + authorization + "\r\n",
            ])
    }

    @Test func aPlainRequestThatTheProxyDidNotPassOn() async throws {
        try await withProxy(url: "http://hub.example") { connection in
            while try await connection.readRequest() != nil {
                try await connection.write(
                    "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
            }
        } body: { client in
            let error = try await client.failure(of: .post)
            #expect(error.kind == "proxyRefused(407)")
            #expect(!error.mayHaveReachedServer)
        }
    }

    // MARK: CONNECT

    /// A client of `https://hub.example:8443` behind a proxy that behaves as scripted.
    private func withTunnel(
        user: String? = nil, password: String? = nil, timeouts: HTTPTimeouts = .unhurried,
        script: @escaping @Sendable (ScriptedConnection, TLSServerContext) async throws -> Void,
        body: (HTTPClient) async throws -> Void
    ) async throws {
        let certificates = try TestCertificates()
        let server = try certificates.serverContext(for: "hub.example")
        try await ScriptedServer.run { connection in
            try await script(connection, server)
        } body: { port in
            try await withClient(
                of: try HTTPEndpoint(url: "https://hub.example:8443/base"), tls: certificates.client(),
                timeouts: timeouts,
                proxy: try HTTPProxy(host: "127.0.0.1", port: port, user: user, password: password), body: body)
        }
    }

    @Test(arguments: [nil, "me"], ["", "HTTP/1.1 100 Continue\r\n\r\n"])
    func secureRequestsGoThroughATunnel(user: String?, before: String) async throws {
        let log = Log()
        try await withTunnel(user: user, password: "open sesame") { connection, server in
            guard let request = try await connection.readRequest() else { return }
            log.add(request)
            try await connection.write(before + "HTTP/1.1 200 Connected\r\nX: y\r\n\r\n", thenSecureBy: server)
            while let request = try await connection.readRequest() {
                log.add(request)
                try await connection.write(KeepAliveTests.answer)
            }
        } body: { client in
            for _ in 1...2 { _ = try await client.post("/a", "x") }
        }
        let authorization = user == nil ? "" : "Proxy-Authorization: Basic bWU6b3BlbiBzZXNhbWU=\r\n"
        let request = "POST /base/a HTTP/1.1\r\nHost: hub.example:8443\r\nContent-Length: 1\r\n\r\nx"
        #expect(
            log.lines == [
                "CONNECT hub.example:8443 HTTP/1.1\r\nHost: hub.example:8443\r\n\(authorization)\r\n",
                request, request,
            ])
    }

    @Test(arguments: [
        ("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 2\r\n\r\nno", "proxyRefused(407)"),
        ("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 200\r\n\r\nno", "proxyRefused(407)"),
        ("HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n<html></html>", "proxyRefused(403)"),
        ("HTTP/1.1 502 Bad Gateway\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "proxyRefused(502)"),
        ("HTTP/1.1 302 Found\r\nLocation: http://portal/\r\nContent-Length: 0\r\n\r\n", "proxyRefused(302)"),
        ("", "proxyFailed"),
        ("HTTP/1.1 2", "proxyFailed"),
        ("SSH-2.0-OpenSSH_9.2\r\n", "proxyFailed"),
        ("HTTP/1.1 200 OK\r\nX: \(String(repeating: "a", count: 50_000))\r\n\r\n", "proxyFailed"),
    ])
    func aProxyThatRefuses(answer: String, kind: String) async throws {
        try await withTunnel { connection, _ in
            _ = try await connection.readRequest()
            if !answer.isEmpty { try await connection.write(answer) }
        } body: { client in
            let error = try await client.failure(of: .post)
            #expect(error.kind == kind)
            #expect(!error.mayHaveReachedServer)
        }
    }

    /// The connection stays open, and the end of the response never comes.
    @Test(arguments: ["", "Content-Length: 200\r\n", "Transfer-Encoding: chunked\r\n"])
    func aRefusalThatDoesNotEnd(field: String) async throws {
        let timeouts = HTTPTimeouts(connect: .seconds(60), firstByte: .seconds(600), whole: .seconds(600))
        try await withTunnel(timeouts: timeouts) { connection, _ in
            _ = try await connection.readRequest()
            try await connection.write("HTTP/1.1 407 Proxy Authentication Required\r\n\(field)\r\n")
            try await connection.untilClosed()
        } body: { client in
            let error = try await client.failure(of: .post)
            #expect(error.kind == "proxyRefused(407)")
            #expect(!error.mayHaveReachedServer)
        }
    }

    @Test func aProxyThatSaysNothingIsCutByTheConnectTimeout() async throws {
        let timeouts = HTTPTimeouts(connect: .milliseconds(100), firstByte: .seconds(600), whole: .seconds(600))
        try await withTunnel(timeouts: timeouts) { connection, _ in
            try await connection.untilClosed()
        } body: { client in
            let error = try await client.failure(of: .post)
            #expect(error.kind == "timeout(connect, false)")
            #expect(!error.mayHaveReachedServer)
        }
    }

    /// The proxy is not the server: its certificate does not count.
    @Test func theCertificateMustBeTheServers() async throws {
        let certificates = try TestCertificates()
        let server = try certificates.serverContext(for: "127.0.0.1")
        let log = Log()
        try await ScriptedServer.run { connection in
            _ = try await connection.readRequest()
            try await connection.write("HTTP/1.1 200 Connected\r\n\r\n", thenSecureBy: server)
            if try await connection.readRequest() != nil { log.add("request") }
        } body: { port in
            try await withClient(
                of: try HTTPEndpoint(url: "https://hub.example"), tls: certificates.client(),
                proxy: try HTTPProxy(host: "127.0.0.1", port: port)
            ) { client in
                let kind = try await client.failure(of: .post).kind
                #expect(kind == "tls(false)")
            }
        }
        #expect(log.lines.isEmpty)
    }

    // MARK: Name of the peer

    @Test func aDeadProxyIsNamed() async throws {
        let port = try await ScriptedServer.run(script: { _ in }, body: { $0 })
        for url in ["http://hub.example", "https://hub.example"] {
            try await withClient(
                of: try HTTPEndpoint(url: url), proxy: try HTTPProxy(host: "127.0.0.1", port: port)
            ) { client in
                let error = try await client.failure(of: .post)
                #expect(error.kind == "connectRefused")
                #expect("\(error)".contains("127.0.0.1:\(port)"))
            }
        }
    }

    @Test func aUnixSocketNeverGoesThroughAProxy() async throws {
        let port = try await ScriptedServer.run(script: { _ in }, body: { $0 })
        let folder = try TemporaryFolder(.short)
        try await ScriptedServer.run(at: .unix(path: folder.path + "/s")) { connection in
            while try await connection.readRequest() != nil { try await connection.write(KeepAliveTests.answer) }
        } body: { _ in
            try await withClient(
                of: .unix(path: folder.path + "/s"), proxy: try HTTPProxy(host: "127.0.0.1", port: port)
            ) { client in
                let text = try await client.get().text
                #expect(text == "ok")
            }
        }
    }
}
