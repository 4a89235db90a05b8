import CausewayHTTPServer
import CausewayHub
import CausewayModels
import CausewayRecords
import CausewayTestSupport
import CausewayWire
import GRDB
import NIOCore
import NIOPosix
import Testing

/// Unread responses count in full until they have been sent, whatever the request.
@Suite struct SlowReaderTests {
    /// Reads the beginning of one response and nothing more.
    private final class FirstBytes: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let promise: EventLoopPromise<String>

        init(_ promise: EventLoopPromise<String>) { self.promise = promise }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            promise.succeed(String(buffer: unwrapInboundIn(data)))
        }

        func channelInactive(context: ChannelHandlerContext) { promise.fail(ChannelError.ioOnClosedChannel) }
    }

    /// Requests `path` once, and returns when the response has begun; nothing more of it is read.
    private static func ask(
        _ path: String, as client: HubClient
    ) async throws -> (channel: any NIOCore.Channel, beginning: String) {
        let promise = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: String.self)
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelOption(.autoRead, value: false)
            .channelOption(.socketOption(.so_rcvbuf), value: 4096)
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 64))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(FirstBytes(promise))
                }
            }
            .connect(host: "127.0.0.1", port: client.port).get()
        try await channel.writeAndFlush(
            ByteBuffer(
                string: "GET \(path) HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer \(client.token ?? "")\r\n\r\n"))
        channel.read()
        return (channel, try await promise.futureResult.get())
    }

    /// Requests `path` over one connection after the other until the hub refuses, and checks that each response counts
    /// its bytes.
    private static func expectShare(of path: String, _ hub: HubFixture) async throws {
        let whole = try await hub.client.get(path)
        #expect(whole.status == 200)
        let bad = try await hub.client(of: "bad")
        var slow: [any NIOCore.Channel] = []
        while slow.count < 40 {
            let (channel, beginning) = try await ask(path, as: bad)
            guard beginning.hasPrefix("HTTP/1.1 200") else {
                #expect(beginning.hasPrefix("HTTP/1.1 503"))
                try await channel.close()
                break
            }
            slow.append(channel)
        }
        #expect(slow.count > 1)
        #expect(slow.count * whole.body.count <= HubLimits.responseBytesPerAccountMax)
        #expect((slow.count + 2) * HubLimits.pageBytesMax > HubLimits.responseBytesPerAccountMax)
        #expect(try await hub.client.get(path).status == 200)
        for channel in slow { try await channel.close() }
        try await Eventually.holds("the share is free again") { try await bad.get(path).status == 200 }
    }

    @Test func ofPages() async throws {
        try await HubFixture.running { hub in
            let text = MessageContent.text(String(repeating: "x", count: 100_000))
            _ = try await hub.client.report(delivery((1...20).map { send($0, content: text) }))
            try await Self.expectShare(of: WireProtocol.messagesPath("general") + "?limit=1000", hub)
        }
    }

    /// Six times as long as the accepted text.
    @Test func ofOneMessage() async throws {
        try await HubFixture.running { hub in
            let text = MessageContent.text(String(repeating: "\u{1}", count: Limits.textBytesMax))
            _ = try await hub.client.report(delivery([send(1, content: text)]))
            try await Self.expectShare(of: WireProtocol.messagePath(id(1).description), hub)
        }
    }

    @Test func ofAListOfRecords() async throws {
        try await HubFixture.running { hub in
            let metadata = JSONValue.object(["k": .string(String(repeating: "v", count: 8_000))])
            let creations = try (1...200).map { number in
                let id = try #require(ChannelID("c\(number)"))
                return write(
                    Int64(number), ChannelAction.create(id, ChannelSettings(metadata: metadata)).write)
            }
            _ = try await hub.client.report(delivery(creations))
            try await Self.expectShare(of: WireProtocol.recordsPath("channel") + "?list=public&limit=1000", hub)
        }
    }

    /// The messages of a page are bounded with all the fields beside their content.
    @Test func aPageCountsAllBytesOfItsMessages() async throws {
        try await HubFixture.running { hub in
            let count: Int64 = 300
            _ = try await hub.client.report(delivery((1...count).map { send($0) }))
            let database = try hub.folder.openDatabase()
            try await database.write { db in
                let names = (0..<HubLimits.reactionNamesMax).map { number in
                    String("\(number)" + String(repeating: "r", count: 64)).prefix(Limits.reactionBytesMax)
                }
                for name in names {
                    try db.execute(
                        sql: "INSERT INTO reaction (message, name, account) SELECT number, ?, sender FROM message",
                        arguments: [String(name)])
                }
            }
            try database.close()
            let answer = try await hub.client.get(WireProtocol.messagesPath("general") + "?limit=1000")
            let page = try answer.decoded(WirePage.self)
            let (hasMore, last) = (page.hasMore, page.messages.last)
            #expect(hasMore)
            #expect(answer.body.count <= HubLimits.pageBytesMax + 1024)
            #expect(last?.myReactions?.count == HubLimits.reactionNamesMax)
            #expect(try await hub.client.messages().map(\.position) == Array(1...count))
        }
    }
}
