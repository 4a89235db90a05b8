import CausewayHTTP
import HTTPTypes
import NIOCore
import Testing

/// Requests through a proxy, as the proxy sees them.
@Suite struct ProxyTests {
    private func withProxy(
        url: String, user: String? = nil, password: String? = nil, timeouts: HTTPTimeouts = HTTPTimeouts(),
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
        try await withTemporaryFolder { folder in
            try await ScriptedServer.run(at: .unix(path: folder + "/s")) { connection in
                while try await connection.readRequest() != nil { try await connection.write(KeepAliveTests.answer) }
            } body: { _ in
                try await withClient(
                    of: .unix(path: folder + "/s"), proxy: try HTTPProxy(host: "127.0.0.1", port: port)
                ) { client in
                    let text = try await client.get().text
                    #expect(text == "ok")
                }
            }
        }
    }
}
