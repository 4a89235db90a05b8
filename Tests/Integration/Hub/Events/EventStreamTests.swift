import CausewayHTTPServer
import CausewayHub
import CausewayHubSQLite
import CausewayModels
import CausewayRecords
import CausewayTestSupport
import CausewayWire
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import ServiceLifecycle
import Testing

/// `GET /v1/events` as server-sent events.
@Suite struct EventStreamTests {
    @Test(arguments: HubFixture.StorageKind.allCases)
    func aStreamGoesOnFromItsLastEvent(kind: HubFixture.StorageKind) async throws {
        try await HubFixture.running(on: kind) { hub in
            let me = EventAuthor("me", hub.client, ids: 0)
            let last = try await hub.client.streaming("") { stream in
                let first = try #require(try await stream.nextPart())
                #expect(first.isUpToDate && first.events.isEmpty)
                let head = try #require(stream.head)
                #expect(head.status == .ok)
                #expect(head.headers["Content-Type"] == ["text/event-stream"])
                #expect(head.headers["Cache-Control"] == ["no-store"])
                #expect(head.headers["X-Accel-Buffering"] == ["no"])
                #expect(head.headers[WireProtocol.header] == [WireProtocol.version])
                #expect(!head.headers[WireProtocol.historyHeader].isEmpty)
                for number in 1...3 as ClosedRange<UInt64> {
                    try await me.send()
                    let part = try #require(try await stream.nextPart())
                    #expect(part.names == ["message \(id(number))", "channel general"])
                    #expect(part.isUpToDate)
                }
                try await me.send()
                return try #require(try await stream.nextPart()).cursor
            }
            try await me.send("missed")
            try await me.send("missed, too")
            // The last event's id wins over the cursor of the repeated request.
            let old = try await hub.client.eventCursor()
            let names = try await hub.client.streaming("cursor=\(old)", headers: ["Last-Event-ID": last]) { stream in
                try #require(try await stream.nextPart()).names
            }
            #expect(names == ["message \(id(5))", "message \(id(6))", "channel general"])
            try await Eventually.holds("the readers have left") { hub.hub.eventReaders == 0 }
        }
    }

    /// Documented, and longer than no idle time-out of a common proxy.
    @Test func aCommentIsSentEvery15Seconds() {
        #expect(HubConfiguration(folder: DataFolder("hub"), security: .plainOnLoopback).eventComment == .seconds(15))
    }

