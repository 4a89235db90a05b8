import CausewayHTTPTransport
import CausewayHub
import CausewayHubSQLite
import CausewayModels
import CausewayTLS
import CausewayTestSupport
import CausewayTransport
import CausewayWebSocket
import Foundation
import Logging
import Testing

/// The transport over a WebSocket, and over the better of both ways.
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

    private static func folder() async throws -> (TemporaryFolder, DataFolder, AccessToken) {
        let temporary = try TemporaryFolder()
        let folder = DataFolder(temporary.path + "/hub")
        _ = try await HubSetup(folder: folder, names: ["localhost"], account: "ada", channel: "general").run(
            opening: SQLiteHubStorage.open)
        let text = try String(contentsOfFile: folder.token(of: "ada"), encoding: .utf8)
        return (temporary, folder, try #require(AccessToken(text.trimmingCharacters(in: .newlines))))
    }

    private static let logger = Logger(label: "hub") { _ in SwiftLogNoOpLogHandler() }

    private static func withHub(
        change: @Sendable (inout HubConfiguration) -> Void = { _ in }, _ body: @Sendable (Fixture) async throws -> Void
    ) async throws {
        let (temporary, folder, token) = try await folder()
        var configuration = HubConfiguration(folder: folder, security: .plainOnLoopback)
        change(&configuration)
        try await HubService.running(configuration, opening: SQLiteHubStorage.open, logger: logger) { hub in
            try await body(Fixture(hub: hub, port: try await hub.port(), token: token))
        }
        withExtendedLifetime(temporary) {}
    }

    private static func positions(_ report: DeliveryReport) -> [Int64] {
        report.outcomes.compactMap { if case .accepted(let place) = $0 { place.position } else { nil } }
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
                #expect(report.map(Self.positions)?.count == (isOn ? 1000 : nil))
                await transport.close()
            }
            // The same without the proxy, in both cases.
            let transport = try fixture.transport("ws")
            #expect(Self.positions(try await transport.deliver(delivery)).count == 1000)
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
                #expect(Self.positions(report) == [1, 2, 3])
                guard case .batch(let batch) = try await waiting.value else { throw CancellationError() }
                #expect(!batch.events.isEmpty)
                await transport.close()
            }
        }
    }

    /// The hub goes away and comes back at the same port.
    @Test(arguments: ["ws", "http"]) func aRestartedHubIsFoundAgain(_ scheme: String) async throws {
        let (temporary, folder, token) = try await Self.folder()
        let port = try ReservedPort()
        let transport = try HTTPTransport(
            to: "\(scheme)://127.0.0.1:\(port.number)", token: token,
            HTTPTransportConfiguration(timeouts: .unhurried, proxy: .none))
        for round in 0..<3 {
            try await port.waitUntilFree()
            let configuration = HubConfiguration(folder: folder, port: port.number, security: .plainOnLoopback)
            try await HubService.running(
                configuration, opening: SQLiteHubStorage.open, logger: Self.logger
            ) { hub in
                _ = try await transport.authenticate()
                let range = (round * 2 + 1)...(round * 2 + 2)
                let report = try await transport.deliver(try Sample.delivery(range))
                #expect(Self.positions(report) == range.map(Int64.init))
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

    // MARK: - The better of both ways

    private static func withSecureHub(
        change: @Sendable (inout HubConfiguration) -> Void = { _ in },
        _ body: @Sendable (HubService, _ proxy: FaultProxy, HTTPTransport) async throws -> Void
    ) async throws {
        let (temporary, folder, token) = try await folder()
        var configuration = HubConfiguration.secure(folder)
        change(&configuration)
        try await HubService.running(configuration, opening: SQLiteHubStorage.open, logger: logger) { hub in
            try await FaultProxy.run(to: try await hub.port()) { proxy, port in
                var configuration = HTTPTransportConfiguration(
                    tls: TLSClientConfiguration(trust: .authorities(path: folder.authorityCertificate)),
                    timeouts: .unhurried,
                    proxy: .none)
                // However slow the machine is, every socket here ends early, and HTTP stays.
                configuration.carrierChoice = CarrierChoice(retryMin: .seconds(86_400), lifeMin: .seconds(86_400))
                let transport = try HTTPTransport(
                    to: "auto://localhost:\(port)", token: token, configuration)
                try await body(hub, proxy, transport)
                await transport.close()
            }
        }
        withExtendedLifetime(temporary) {}
    }

    @Test func theSocketIsPreferred() async throws {
        try await Self.withSecureHub { hub, proxy, transport in
            _ = try await transport.authenticate()
            #expect(transport.way == "WebSocket")
            let report = try await transport.deliver(try Sample.delivery(1...2))
            #expect(Self.positions(report) == [1, 2])
            #expect(hub.sockets == 1 && proxy.connectionCount == 1)
        }
    }

    /// No request notices that there is no socket.
    @Test func withoutASocketRequestsGoOverHTTP() async throws {
        let change: @Sendable (inout HubConfiguration) -> Void = { $0.socketCounts.total = 0 }
        try await Self.withSecureHub(change: change) { hub, _, transport in
            let report = try await transport.deliver(try Sample.delivery(1...2))
            #expect(Self.positions(report) == [1, 2])
            #expect(transport.way == "HTTP: the WebSocket was refused (503)")
            let events = try #require(transport.events)
            let start = try await events.currentCursor(knowing: nil)
            let stream = try await events.open(from: start.cursor, knowing: nil)
            _ = try await stream.next(knowing: nil)
            async let next = stream.next(knowing: nil)
            try await Eventually.holds("the reader waits") { hub.eventReaders == 1 }
            _ = try await transport.deliver(try Sample.delivery(3...3))
            guard case .batch(let batch) = try await next else { throw CancellationError() }
            #expect(!batch.events.isEmpty)
        }
    }

    /// Something on the way ends every socket soon after it was opened.
    @Test func socketsThatEndEarlyAreGivenUp() async throws {
        try await Self.withSecureHub { hub, proxy, transport in
            /// - Returns: how requests travel after another cut.
            func cut(_ round: Int, sockets: Int) async throws -> String? {
                let range = (round * 2 - 1)...(round * 2)
                let report = try await transport.deliver(try Sample.delivery(range))
                #expect(Self.positions(report) == range.map(Int64.init))
                #expect(hub.sockets == sockets)
                try await proxy.cutAll()
                try await Eventually.holds("the socket is closed") { hub.sockets == 0 }
                try await Eventually.holds("the server is reached") {
                    (try? await transport.lookup(Sample.message(1))) != nil
                }
                return transport.way
            }
            for round in 1...2 {
                let way = try await cut(round, sockets: 1)
                #expect(way == "WebSocket")
            }
            for round in 3...5 {
                let way = try await cut(round, sockets: round == 3 ? 1 : 0)
                #expect(way == Self.endedEarly)
            }
        }
    }

    /// Not in the tests, where the compiler fails beside `async let`.
    private static func expect(_ transport: HTTPTransport, _ way: String) { #expect(transport.way == way) }

    private static let endedEarly = "HTTP: the WebSocket ended early 3 times in a row"

    /// A request for events is under way at nearly every cut. What is repeated after the last one opens no socket.
    @Test func aReaderOfEventsMovesToHTTPWhenTheSocketIsGivenUp() async throws {
        try await Self.withSecureHub { hub, proxy, transport in
            for _ in 1...2 {
                _ = try await transport.authenticate()
                Self.expect(transport, "WebSocket")
                try await proxy.cutAll()
                try await Eventually.holds("the socket is closed") { hub.sockets == 0 }
                try await Eventually.holds("the server is reached on a new one") {
                    (try? await transport.authenticate()) != nil && hub.sockets == 1
                }
            }
            let events = try #require(transport.events)
            let start = try await events.currentCursor(knowing: nil)
            let stream = try await events.open(from: start.cursor, knowing: nil)
            _ = try await stream.next(knowing: nil)
            async let next = stream.next(knowing: nil)
            try await Eventually.holds("the reader waits") { hub.eventReaders == 1 && hub.sockets == 1 }
            let connections = proxy.connectionCount
            try await proxy.cutAll()
            try await Eventually.holds("the reader connects again") { proxy.connectionCount > connections }
            try await Eventually.holds("the reader waits over HTTP") { hub.eventReaders == 1 && hub.sockets == 0 }
            Self.expect(transport, Self.endedEarly)
            _ = try await transport.deliver(try Sample.delivery(1...1))
            guard case .batch(let batch) = try await next else { throw CancellationError() }
            #expect(!batch.events.isEmpty)
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
