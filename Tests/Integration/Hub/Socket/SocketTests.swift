import CausewayHTTPServer
import CausewayHub
import CausewayModels
import CausewayTestSupport
import CausewayWire
import NIOHTTP1
import Testing

/// The requests of the hub over a WebSocket: the same as over HTTP.
@Suite struct SocketTests {
    private static let post = "POST"

    static func delivering(_ delivery: WireDelivery, id: Int64) throws -> WireSocket.Request {
        WireSocket.Request(
            id: id, method: post, path: WireProtocol.deliveriesPath, body: try HubClient.coded(delivery))
    }

    // MARK: - Opening

    @Test func theHandshakeFollowsTheStandard() async throws {
        try await HubFixture.running { hub in
            let socket = try await RawSocket.connect(port: hub.port)
            let head = try await socket.handshake(token: hub.client.token ?? "").lowercased()
            #expect(head.hasPrefix("http/1.1 101 "))
            // The example of RFC 6455 §1.3.
            #expect(head.contains("sec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo=\r\n"))
            #expect(head.contains("sec-websocket-protocol: causeway.v1\r\n"))
            #expect(head.contains("causeway-window: \(HubLimits.socketRequestsMax)\r\n"))
            #expect(head.contains("causeway-protocol: 1\r\n"))
            #expect(head.contains("causeway-history: "))
            #expect(!head.contains("sec-websocket-extensions"))
            #expect(!head.contains("content-length") && !head.contains("transfer-encoding"))
        }
    }

    @Test func aRequestThatIsNoHandshakeIsRefused() async throws {
        let changes: [(change: @Sendable (inout [String: String]) -> Void, status: String)] = [
            ({ $0["Authorization"] = "Bearer wrong" }, "401"),
            ({ $0["Origin"] = "https://page.example" }, "403"),
            ({ $0["Upgrade"] = nil }, "426"), ({ $0["Upgrade"] = "h2c" }, "426"),
            ({ $0["Connection"] = "keep-alive" }, "426"), ({ $0["Sec-WebSocket-Version"] = "8" }, "426"),
            ({ $0["Sec-WebSocket-Key"] = nil }, "400"), ({ $0["Sec-WebSocket-Key"] = "short" }, "400"),
            ({ $0["Sec-WebSocket-Protocol"] = nil }, "400"), ({ $0["Sec-WebSocket-Protocol"] = "chat" }, "400"),
        ]
        try await HubFixture.running { hub in
            for (change, status) in changes {
                let socket = try await RawSocket.connect(port: hub.port)
                let head = try await socket.handshake(token: hub.client.token ?? "", change: change)
                #expect(head.hasPrefix("HTTP/1.1 \(status) "), "\(head)")
                #expect(head.lowercased().contains("causeway-protocol: 1\r\n"))
                #expect(head.lowercased().contains("causeway-history: ") == (status != "401"), "\(head)")
                await socket.close()
            }
        }
    }

    @Test func socketsAreBoundedForEachAccount() async throws {
        let change: @Sendable (inout HubConfiguration) -> Void = { $0.socketCounts.perAccount = 2 }
        try await HubFixture.running(change: change) { hub in
            let first = try await RawSocket.open(hub)
            let second = try await RawSocket.open(hub)
            let third = try await RawSocket.connect(port: hub.port)
            let head = try await third.handshake(token: hub.client.token ?? "")
            #expect(head.hasPrefix("HTTP/1.1 503 "))
            #expect(head.lowercased().contains("retry-after: "))
            let other = try await hub.client(of: "other")
            _ = try await RawSocket.open(hub, token: other.token)
            await first.close()
            try await Eventually.holds("the share is free") { (try? await RawSocket.open(hub)) != nil }
            #expect(try await second.get(WireProtocol.sessionPath).status == 200)
        }
    }

    @Test func socketsAreBoundedForEachAddress() async throws {
        let change: @Sendable (inout HubConfiguration) -> Void = { $0.socketCounts.perPeer = 1 }
        try await HubFixture.running(change: change) { hub in
            let first = try await RawSocket.open(hub)
            // Another account on the same address.
            let token = try await hub.client(of: "other").token ?? ""
            let second = try await RawSocket.connect(port: hub.port)
            #expect(try await second.handshake(token: token).hasPrefix("HTTP/1.1 503 "))
            await first.close()
            try await Eventually.holds("the share is free") {
                (try? await RawSocket.open(port: hub.port, token: token)) != nil
            }
        }
    }

    // MARK: - Requests

