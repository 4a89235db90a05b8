import CausewayHTTPTransport
import CausewayModels
import CausewayTestSupport
import CausewayTransport
import NIOCore
import NIOPosix
import Testing

/// Rows of the table at `HTTPTransport` without any response.
@Suite struct NoAnswerTests {
    /// A port of this machine without a listener.
    static func deadPort() async throws -> Int {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = channel.localAddress?.port ?? 0
        try await channel.close()
        return port
    }

    @Test(arguments: Exchange.allCases)
    func nobodyListens(_ call: Exchange) async throws {
        try await withTransport(to: "http://127.0.0.1:\(try await Self.deadPort())") { transport in
            let name = try await call.outcome(on: transport).name
            #expect(name == "unreachable")
        }
    }

    @Test(arguments: Exchange.allCases)
    func noAddress(_ call: Exchange) async throws {
        try await withTransport(to: "https://hub.invalid") { transport in
            let (name, error) = try await call.outcome(on: transport)
            #expect(name == "unreachable")
            #expect(error?.description.contains("hub.invalid") == true)
        }
    }

    /// A server that accepts the connection and never completes the TLS handshake.
    @Test(arguments: Exchange.allCases)
    func noHandshakeInTime(_ call: Exchange) async throws {
        try await ScriptedHTTPServer.run { _ in
            []
        } body: { _, port in
            let timeouts = HTTPTransportConfiguration.Timeouts(connect: .milliseconds(100))
            let configuration = HTTPTransportConfiguration(timeouts: timeouts, proxy: .none)
            try await withTransport(to: "https://127.0.0.1:\(port)", configuration) { transport in
                let name = try await call.outcome(on: transport).name
                #expect(name == "unreachable")
            }
        }
    }

    @Test(arguments: [ScriptedHTTPServer.Step.close, .reset], Exchange.allCases)
    func cutWhileBeingSecured(_ step: ScriptedHTTPServer.Step, _ call: Exchange) async throws {
        try await ScriptedHTTPServer.run(opening: [step]) { _ in
            []
        } body: { _, port in
            let configuration = HTTPTransportConfiguration(timeouts: .unhurried, proxy: .none)
            try await withTransport(to: "https://127.0.0.1:\(port)", configuration) { transport in
                let name = try await call.outcome(on: transport).name
                #expect(name == "unreachable")
            }
        }
    }

    /// Statuses of a proxy's response to CONNECT, with their classification.
    @Test(
        arguments: [
            (407, "actionRequired(protocolMismatch)"), (403, "unreachable"), (502, "unreachable"),
            (503, "unreachable"), (0, "unreachable"),
        ])
    func proxyRefuses(_ status: Int, _ expected: String) async throws {
        try await ScriptedHTTPServer.run { _ in
            status == 0 ? [.close] : [.answer(status, [("Proxy-Authenticate", "Basic")], "no")]
        } body: { server, port in
            let environment = ["https_proxy": "http://user:pass-word@127.0.0.1:\(port)"]
            let configuration = HTTPTransportConfiguration(proxy: .environment(environment))
            try await withTransport(to: "https://chat.example", configuration) { transport in
                let (name, error) = try await Exchange.deliver.outcome(on: transport)
                #expect(name == expected)
                #expect(error?.description.contains("pass-word") == false)
                #expect(server.requests.first?.method == "CONNECT")
                #expect(server.requests.first?.header("Authorization") == nil, "the token is for the server alone")
            }
        }
    }

    @Test func theEnvironmentsProxyIsNotAskedForThisMachine() async throws {
        let proxy = "http://127.0.0.1:\(try await Self.deadPort())"
        let configuration = HTTPTransportConfiguration(
            timeouts: .unhurried,
            proxy: .environment(["http_proxy": proxy, "https_proxy": proxy, "all_proxy": proxy]))
        try await ScriptedHTTPServer.run { _ in
            [.hub(200, #"{"user":"ada","server":"test"}"#)]
        } body: { _, port in
            try await withTransport(to: "http://127.0.0.1:\(port)", configuration) { transport in
                let user = try #require(UserID("ada"))
                let serverInfo = try await transport.authenticate()
                #expect(serverInfo == ServerInfo(user: user, server: "test"))
            }
        }
    }

    // MARK: - Ended by the client

    @Test(arguments: Exchange.allCases)
    func cancelledOnTheWay(_ call: Exchange) async throws {
        try await ScriptedHTTPServer.run { _ in
            []
        } body: { server, port in
            try await withTransport(to: "http://127.0.0.1:\(port)") { transport in
                async let waiting = call.outcome(on: transport).name
                await server.hasRequests(1)
                let task = Task { try await call.outcome(on: transport).name }
                await server.hasRequests(2)
                task.cancel()
                let cancelled = try await task.value
                #expect(cancelled == "inDoubt")
                await transport.close()
                let closed = try await waiting
                #expect(closed == "inDoubt", "closing ends what is under way")
                let name = try await call.outcome(on: transport).name
                #expect(name == "unreachable", "closed for good")
            }
        }
    }

    @Test func cancelledBeforeItBegan() async throws {
        try await ScriptedHTTPServer.run { _ in
            []
        } body: { server, port in
            try await withTransport(to: "http://127.0.0.1:\(port)") { transport in
                let task = Task {
                    unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                    return try await Exchange.deliver.outcome(on: transport).name
                }
                let cancelled = try await task.value
                #expect(cancelled == "unreachable")
                #expect(server.requests.isEmpty)
            }
        }
    }
}
