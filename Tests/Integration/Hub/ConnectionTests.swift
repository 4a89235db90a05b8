import CausewayHTTPServer
import CausewayHub
import CausewayModels
import CausewayTestSupport
import CausewayWire
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

/// Slow, silent or numerous clients.
@Suite struct ConnectionTests {
    private static func limits(_ change: (inout ConnectionLimits) -> Void) -> ConnectionLimits {
        var limits = ConnectionLimits.patient
        change(&limits)
        return limits
    }

    @Test(arguments: ["", "GET /healthz HTTP/1.1\r\nHost:"])
    func aHeaderThatNeverEndsIsCutOff(beginning: String) async throws {
        let limits = Self.limits { $0.firstHeader = .milliseconds(200) }
        try await HubFixture.running(limits: limits) { hub async throws in
            // Returns only because the hub closes the connection.
            #expect(try await hub.client.raw(Array(beginning.utf8)) == "")
        }
    }

    @Test func aBodyThatNeverEndsIsCutOff() async throws {
        let limits = Self.limits { $0.body = .milliseconds(200) }
        try await HubFixture.running(limits: limits) { hub async throws in
            let head =
                "POST /v1/deliveries HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer \(hub.client.token ?? "")\r\n"
                + "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
            #expect(try await hub.client.raw(Array(head.utf8)) == "")
            #expect(try await hub.client.get("/healthz").status == 200)
        }
    }

    @Test(.timeLimit(.minutes(10))) func aConnectionWithoutRequestsIsCutOff() async throws {
        let limits = Self.limits { $0.idle = .milliseconds(200) }
        try await HubFixture.running(limits: limits) { hub async throws in
            // Returns only because the hub closes the connection; without the limit it would do so much later.
            _ = try await hub.client.raw(Array("GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n".utf8))
        }
    }

    /// With one connection allowed, the second is served only because the first, which never reads, is cut off. On a
    /// very busy machine a response that is read may exceed a short limit as well; then a longer one is tried.
    @Test func anAnswerThatIsNotTakenIsCutOff() async throws {
        let temporary = try TemporaryFolder()
        let folder = DataFolder(temporary.path)
        try await HubFixture.prepare(folder)
        try await HubFixture.running(folder) { hub async throws in
            let text = MessageContent.text(String(repeating: "x", count: Limits.textBytesMax))
            try await hub.client.connected { connection in
                for start in stride(from: Int64(1), through: 60, by: 20) {
                    let body = try HubClient.coded(delivery((start..<start + 20).map { send($0, content: text) }))
                    #expect(try await connection.send(.POST, WireProtocol.deliveriesPath, body).status == 200)
                }
            }
        }
        for limit in [Duration.milliseconds(500), .seconds(5), .seconds(50), .seconds(500)] {
            if try await Self.isServedBesideAGreedyOne(folder, answer: limit) { return }
        }
        Issue.record("what was taken was cut off as well")
    }

    private static func isServedBesideAGreedyOne(_ folder: DataFolder, answer: Duration) async throws -> Bool {
        let limits = Self.limits { limits in
            limits.response = answer
            limits.connectionsMax = 1
        }
        return try await HubFixture.running(folder, limits: limits) { hub async throws in
            let greedy = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .channelOption(.autoRead, value: false)
                .connect(host: "127.0.0.1", port: hub.port).get()
            let request =
                "GET /v1/channels/general/messages?limit=1000 HTTP/1.1\r\nHost: h\r\n"
                + "Authorization: Bearer \(hub.client.token ?? "")\r\n\r\n"
            for _ in 0..<3 { try? await greedy.writeAndFlush(ByteBuffer(string: request)) }
            let status = try? await hub.client.get("/healthz").status
            try? await greedy.close()
            return status == 200
        }
    }

    @Test func connectionsBeyondTheLimitWaitForTheirTurn() async throws {
        let limits = Self.limits { $0.connectionsMax = 2 }
        try await HubFixture.running(limits: limits) { hub async throws in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 { group.addTask { try await hub.client.get("/healthz").status } }
                for try await status in group { #expect(status == 200) }
            }
        }
    }

