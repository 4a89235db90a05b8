import CausewayHTTPServer
import CausewayHub
import CausewayHubRules
import CausewayModels
import CausewayRecords
import CausewayTestSupport
import CausewayWire
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

/// An account or address at its worst leaves the others their share.
@Suite struct ShareTests {
    private static func open(_ port: Int, from address: String = "127.0.0.2") async throws -> any NIOCore.Channel {
        try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelOption(.autoRead, value: false)
            .bind(to: SocketAddress(ipAddress: address, port: 0))
            .connect(host: "127.0.0.1", port: port).get()
    }

    /// Waits until the hub, too, knows that all requests have ended: clients may have the responses before.
    private static func areIdle(_ hub: HubFixture, but open: Int = 0) async throws {
        try await Eventually.holds("all requests have ended") { hub.hub.requestsInProgress == open }
    }

    /// Connections without a request of one address fill its share and no more.
    @Test func idleConnectionsOfOneAddressShutNobodyOut() async throws {
        var limits = ConnectionLimits.patient
        limits.connectionsMax = 16
        limits.connectionsPerPeerMax = 8
        let bounded = limits
        try await HubFixture.running(limits: bounded) { hub in
            var idle: [any NIOCore.Channel] = []
            for _ in 0..<40 { idle.append(try await Self.open(hub.port)) }
            #expect(try await hub.client.report(delivery([send(1)])).positions == [1])
            #expect(try await hub.client.get("/healthz").status == 200)
            for channel in idle { try? await channel.close() }
        }
    }

    /// Bodies that have almost completely arrived use up the account's share; another account is not affected.
    @Test func bodiesUnderWayOfOneAccountShutNobodyOut() async throws {
        try await HubFixture.running { hub in
            let bad = try await hub.client(of: "bad")
            let head =
                "POST /v1/deliveries HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer \(bad.token ?? "")\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(HubLimits.requestBytesMax)\r\n\r\n"
            let most = String(repeating: " ", count: HubLimits.requestBytesMax - 1024)
            var slow: [any NIOCore.Channel] = []
            // More than all bodies may hold at once.
            for _ in 0..<16 {
                let channel = try await Self.open(hub.port)
                // Not awaited: a body without room is not read.
                channel.writeAndFlush(ByteBuffer(string: head + most), promise: nil)
                slow.append(channel)
            }
            let text = MessageContent.text(String(repeating: "x", count: 100_000))
            for number in 1...40 as ClosedRange<Int64> {
                let large = delivery([send(number, content: text)])
                #expect(try await hub.client.report(large).kinds == [.accepted])
            }
            for channel in slow { try? await channel.close() }
        }
    }

    /// Unread pages count until they have been sent.
    @Test func pagesThatAreNotReadHoldTheirAccountsShare() async throws {
        try await HubFixture.running { hub in
            let text = MessageContent.text(String(repeating: "x", count: Limits.textBytesMax))
            for start in stride(from: Int64(1), through: 60, by: 20) {
                _ = try await hub.client.report(delivery((start..<start + 20).map { send($0, content: text) }))
            }
            let bad = try await hub.client(of: "bad")
            let request =
                "GET /v1/channels/general/messages?limit=1000 HTTP/1.1\r\nHost: h\r\n"
                + "Authorization: Bearer \(bad.token ?? "")\r\n\r\n"
            var slow: [any NIOCore.Channel] = []
            for _ in 0..<30 {
                let channel = try await Self.open(hub.port)
                for _ in 0..<8 { channel.writeAndFlush(ByteBuffer(string: request), promise: nil) }
                slow.append(channel)
            }
            let path = WireProtocol.messagesPath("general") + "?limit=1000"
            try await Eventually.holds("the account has used up its share") {
                try await bad.get(path).errorCode == "busy"
            }
            let page = try await hub.client.get(path)
            #expect(page.status == 200)
            #expect(page.body.count < HubLimits.pageBytesMax + 2 * Limits.textBytesMax)
            #expect(try page.decoded(WirePage.self).hasMore)
            for channel in slow { try? await channel.close() }
            try await Eventually.holds("the share is free again") { try await bad.get(path).status == 200 }
        }
    }

    /// From all addresses together: the connection that was idle longest makes room for a new one of the same account.
    @Test func connectionsOfOneAccountFillItsShareAndNoMore() async throws {
        try await HubFixture.running {
            $0.connectionsPerAccountMax = 2
        } _: { hub in
            let bad = try await hub.client(of: "bad")
            try await hub.client.connected { other in
                #expect(try await other.send(.GET, "/v1/session").status == 200)
                try await bad.connected { first in
                    #expect(try await first.send(.GET, "/v1/session").status == 200)
                    try await Self.areIdle(hub)
                    try await bad.connected { second in
                        #expect(try await second.send(.GET, "/v1/session").status == 200)
                        try await Self.areIdle(hub)
                        try await bad.connected { third async throws in
                            #expect(try await third.send(.GET, "/v1/session").status == 200)
                            await first.closes()
                            #expect(try await second.send(.GET, "/v1/session").status == 200)
                            #expect(try await third.send(.GET, "/v1/session").status == 200)
                        }
                    }
                }
                #expect(try await other.send(.GET, "/v1/session").status == 200)
            }
        }
    }

