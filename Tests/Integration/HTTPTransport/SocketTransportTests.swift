import CausewayHTTPTransport
import CausewayHub
import CausewayHubSQLite
import CausewayModels
import CausewayTLS
import CausewayTestSupport
import CausewayTransport
import CausewayWebSocket
import CausewayWire
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOWebSocket
import Testing

/// The transport over a WebSocket.
@Suite struct SocketTransportTests {
    private struct Fixture: Sendable {
        let hub: HubService
        let port: Int
        let token: AccessToken

        func transport(
            _ scheme: String, port: Int? = nil,
            _ timeouts: HTTPTransportConfiguration.Timeouts = .unhurried
        ) throws -> HTTPTransport {
            try HTTPTransport(
                to: "\(scheme)://localhost:\(port ?? self.port)", token: token,
                HTTPTransportConfiguration(timeouts: timeouts, proxy: .none, allowsPlaintext: true))
        }
    }

    private static func withHub(
        change: @Sendable (inout HubConfiguration) -> Void = { _ in }, _ body: @Sendable (Fixture) async throws -> Void
    ) async throws {
        let (temporary, folder, token) = try await Sample.hubFolder()
        var configuration = HubConfiguration(folder: folder, security: .plainOnLoopback)
        change(&configuration)
        try await HubService.running(configuration, opening: SQLiteHubStorage.open, logger: Sample.silentLogger) {
            hub in
            try await body(Fixture(hub: hub, port: try await hub.port(), token: token))
        }
        withExtendedLifetime(temporary) {}
    }

