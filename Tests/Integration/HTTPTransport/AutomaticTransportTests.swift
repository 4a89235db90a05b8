import CausewayHTTPTransport
import CausewayHub
import CausewayHubSQLite
import CausewayTLS
import CausewayTestSupport
import CausewayTransport
import Dispatch
import NIOCore
import NIOPosix
import Synchronization
import Testing

/// The transport over the better of both ways: a WebSocket, or HTTP while there is none.
@Suite struct AutomaticTransportTests {
    private static func withSecureHub(
        change: @Sendable (inout HubConfiguration) -> Void = { _ in },
        eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        retryMin: Duration = .seconds(86_400),
        _ body: @Sendable (HubService, _ proxy: FaultProxy, HTTPTransport) async throws -> Void
    ) async throws {
        let (temporary, folder, token) = try await Sample.hubFolder()
        var configuration = HubConfiguration.secure(folder)
        change(&configuration)
        try await HubService.running(configuration, opening: SQLiteHubStorage.open, logger: Sample.silentLogger) {
            hub in
            try await FaultProxy.run(to: try await hub.port()) { proxy, port in
                var configuration = HTTPTransportConfiguration(
                    tls: TLSClientConfiguration(trust: .authorities(path: folder.authorityCertificate)),
                    timeouts: .unhurried,
                    proxy: .none,
                    eventLoopGroup: eventLoopGroup)
                // However slow the machine is, every socket here ends early, and by default HTTP stays.
                configuration.carrierChoice = CarrierChoice(retryMin: retryMin, lifeMin: .seconds(86_400))
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
            #expect(report.positions == [1, 2])
            #expect(hub.sockets == 1 && proxy.connectionCount == 1)
        }
    }

    /// No request notices that there is no socket.
    @Test func withoutASocketRequestsGoOverHTTP() async throws {
        let change: @Sendable (inout HubConfiguration) -> Void = { $0.socketCounts.total = 0 }
        try await Self.withSecureHub(change: change) { hub, _, transport in
            let report = try await transport.deliver(try Sample.delivery(1...2))
            #expect(report.positions == [1, 2])
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
                #expect(report.positions == range.map(Int64.init))
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

    /// A socket that was given up is tried again beside the requests over HTTP.
    @Test func aSocketThatWasGivenUpIsUsedAgain() async throws {
        try await Self.withSecureHub(retryMin: .zero) { hub, proxy, transport in
            try await Self.endTwoSockets(hub, proxy, transport)
            try await proxy.cutAll()
            try await Eventually.holds("the socket is given up") { transport.way == Self.endedEarly }
            try await Eventually.holds("requests travel over a socket again") {
                (try? await transport.authenticate()) != nil && transport.way == "WebSocket"
            }
            #expect(hub.sockets == 1)
        }
    }

    /// A request may choose the socket just before the last one is found to have ended.
    ///
    /// The one event loop of the transport is held twice: until a connection of the test and the cut can be read in one
    /// round, and in this round before the cut is, while the requests choose.
    @Test func noRequestOpensASocketThatWasGivenUpMeanwhile() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        try await Self.withSecureHub(eventLoopGroup: group) { hub, proxy, transport in
            try await Self.endTwoSockets(hub, proxy, transport)
            let (first, second) = (HeldLoop(), HeldLoop())
            let listener = try await ServerBootstrap(group: group).childChannelInitializer { channel in
                second.hold()
                return channel.eventLoop.makeSucceededVoidFuture()
            }.bind(host: "127.0.0.1", port: 0).get()
            group.any().execute { first.hold() }
            try await Eventually.holds("the loop is held") { first.isHeld }
            let knock = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(to: try #require(listener.localAddress)).get()
            try await proxy.cutAll()
            try await Eventually.holds("the socket is closed") { hub.sockets == 0 }
            first.release()
            try await Eventually.holds("the loop is held again") { second.isHeld }
            let (starts, started) = AsyncStream<Void>.makeStream()
            await withTaskGroup { tasks in
                // Only those that still run may not have chosen when all have started.
                for _ in 1...32 {
                    tasks.addTask {
                        started.yield()
                        _ = try? await transport.authenticate()
                    }
                }
                for await _ in starts.prefix(32) {}
                second.release()
            }
            Self.expect(transport, Self.endedEarly)
            #expect(hub.sockets == 0)
            try await knock.close()
            try await listener.close()
        }
        try await group.shutdownGracefully()
    }

    /// Two sockets end early; the third one is open then.
    private static func endTwoSockets(
        _ hub: HubService, _ proxy: FaultProxy, _ transport: HTTPTransport
    ) async throws {
        for _ in 1...2 {
            _ = try await transport.authenticate()
            expect(transport, "WebSocket")
            try await proxy.cutAll()
            try await Eventually.holds("the socket is closed") { hub.sockets == 0 }
            try await Eventually.holds("the server is reached on a new one") {
                (try? await transport.authenticate()) != nil && hub.sockets == 1
            }
        }
        expect(transport, "WebSocket")
    }

    /// Not in the tests, where the compiler fails beside `async let`.
    private static func expect(_ transport: HTTPTransport, _ way: String) { #expect(transport.way == way) }

    private static let endedEarly = "HTTP: the WebSocket ended early 3 times in a row"

    /// A request for events is under way at nearly every cut. What is repeated after the last one opens no socket.
    @Test func aReaderOfEventsMovesToHTTPWhenTheSocketIsGivenUp() async throws {
        try await Self.withSecureHub { hub, proxy, transport in
            try await Self.endTwoSockets(hub, proxy, transport)
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
}

/// Holds an event loop in one of its turns.
private final class HeldLoop: Sendable {
    private let released = DispatchSemaphore(value: 0)
    private let wasEntered = Atomic(false)

    var isHeld: Bool { wasEntered.load(ordering: .acquiring) }

    /// Blocks the calling thread until it is released.
    func hold() {
        wasEntered.store(true, ordering: .releasing)
        released.wait()
    }

    func release() { released.signal() }
}