    /// A socket, or a stream, is in use for as long as it is open, however long ago it was requested.
    @Test func anOpenSocketMakesNoRoom() async throws {
        try await HubFixture.running {
            $0.connectionsPerAccountMax = 2
        } _: { hub in
            let bad = try await hub.client(of: "bad")
            let socket = try await RawSocket.open(port: hub.port, token: bad.token ?? "")
            #expect(try await socket.get("/v1/session").status == 200)
            try await bad.connected { first in
                #expect(try await first.send(.GET, "/v1/session").status == 200)
                try await Self.areIdle(hub, but: 1)
                try await bad.connected { second async throws in
                    #expect(try await second.send(.GET, "/v1/session").status == 200)
                    #expect(try await socket.get("/v1/session", id: 2).status == 200)
                    await first.closes()
                }
            }
            await socket.close()
        }
    }

    /// With all its accounts together.
    @Test func anAddressMakesItsShareOfNewChannels() async throws {
        try await HubFixture.running {
            $0.newChannelsPerPeerMax = 3
            // None is earned while the test runs.
            $0.newChannelRefill = .seconds(86_400)
        } _: { hub in
            let bad = try await hub.client(of: "bad")
            for name in ["a", "b"] { #expect(try await bad.send(.PUT, WireProtocol.channelPath(name)).status == 201) }
            #expect(try await hub.client.send(.PUT, WireProtocol.channelPath("c")).status == 201)
            for client in [bad, hub.client] {
                let more = try await client.send(.PUT, WireProtocol.channelPath("d"))
                #expect(more.status == 429 && more.errorCode == "tooManyNewChannels")
                // From the last new channel on.
                let wait = more.headers.first(name: "Retry-After").flatMap { Int64($0) }
                #expect(wait.map { (1...86_400).contains($0) } == true)
                #expect(try await client.send(.PUT, WireProtocol.channelPath("a")).status == 200)
            }
        }
    }

    @Test func anAccountMakesItsShareOfChannelsAndUnusedOnesCanBeRemoved() async throws {
        try await HubFixture.running { hub in
            let bad = try await hub.client(of: "bad")
            try await bad.connected { connection in
                for number in 0..<ChannelLimits.channelsPerCreatorMax {
                    #expect(try await connection.send(.PUT, WireProtocol.channelPath("c\(number)")).status == 201)
                }
                let more = try await connection.send(.PUT, WireProtocol.channelPath("more"))
                #expect(more.status == 422)
                #expect(more.errorCode == "tooMany")
                // An existing channel is not a new one.
                #expect(try await connection.send(.PUT, WireProtocol.channelPath("c1")).status == 200)
            }
            #expect(try await hub.client.send(.PUT, WireProtocol.channelPath("mine")).status == 201)
            let unused = try #require(ChannelID("c1"))
            try await hub.hub.administration.removeChannel(unused)
            #expect(try await bad.send(.PUT, WireProtocol.channelPath("more")).status == 201)
            _ = try await hub.client.report(delivery([send(1, channel: "mine")]))
            let used = try #require(ChannelID("mine"))
            for (channel, code) in [(used, "channelInUse"), (unused, "channelNotFound")] {
                let error = await #expect(throws: HubError.self) {
                    try await hub.hub.administration.removeChannel(channel)
                }
                guard case .refused(let problem) = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                #expect(problem.code == code)
            }
        }
    }

    @Test func refusalsChannelsAndDeletionsAreLoggedWithWhoAndFromWhere() async throws {
        try await HubFixture.running { hub in
            _ = try await HubClient(port: hub.port, token: "cwt_secret").get("/v1/session")
            _ = try await hub.client.send(.PUT, WireProtocol.channelPath("new"))
            _ = try await hub.client.send(.PUT, WireProtocol.channelPath("new"))
            _ = try await hub.client.report(delivery([send(1), send(2), delete(3, 1), delete(4, 2)]))
            #expect(hub.log.contains("notice token refused peer=127.0.0.1 reason=unknown"))
            #expect(hub.log.contains("notice channel created account=me channel=new peer=127.0.0.1"))
            #expect(hub.log.contains("notice messages deleted account=me count=2 ids=\(id(1)),\(id(2)) peer=127.0.0.1"))
            #expect(hub.log.lines.filter { $0.contains("channel created") }.count == 1)
            #expect(!hub.log.contains("cwt_secret"))
        }
    }
}