    @Test func commentsShowThatAStreamLives() async throws {
        let change: @Sendable (inout HubConfiguration) -> Void = {
            $0.eventComment = .milliseconds(30)
            $0.eventCheck = .milliseconds(10)
        }
        try await HubFixture.running(change: change) { hub in
            try await hub.client.streaming("") { stream in
                #expect(try await stream.nextPart()?.isUpToDate == true)
                for _ in 0..<20 { #expect(try await stream.next() == .comment) }
                _ = try await hub.client.report(delivery([send(1)]))
                #expect(try await stream.nextPart()?.names.first == "message \(id(1))")
            }
        }
    }

    @Test func aStreamEndsWithItsToken() async throws {
        let change: @Sendable (inout HubConfiguration) -> Void = {
            $0.eventComment = .milliseconds(30)
            $0.eventCheck = .milliseconds(10)
        }
        try await HubFixture.running(change: change) { hub in
            let other = try await hub.client(of: "other")
            try await other.streaming("") { stream in
                #expect(try await stream.nextPart()?.isUpToDate == true)
                _ = try await hub.hub.administration.renewAccount("other")
                while let block = try await stream.next() { #expect(block == .comment) }
            }
        }
    }

    /// Changes do not put off the check of the token.
    @Test func aBusyStreamEndsWithItsToken() async throws {
        let change: @Sendable (inout HubConfiguration) -> Void = { $0.eventComment = .milliseconds(500) }
        try await HubFixture.running(change: change) { hub in
            let other = try await hub.client(of: "other")
            let changesMax = 5_000 as UInt64
            let author = Task {
                let me = EventAuthor("me", hub.client, ids: 0)
                var sent = 0 as UInt64
                while !Task.isCancelled, sent < changesMax {
                    // The last one may be cancelled.
                    _ = try? await me.send()
                    sent += 1
                }
                return sent
            }
            try await other.streaming("") { stream in
                #expect(try await stream.nextPart() != nil)
                _ = try await hub.hub.administration.renewAccount("other")
                while try await stream.next() != nil {}
            }
            author.cancel()
            #expect(await author.value < changesMax)
        }
    }

    @Test func aStreamEndsWithAReset() async throws {
        try await HubFixture.running { hub in
            let foreign = String(repeating: "0", count: 32) + "-" + String(repeating: "1", count: 32) + "-5"
            try await hub.client.streaming("cursor=\(foreign)") { stream in
                let part = try #require(try await stream.nextPart())
                #expect(part.isReset)
                #expect(try await stream.next() == nil)
                #expect(try await hub.client.events("cursor=\(part.cursor)").isUpToDate)
            }
        }
    }

    /// Only a client that names them gets server-sent events (RFC 9110 §12.5.1).
    @Test func serverSentEventsAreForThoseWhoTakeThem() async throws {
        let stream = "text/event-stream"
        let rows: [(accept: String, isStream: Bool)] = [
            (stream, true), ("TEXT/Event-Stream", true), ("application/json, \(stream)", true),
            ("\(stream);q=0.1", true), ("\(stream) ;charset=utf-8;\tQ=1", true), ("\(stream);v=\"a,b;q=0\"", true),
            ("\(stream);q=0", false), ("\(stream); Q=0.000", false), ("application/json, \(stream);q=0", false),
            ("text/plain;v=\",\(stream),\"", false), ("text/plain;v=\"\\\",\(stream),\"", false),
            ("text/event-streams", false), ("text/*", false), ("*/*", false), ("", false),
        ]
        try await HubFixture.running { hub in
            // A reset ends either response at once.
            let foreign = String(repeating: "0", count: 32) + "-" + String(repeating: "1", count: 32) + "-5"
            for (accept, isStream) in rows {
                let answer = try await hub.client.send(
                    .GET, WireProtocol.eventsPath + "?cursor=\(foreign)", headers: ["Accept": accept])
                #expect(
                    answer.headers.first(name: "Content-Type") == (isStream ? stream : "application/json"),
                    "\(accept)")
            }
        }
    }

    /// A reader that does not read holds a position. It gets everything afterwards, each record once.
    @Test func aSlowReaderDelaysNobody() async throws {
        try await HubFixture.running { hub in
            let cursor = try await hub.client.eventCursor()
            let channel = try await Self.slow("cursor=\(cursor)", hub.client)
            let text = String(repeating: "x", count: 100_000)
            let me = EventAuthor("me", hub.client, ids: 0)
            for _ in 0..<60 { try await me.send(text) }
            let fast = try await hub.client.allEvents(after: cursor, limit: 5)
            #expect(fast.events.filter { $0.kind == "message" }.count == 60)
            // 6 MB have not been read; the hub holds one part of them, and the system its buffers.
            #expect(hub.hub.eventReaders == 1)
            try await channel.close()
            try await Eventually.holds("the reader has left") { hub.hub.eventReaders == 0 }
        }
    }

    /// A client that has ended its side needs nothing more: what it has not read does not keep it a reader.
    @Test func aSlowReaderThatLeavesIsNoReader() async throws {
        try await HubFixture.running { hub in
            let cursor = try await hub.client.eventCursor()
            let text = String(repeating: "x", count: 100_000)
            let me = EventAuthor("me", hub.client, ids: 0)
            for _ in 0..<20 { try await me.send(text) }
            let channel = try await Self.slow("cursor=\(cursor)", hub.client)
            try await Eventually.holds("it reads") { hub.hub.eventReaders == 1 }
            try await channel.close(mode: .output)
            try await Eventually.holds("the reader has left") { hub.hub.eventReaders == 0 }
            try? await channel.close()
        }
    }

    private static func slow(_ query: String, _ client: HubClient) async throws -> any NIOCore.Channel {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelOption(.autoRead, value: false)
            .channelOption(.socketOption(.so_rcvbuf), value: 4096)
            .connect(host: "127.0.0.1", port: client.port).get()
        let request =
            "GET \(WireProtocol.eventsPath)?\(query) HTTP/1.1\r\nHost: h\r\nAccept: text/event-stream\r\n"
            + "Authorization: Bearer \(client.token ?? "")\r\n\r\n"
        try await channel.writeAndFlush(ByteBuffer(string: request))
        return channel
    }

    /// Waiting requests and streams end at once when the hub stops, and completely.
    @Test func aHubThatStopsEndsItsReaders() async throws {
        let temporary = try TemporaryFolder()
        let folder = DataFolder(temporary.path)
        try await HubFixture.prepare(folder)
        let configuration = HubConfiguration(folder: folder, security: .plainOnLoopback).patient
        let hub = try await HubService(configuration, opening: SQLiteHubStorage.open, logger: HubFixture.logger)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(services: [hub], logger: HubFixture.logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let client = HubClient(port: try await hub.port(), token: try HubFixture.token(in: folder))
            let cursor = try await client.eventCursor()
            tasks.addTask {
                let part = try await client.events("cursor=\(cursor)&wait=30")
                #expect(part.isUpToDate && part.cursor == cursor)
            }
            tasks.addTask {
                try await client.streaming("cursor=\(cursor)") { stream in
                    let first = try await stream.nextPart()
                    let last = try await stream.next()
                    #expect(first?.isUpToDate == true && last == nil)
                }
            }
            try await Eventually.holds("both wait") { hub.eventReaders == 2 }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    /// Over TLS, with an independent client.
    @Test func aStreamWithCurl() async throws {
        let temporary = try TemporaryFolder()
        let folder = DataFolder(temporary.path)
        try await HubFixture.prepare(folder)
        try await HubService.running(
            HubConfiguration.secure(folder).patient, opening: SQLiteHubStorage.open, logger: HubFixture.logger
        ) { hub in
            let header = folder.path + "/authorization"
            let token = try HubFixture.token(in: folder)
            try "Authorization: Bearer \(token)\n".write(toFile: header, atomically: true, encoding: .utf8)
            let base = ["-sS", "-N", "-m", "600", "-H", "@\(header)", "--cacert", folder.authorityCertificate]
            let url = "https://localhost:\(try await hub.port())" + WireProtocol.eventsPath
            let end = try await Program.curl.run(base + [url])
            let cursor = try JSONDecoder().decode(WireEvents.self, from: Data(end.output.utf8)).cursor
            let waiting = Task { try await Program.curl.run(base + ["\(url)?cursor=\(cursor)&wait=30"]) }
            let stream = try Program.curl.start(
                base + ["-H", "Accept: text/event-stream", "-H", "Last-Event-ID: \(cursor)", url])
            try await Eventually.holds("both wait") { hub.eventReaders == 2 && stream.output.hasSuffix("\n\n") }
            #expect(stream.output.hasPrefix("id: \(cursor)\ndata: {"))
            let user = try #require(UserID("other"))
            _ = try await hub.administration.addAccount(user.value)
            try await hub.administration.setMember(
                ChannelMemberID(channel: try #require(ChannelID("general")), user: user), .member)
            #expect(try await waiting.value.output.contains("general/other"))
            try await Eventually.holds("the event arrives") { stream.output.contains("general/other") }
            stream.kill()
        }
    }
}