    @Test func manyRequestsGoOverOneConnection() async throws {
        try await HubFixture.running { hub async throws in
            let marks = try await hub.client.connected { connection in
                var marks: [Int64] = []
                for sequence in Int64(1)...100 {
                    let body = try HubClient.coded(delivery([send(sequence)]))
                    let answer = try await connection.send(.POST, WireProtocol.deliveriesPath, body)
                    marks.append(try answer.decoded(WireReport.self).mark)
                }
                return marks
            }
            #expect(marks == Array(1...100))
        }
    }

    @Test(arguments: ["/healthz", "/nowhere"])
    func anAnswerToHEADHasNoBody(path: String) async throws {
        try await HubFixture.running { hub async throws in
            let head = "HEAD \(path) HTTP/1.1\r\nHost: h\r\n\r\n"
            let next = "GET /healthz HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
            let answer = try await hub.client.raw(Array((head + next).utf8))
            #expect(answer.hasPrefix("HTTP/1.1 40"))
            #expect(answer.contains("\r\n\r\nHTTP/1.1 200 OK"))
            #expect(!answer.contains(#""code""#))
        }
    }

    /// Returns only because the hub closes the connection.
    @Test(arguments: ["", "Host: h\r\nConnection: keep-alive\r\n"])
    func anOldRequestIsAnsweredAndTheConnectionClosed(fields: String) async throws {
        try await HubFixture.running { hub async throws in
            let answer = try await hub.client.raw(Array("GET /healthz HTTP/1.0\r\n\(fields)\r\n".utf8))
            #expect(answer.contains(" 200 OK\r\n"))
            #expect(answer.hasSuffix(#"{"status":"ok"}"#))
        }
    }

    /// The limits named in the errors are the actual ones: a header at the limit passes, beyond it the limit is named.
    @Test(arguments: [
        (HubLimits.headerFieldBytesMax, 1), (HubLimits.headerFieldBytesMax / 2, HubLimits.headerListBytesMax),
    ])
    func theLimitsThatAreNamedAreTheRealOnes(field: Int, list: Int) async throws {
        try await HubFixture.running { hub async throws in
            func request(_ extra: Int) -> [UInt8] {
                let count = max(1, list / field)
                let bytes = String(repeating: "a", count: max(1, field + extra / count - 200 / count - 3))
                let fields = (0..<count).map { "A\($0): \(bytes)\r\n" }.joined()
                return Array("GET /healthz HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\(fields)\r\n".utf8)
            }
            #expect(try await hub.client.raw(request(0)).hasPrefix("HTTP/1.1 200"))
            let refused = try await hub.client.raw(request(500))
            #expect(refused.hasPrefix("HTTP/1.1 431"))
            for limit in [HubLimits.headerFieldBytesMax, HubLimits.headerListBytesMax, HubLimits.headerFieldsMax] {
                #expect(refused.contains("\(limit)"))
            }
        }
    }

    @Test func aClientThatAsksFirstIsToldToGoOn() async throws {
        try await HubFixture.running { hub async throws in
            let body = try HubClient.coded(delivery([send(1)]))
            let head =
                "POST /v1/deliveries HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer \(hub.client.token ?? "")\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(body.count)\r\nExpect: 100-continue\r\n"
                + "Connection: close\r\n\r\n"
            let answer = try await hub.client.raw(Array(head.utf8) + body)
            #expect(answer.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK"))
        }
    }

    /// It knows no interim responses, and takes the first response for the only one.
    @Test func anOldClientIsNotToldToGoOn() async throws {
        try await HubFixture.running { hub async throws in
            let body = try HubClient.coded(delivery([send(1)]))
            let head =
                "POST /v1/deliveries HTTP/1.0\r\nHost: h\r\nAuthorization: Bearer \(hub.client.token ?? "")\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(body.count)\r\nExpect: 100-continue\r\n\r\n"
            let answer = try await hub.client.raw(Array(head.utf8) + body)
            #expect(answer.contains(" 200 OK\r\n"))
            #expect(!answer.contains("100 Continue"))
        }
    }
}