    /// Status and body are those of HTTP.
    @Test func everyRequestHasTheResponseThatHTTPHas() async throws {
        try await HubFixture.running { hub in
            _ = try await hub.client.report(delivery([send(1), send(2)]))
            let socket = try await RawSocket.open(hub)
            let paths = [
                WireProtocol.sessionPath, WireProtocol.messagesPath("general"),
                WireProtocol.messagesPath("general") + "?limit=1&after=1", WireProtocol.messagesPath("none"),
                WireProtocol.messagesPath("general") + "?limit=x", WireProtocol.messagePath(id(1).description),
                WireProtocol.messagePath(id(9).description), WireProtocol.recordPath("channel", "general"),
                WireProtocol.eventsPath, WireProtocol.eventsPath + "?cursor=x", "/v1/nothing", WireProtocol.healthPath,
            ]
            for (number, path) in paths.enumerated() {
                let overSocket = try await socket.get(path, id: Int64(number))
                let overHTTP = try await hub.client.get(path)
                #expect(overSocket.id == Int64(number))
                #expect(overSocket.status == overHTTP.status, "\(path)")
                #expect(overSocket.body == overHTTP.body, "\(path)")
                // A message has neither a type nor a length.
                #expect(overSocket.headers["content-type"] == nil && overSocket.headers["cache-control"] == nil)
                for name in [WireProtocol.header, WireProtocol.historyHeader, "Retry-After", "Allow"] {
                    #expect(
                        overSocket.headers[name.lowercased()] == overHTTP.headers.first(name: name), "\(path) \(name)")
                }
            }
        }
    }

    @Test func aDeliveryIsAppliedOnceOverBothWays() async throws {
        try await HubFixture.running { hub in
            let socket = try await RawSocket.open(hub)
            let first = delivery([send(1), send(2)])
            try await socket.request(try Self.delivering(first, id: 1))
            let response = try await socket.response()
            #expect(response.status == 200)
            let report = try JSONCoding.decode(WireReport.self, from: try #require(response.body))
            #expect(report.kinds == [.accepted, .accepted])
            #expect(try await hub.client.report(first) == report)
            #expect(try await hub.client.messages().count == 2)
        }
    }

    @Test func deliveriesOfALaneMayBeSentAhead() async throws {
        try await HubFixture.running { hub in
            let socket = try await RawSocket.open(hub)
            for number in 1...12 as ClosedRange<Int64> {
                let part = delivery([send(number)], isPipelined: number > 1)
                try await socket.request(try Self.delivering(part, id: number))
            }
            var ids: Set<Int64> = []
            for _ in 1...12 {
                let response = try await socket.response()
                ids.insert(response.id)
                let report = try JSONCoding.decode(WireReport.self, from: try #require(response.body))
                #expect(report.kinds == [.accepted])
            }
            #expect(ids == Set(1...12))
            #expect(try await hub.client.messages().map(\.id) == (1...12).map { id(UInt64($0)) })
        }
    }

    @Test func aThousandRequestsAreAnswered() async throws {
        try await HubFixture.running { hub in
            let socket = try await RawSocket.open(hub)
            for number in 1...1000 as ClosedRange<Int64> {
                try await socket.request(
                    WireSocket.Request(id: number, method: "GET", path: WireProtocol.sessionPath))
            }
            var ids: Set<Int64> = []
            for _ in 1...1000 {
                let response = try await socket.response()
                #expect(response.status == 200)
                ids.insert(response.id)
            }
            #expect(ids.count == 1000)
        }
    }

    /// As many requests are under way as the window says; a further one waits until one of them has its response.
    @Test func theWindowBoundsTheRequestsUnderWay() async throws {
        let faults = HubFaults()
        try await HubFixture.running(faults: faults) { hub in
            let socket = try await RawSocket.open(hub)
            let holds = (0..<HubLimits.socketRequestsMax).map { _ in HubFaults.Hold() }
            let last = HubFaults.Hold()
            for hold in holds + [last] { faults.inject(.hold(hold), times: 1) }
            let ids = 1...Int64(HubLimits.socketRequestsMax + 1)
            for id in ids { try await socket.request(try Self.delivering(delivery([send(1)]), id: id)) }
            try await Eventually.holds("the window is full") { holds.allSatisfy(\.isHeld) }
            for _ in 0..<10 { #expect(try await hub.client.get(WireProtocol.sessionPath).status == 200) }
            #expect(!last.isHeld)
            holds[0].release()
            try await Eventually.holds("the further one begins") { last.isHeld }
            for hold in holds + [last] { hold.release() }
            var answered: Set<Int64> = []
            for _ in ids { answered.insert(try await socket.response().id) }
            #expect(answered == Set(ids))
        }
    }

    /// A page is larger than a frame.
    @Test func aLongResponseComesInFrames() async throws {
        try await HubFixture.running { hub in
            let text = String(repeating: "ä", count: 10_000)
            for number in 1...12 as ClosedRange<Int64> {
                _ = try await hub.client.report(delivery([send(number, content: .text(text))]))
            }
            let socket = try await RawSocket.open(hub)
            let path = WireProtocol.messagesPath("general") + "?limit=100"
            let response = try await socket.get(path)
            #expect(response.body == (try await hub.client.get(path)).body)
            #expect(try #require(response.body).count > 200_000)
        }
    }

    @Test func aRequestThatHTTPCouldNotHaveIsRefused() async throws {
        try await HubFixture.running { hub in
            let socket = try await RawSocket.open(hub)
            let requests = [
                WireSocket.Request(id: 1, method: "GE T", path: "/v1/session"),
                WireSocket.Request(id: 2, method: "GET", path: "v1/session"),
                WireSocket.Request(id: 3, method: "GET", path: "/v1/session", headers: ["a b": "c"]),
                WireSocket.Request(id: 4, method: "GET", path: "/v1/session", headers: ["causeway-history": "a\r\nb"]),
            ]
            for request in requests {
                try await socket.request(request)
                let response = try await socket.response()
                #expect(response.id == request.id)
                #expect(response.status == 400)
                #expect(response.headers[WireProtocol.historyHeader.lowercased()] != nil)
            }
            #expect(try await socket.get("/v1/session").status == 200)
        }
    }

    /// The token is the socket's: a request cannot have another one.
    @Test func aRequestActsForTheAccountOfTheSocket() async throws {
        try await HubFixture.running { hub in
            let other = try await hub.client(of: "other")
            let socket = try await RawSocket.open(hub)
            try await socket.request(
                WireSocket.Request(
                    id: 1, method: "GET", path: WireProtocol.sessionPath,
                    headers: ["authorization": "Bearer \(other.token ?? "")"]))
            let body = try #require(try await socket.response().body)
            #expect(try JSONCoding.decode(WireSession.self, from: body).user.value == "me")
        }
    }

    /// Files, and sockets within sockets.
    @Test func whatIsNoJSONNeedsAConnectionOfItsOwn() async throws {
        try await HubFixture.running { hub in
            let socket = try await RawSocket.open(hub)
            let requests = [
                ("GET", WireSocket.path), ("OPTIONS", "/v1/uploads"), ("POST", "/v1/uploads"),
                ("HEAD", "/v1/uploads/0"), ("PATCH", "/v1/uploads/0"), ("DELETE", "/v1/uploads/0"),
                ("HEAD", "/v1/blobs/0"), ("GET", "/v1/blobs/0"),
            ]
            for (id, (method, path)) in zip(1..., requests) {
                try await socket.request(WireSocket.Request(id: Int64(id), method: method, path: path))
                let response = try await socket.response()
                #expect(response.id == Int64(id))
                #expect(response.status == 421, "\(method) \(path)")
            }
            #expect(try await socket.get("/v1/session", id: 100).status == 200)
        }
    }

    // MARK: - Ends

    /// The time after which an unused connection is closed is that of HTTP; sockets have pings.
    @Test func aSocketOutlivesTheIdleTimeOfHTTP() async throws {
        let change: @Sendable (inout HubConfiguration) -> Void = { $0.limits.idle = .milliseconds(50) }
        try await HubFixture.running(change: change) { hub in
            var opened: RawSocket?
            // On a busy machine the time may pass before the request is there.
            try await Eventually.holds("a socket is open") {
                opened = try? await RawSocket.open(hub)
                return opened != nil
            }
            let socket = try #require(opened)
            // Opened later, and so closed later than the socket would be.
            let unused = try await RawSocket.connect(port: hub.port)
            try await unused.ended()
            #expect(try await socket.get(WireProtocol.sessionPath).status == 200)
            #expect(hub.hub.sockets == 1)
        }
    }

    @Test func aRevokedTokenEndsTheSocket() async throws {
        let change: @Sendable (inout HubConfiguration) -> Void = { $0.socketCheck = .milliseconds(20) }
        try await HubFixture.running(change: change) { hub in
            let socket = try await RawSocket.open(hub)
            _ = try await hub.hub.administration.renewAccount("me")
            #expect(try await socket.closeCode() == 1008)
            try await socket.ended()
        }
    }

    /// The client cannot know what became of the request.
    @Test func aResponseThatCannotBeCompletedEndsTheSocket() async throws {
        let faults = HubFaults()
        try await HubFixture.running(faults: faults) { hub in
            let socket = try await RawSocket.open(hub)
            faults.inject(.brokenBody, times: 1)
            try await socket.request(
                WireSocket.Request(id: 1, method: "POST", path: WireProtocol.deliveriesPath, body: Array("{}".utf8)))
            #expect(try await socket.closeCode() == 1011)
            await socket.respondToClose(1011)
            try await socket.ended()
        }
    }

    /// A request finds out before the next check.
    @Test func aRevokedTokenIsRefused() async throws {
        let change: @Sendable (inout HubConfiguration) -> Void = { $0.socketCheck = .seconds(3600) }
        try await HubFixture.running(change: change) { hub in
            let socket = try await RawSocket.open(hub)
            _ = try await hub.hub.administration.renewAccount("me")
            #expect(try await socket.get(WireProtocol.sessionPath).status == 401)
            #expect(try await socket.closeCode() == 1008)
        }
    }

    @Test func aClientThatLeavesFreesEverything() async throws {
        try await HubFixture.running { hub in
            let socket = try await RawSocket.open(hub)
            let cursor = try await hub.client.eventCursor()
            try await socket.request(
                WireSocket.Request(id: 1, method: "GET", path: "/v1/events?cursor=\(cursor)&wait=30"))
            try await Eventually.holds("the reader waits") { hub.hub.eventReaders == 1 }
            await socket.close()
            try await Eventually.holds("the reader has left") { hub.hub.eventReaders == 0 }
            try await Eventually.holds("the socket is closed") { hub.hub.sockets == 0 }
        }
    }
}