    /// All calls share one connection.
    @Test func manyCallsShareOneSocket() async throws {
        try await Self.withHub { fixture in
            let transport = try fixture.transport("ws")
            _ = try await transport.deliver(try Sample.delivery(1...1))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<200 {
                    group.addTask {
                        let place = try await transport.lookup(Sample.message(1))
                        #expect(place?.position == 1)
                    }
                }
                try await group.waitForAll()
            }
            #expect(fixture.hub.sockets == 1)
            await transport.close()
            try await Eventually.holds("the socket is closed") { fixture.hub.sockets == 0 }
        }
    }

    /// A batch arrives over a connection that carries a fifth of its bytes and then breaks, unless the hub does not
    /// compress.
    @Test(arguments: [true, false]) func messagesAreCompressedWhereTheHubTakesIt(_ isOn: Bool) async throws {
        let change: @Sendable (inout HubConfiguration) -> Void = { $0.sockets.compresses = isOn }
        try await Self.withHub(change: change) { fixture in
            let delivery = try Sample.delivery(1...1000)
            let bytesMax = 40_000
            let plan: FaultProxy.Plan = { _ in .reset(.toServer, afterBytes: bytesMax) }
            try await FaultProxy.run(to: fixture.port, plan: plan) { _, port in
                let transport = try fixture.transport("ws", port: port)
                let report = try? await transport.deliver(delivery)
                #expect(report?.positions.count == (isOn ? 1000 : nil))
                await transport.close()
            }
            // The same without the proxy, in both cases.
            let transport = try fixture.transport("ws")
            #expect(try await transport.deliver(delivery).positions.count == 1000)
            await transport.close()
        }
    }

    /// A reader that waits for events delays nothing, and gets the next change.
    @Test(arguments: ["ws", "http"]) func eventsArriveBesideDeliveries(_ scheme: String) async throws {
        try await Self.withHub { fixture in
            let transport = try fixture.transport(scheme)
            let events = try #require(transport.events)
            let start = try await events.currentCursor(knowing: nil)
            let stream = try await events.open(from: start.cursor, knowing: nil)
            guard case .batch(let first) = try await stream.next(knowing: nil) else { throw CancellationError() }
            #expect(first.isUpToDate)
            async let next = stream.next(knowing: nil)
            try await Eventually.holds("the reader waits") { fixture.hub.eventReaders == 1 }
            _ = try await transport.deliver(try Sample.delivery(1...1))
            guard case .batch(let batch) = try await next else { throw CancellationError() }
            #expect(!batch.events.isEmpty)
            await stream.close()
            await transport.close()
        }
    }

    /// Closing a stream ends the wait at the hub, and leaves the socket open.
    @Test func aClosedStreamWaitsNoMore() async throws {
        try await Self.withHub { fixture in
            let transport = try fixture.transport("ws")
            let events = try #require(transport.events)
            let start = try await events.currentCursor(knowing: nil)
            let stream = try await events.open(from: start.cursor, knowing: nil)
            _ = try await stream.next(knowing: nil)
            let waiting = Task { try? await stream.next(knowing: nil) }
            try await Eventually.holds("the reader waits") { fixture.hub.eventReaders == 1 }
            await stream.close()
            #expect(await waiting.value == nil)
            try await Eventually.holds("the reader has left") { fixture.hub.eventReaders == 0 }
            #expect(fixture.hub.sockets == 1)
            await transport.close()
        }
    }

    /// After a change of the network the next call uses a new connection, even while events are awaited.
    @Test func aChangedNetworkMeansANewSocket() async throws {
        try await Self.withHub { fixture in
            try await FaultProxy.run(to: fixture.port) { proxy, port in
                let transport = try fixture.transport("ws", port: port)
                let events = try #require(transport.events)
                let start = try await events.currentCursor(knowing: nil)
                let stream = try await events.open(from: start.cursor, knowing: nil)
                _ = try await stream.next(knowing: nil)
                let waiting = Task { try await stream.next(knowing: nil) }
                try await Eventually.holds("the reader waits") { fixture.hub.eventReaders == 1 }
                #expect(proxy.connectionCount == 1)
                transport.networkChanged()
                try await Eventually.holds("the reader waits on a new socket") {
                    proxy.connectionCount == 2 && fixture.hub.eventReaders == 1
                }
                let report = try await transport.deliver(try Sample.delivery(1...3))
                #expect(report.positions == [1, 2, 3])
                guard case .batch(let batch) = try await waiting.value else { throw CancellationError() }
                #expect(!batch.events.isEmpty)
                await transport.close()
            }
        }
    }

    /// A socket that is being opened from an address of the old network would be waited for until its time-out.
    @Test func aChangedNetworkBeginsAnOpeningAnew() async throws {
        try await Self.withHub { fixture in
            let plan: FaultProxy.Plan = { $0 == 1 ? .blackHole : .none }
            try await FaultProxy.run(to: fixture.port, plan: plan) { proxy, port in
                let timeouts = HTTPTransportConfiguration.Timeouts(
                    connect: .seconds(600), firstByte: .seconds(20), whole: .seconds(600))
                let transport = try fixture.transport("ws", port: port, timeouts)
                let report = Task { try await transport.deliver(try Sample.delivery(1...1)) }
                try await Eventually.holds("the first connection is made") { proxy.connectionCount == 1 }
                transport.networkChanged()
                let positions = try await report.value.positions
                #expect(positions == [1])
                #expect(proxy.connectionCount == 2)
                await transport.close()
            }
        }
    }

    /// The hub goes away and comes back at the same port.
    @Test(arguments: ["ws", "http"]) func aRestartedHubIsFoundAgain(_ scheme: String) async throws {
        let (temporary, folder, token) = try await Sample.hubFolder()
        let port = try ReservedPort()
        let transport = try HTTPTransport(
            to: "\(scheme)://127.0.0.1:\(port.number)", token: token,
            HTTPTransportConfiguration(timeouts: .unhurried, proxy: .none))
        for round in 0..<3 {
            try await port.waitUntilFree()
            let configuration = HubConfiguration(folder: folder, port: port.number, security: .plainOnLoopback)
            try await HubService.running(
                configuration, opening: SQLiteHubStorage.open, logger: Sample.silentLogger
            ) { hub in
                _ = try await transport.authenticate()
                let range = (round * 2 + 1)...(round * 2 + 2)
                let report = try await transport.deliver(try Sample.delivery(range))
                #expect(report.positions == range.map(Int64.init))
            }
            let name = try await Exchange.deliver.outcome(on: transport).name
            #expect(["unreachable", "inDoubt"].contains(name))
        }
        await transport.close()
        withExtendedLifetime(temporary) {}
    }

    @Test func aRevokedTokenIsReported() async throws {
        let change: @Sendable (inout HubConfiguration) -> Void = { $0.socketCheck = .milliseconds(20) }
        try await Self.withHub(change: change) { fixture in
            let transport = try fixture.transport("ws")
            _ = try await transport.authenticate()
            _ = try await fixture.hub.administration.renewAccount("ada")
            try await Eventually.holds("the socket is closed") { fixture.hub.sockets == 0 }
            let name = try await Exchange.deliver.outcome(on: transport).name
            #expect(name == "actionRequired(tokenRefused)")
            await transport.close()
        }
    }

    /// Responses of something in place of the hub, and their meaning for a request that was never sent.
    @Test(arguments: Exchange.allCases) func aRefusedHandshakeIsClassified(_ call: Exchange) async throws {
        let rows: [(ScriptedHTTPServer.Step, String)] = [
            (.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nWi-Fi"), "inDoubt"),
            (.write("HTTP/1.1 101 Go on\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"), "unreachable"),
            (.write("no HTTP\r\n\r\n"), "unreachable"), (.reset, "unreachable"), (.close, "unreachable"),
        ]
        for (step, expected) in rows {
            try await ScriptedHTTPServer.run { _ in
                [step]
            } body: { _, port in
                let transport = try HTTPTransport(
                    to: "ws://127.0.0.1:\(port)", token: try Sample.token(),
                    HTTPTransportConfiguration(timeouts: .unhurried, proxy: .none))
                let name = try await call.outcome(on: transport).name
                #expect(name == expected, "\(step)")
                await transport.close()
            }
        }
    }

    /// The network fails within the response. Later requests would wait for it for ever.
    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nWi", "HTTP/1.1 101 Sw", "HTTP/1.1 103 Early Hints\r\n\r\n",
    ])
    func anOpeningThatStopsWithinItsResponseEnds(_ part: String) async throws {
        try await ScriptedHTTPServer.run { _ in
            [.write(part)]
        } body: { server, port in
            var timeouts = HTTPTransportConfiguration.Timeouts.unhurried
            timeouts.whole = .milliseconds(50)
            let transport = try HTTPTransport(
                to: "ws://127.0.0.1:\(port)", token: try Sample.token(),
                HTTPTransportConfiguration(timeouts: timeouts, proxy: .none))
            try await Eventually.holds("another socket is opened") {
                let name = try await Exchange.deliver.outcome(on: transport).name
                #expect(name == "unreachable")
                return server.connectionCount >= 2
            }
            await transport.close()
        }
    }

    // MARK: - Responses that no hub sends

    /// Runs a server that sends the same messages, of up to 125 bytes, on every socket once it is open, and nothing
    /// else.
    private static func withSocketServer(
        _ messages: [WireSocket.Response], _ body: (ScriptedHTTPServer, HTTPTransport) async throws -> Void
    ) async throws {
        let frames: [UInt8] = messages.flatMap { [0x81, UInt8($0.text.count)] + $0.text }
        try await ScriptedHTTPServer.run { request in
            let fields = try? opening(request).map { "\($0.name): \($0.value)\r\n" }.joined()
            return [.writeBytes(Array("HTTP/1.1 101 Switching Protocols\r\n\(fields ?? "")\r\n".utf8) + frames)]
        } body: { server, port in
            let transport = try HTTPTransport(
                to: "ws://127.0.0.1:\(port)", token: try Sample.token(),
                HTTPTransportConfiguration(timeouts: .unhurried, proxy: .none))
            try await body(server, transport)
            await transport.close()
        }
    }

    /// The fields that complete the handshake.
    private static func opening(_ request: ScriptedHTTPServer.Request) throws -> HTTPHeaders {
        let head = HTTPRequestHead(
            version: .http1_1, method: .GET, uri: request.path, headers: HTTPHeaders(request.headers))
        let upgrader = NIOWebSocketServerUpgrader(
            shouldUpgrade: { channel, _ in
                channel.eventLoop.makeSucceededFuture(["Sec-WebSocket-Protocol": WireSocket.subprotocol])
            },
            upgradePipelineHandler: { channel, _ in channel.eventLoop.makeSucceededVoidFuture() })
        return try upgrader.buildUpgradeResponse(
            channel: EmbeddedChannel(), upgradeRequest: head, initialResponseHeaders: [:]
        ).wait()
    }

    /// Nothing that follows a response to no request is trusted, either.
    @Test func aResponseToNoRequestEndsTheSocket() async throws {
        let messages = [99, 1].map { WireSocket.Response(id: $0, status: 404, body: Array("{}".utf8)) }
        try await Self.withSocketServer(messages) { _, transport in
            let (name, error) = try await Exchange.deliver.outcome(on: transport)
            #expect(name == "inDoubt")
            #expect("\(try #require(error))".contains("a message that is no response to a request"))
        }
    }

    /// The hub closes such a socket; a request that meets its end would be in doubt.
    @Test func aSocketWhoseTokenWasRefusedIsNotUsedAgain() async throws {
        let refusal = WireSocket.Response(
            id: 1, status: 401, headers: [WireProtocol.header.lowercased(): "1"],
            body: Array(#"{"code":"tokenRefused","detail":"no"}"#.utf8))
        try await Self.withSocketServer([refusal]) { server, transport in
            let first = try await Exchange.deliver.outcome(on: transport).name
            #expect(first == "actionRequired(tokenRefused)")
            let second = Task { try await Exchange.deliver.outcome(on: transport).name }
            try await Eventually.holds("the next request opens another socket") { server.connectionCount == 2 }
            await transport.close()
            _ = try await second.value
        }
    }

    // MARK: - Addresses

    @Test func addressesSayHowRequestsTravel() throws {
        let token = try Sample.token()
        for address in ["wss://hub.example", "auto://hub.example:8443/base", "ws://127.0.0.1:1", "ws://localhost"] {
            #expect(throws: Never.self) { try HTTPTransport(to: address, token: token) }
        }
        for address in ["ws://hub.example", "auto:hub", "wss:", "wsx://hub.example"] {
            #expect(throws: TransportError.self) { try HTTPTransport(to: address, token: token) }
        }
        var registry = TransportRegistry()
        registry.registerHTTP()
        #expect(registry.schemes == ["auto", "http", "https", "ws", "wss"])
    }
}
