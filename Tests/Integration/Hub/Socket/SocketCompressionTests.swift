import CausewayGzip
import CausewayHub
import CausewayModels
import CausewayTestSupport
import CausewayWebSocket
import CausewayWire
import Testing

/// `permessage-deflate` on the hub's sockets.
@Suite struct SocketCompressionTests {
    private typealias Frame = RawSocket.Frame

    private static let agreed =
        "sec-websocket-extensions: permessage-deflate; server_no_context_takeover; client_no_context_takeover"

    private static func open(
        _ hub: HubFixture, offer: String = "permessage-deflate"
    ) async throws -> (socket: RawSocket, head: String) {
        let socket = try await RawSocket.connect(port: hub.port)
        let head = try await socket.handshake(token: hub.client.token ?? "") { $0["Sec-WebSocket-Extensions"] = offer }
        return (socket, head)
    }

    private static func compressed(_ bytes: [UInt8]) throws -> [Frame] {
        let blocks = try #require(DeflateBlocks.compressed(bytes, windowBits: 15))
        let half = blocks.count / 2
        return [
            Frame(opcode: 1, isFinal: false, reservedBits: 0x40, payload: Array(blocks[..<half])), .ping("between"),
            Frame(opcode: 0, payload: Array(blocks[half...])),
        ]
    }

    /// The next message of the hub, and whether it was compressed.
    private static func response(_ socket: RawSocket) async throws -> (WireSocket.Response, isCompressed: Bool) {
        var payload: [UInt8] = []
        var isCompressed = false
        while true {
            let frame = try await socket.frame()
            guard frame.opcode != 10 else { continue }
            try #require(frame.opcode <= 1)
            #expect(frame.reservedBits == 0 || frame.reservedBits == 0x40 && frame.opcode == 1)
            isCompressed = isCompressed || frame.reservedBits == 0x40
            payload += frame.payload
            guard frame.isFinal else { continue }
            let content = isCompressed ? try DeflateBlocks.decompressed(payload, bytesMax: .max) : payload
            return (try WireSocket.Response(content), isCompressed)
        }
    }

    private static func request(_ id: Int64, _ operations: ClosedRange<Int>) throws -> [UInt8] {
        let body = try HubClient.coded(delivery(operations.map { send(Int64($0)) }))
        return WireSocket.Request(id: id, method: "POST", path: WireProtocol.deliveriesPath, body: body).text
    }

    @Test func requestsAndResponsesAreCompressed() async throws {
        try await HubFixture.running { hub in
            let (socket, head) = try await Self.open(hub)
            #expect(head.lowercased().contains(Self.agreed + "\r\n"))
            try await socket.write(Self.compressed(Self.request(1, 1...50)).flatMap(\.bytes))
            let (report, isReportCompressed) = try await Self.response(socket)
            #expect(report.status == 200 && isReportCompressed)
            // Neither a message that is compressed, nor one that is not, depends on the one before.
            let path = WireProtocol.messagesPath("general") + "?limit=50"
            for id: Int64 in 2...3 {
                try await socket.request(WireSocket.Request(id: id, method: "GET", path: path))
                let (page, isCompressed) = try await Self.response(socket)
                #expect(page.status == 200 && isCompressed)
                #expect(page.body == (try await hub.client.get(path)).body)
            }
            // A small response is sent as it is.
            try await socket.request(WireSocket.Request(id: 4, method: "GET", path: WireProtocol.sessionPath))
            #expect(try await Self.response(socket).isCompressed == false)
        }
    }

    @Test(arguments: [(false, "permessage-deflate"), (true, ""), (true, "permessage-deflate; unknown")])
    func withoutAnAgreementNothingIs(_ isOn: Bool, _ offer: String) async throws {
        let change: @Sendable (inout HubConfiguration) -> Void = { $0.sockets.compresses = isOn }
        try await HubFixture.running(change: change) { hub in
            let (socket, head) = try await Self.open(hub, offer: offer)
            #expect(head.hasPrefix("HTTP/1.1 101 "))
            #expect(!head.lowercased().contains("sec-websocket-extensions"))
            try await socket.send(Frame(opcode: 1, payload: Self.request(1, 1...50)))
            let (report, isCompressed) = try await Self.response(socket)
            #expect(report.status == 200 && !isCompressed)
            try await socket.write(Self.compressed(Self.request(2, 51...51)).flatMap(\.bytes))
            #expect(try await socket.closeCode() == 1002)
            #expect(try await hub.client.messages().count == 50)
        }
    }

    @Test func aMalformedOfferIsRefused() async throws {
        try await HubFixture.running { hub in
            let (_, head) = try await Self.open(hub, offer: "permessage-deflate; =1")
            #expect(head.hasPrefix("HTTP/1.1 400 "))
        }
    }

    /// A message that would become larger than the limit, one that is damaged, and one that is no text.
    @Test func contentHasTheLimitsOfMessages() async throws {
        try await HubFixture.running { hub in
            let bomb = [UInt8](repeating: UInt8(ascii: " "), count: WireSocket.requestBytesMax + 1)
            var damaged = try Self.compressed(Self.request(1, 1...1))
            damaged[2].payload.removeLast(3)
            let notText = try Self.compressed([0xFF])
            for (frames, code) in [(try Self.compressed(bomb), 1009), (damaged, 1007), (notText, 1007)] {
                let (socket, _) = try await Self.open(hub)
                try await socket.write(frames.flatMap(\.bytes))
                #expect(try await socket.closeCode() == UInt16(code))
                try await socket.ended()
            }
            // Their bytes are free again, and nothing was applied.
            #expect(try await hub.client.deliver(delivery([send(1)])).status == 200)
            #expect(try await hub.client.messages().count == 1)
        }
    }

    /// Content counts in the account's share of bodies while it is decompressed.
    @Test func contentIsCounted() async throws {
        try await HubFixture.running { hub in
            let half = Frame(
                opcode: 1, isFinal: false, payload: Array(repeating: UInt8(ascii: " "), count: 3 * 1024 * 1024))
            let (first, _) = try await Self.open(hub)
            let (second, _) = try await Self.open(hub)
            for socket in [first, second] {
                try await socket.send(half, .ping("x"))
                #expect(try await socket.frame().opcode == 10)
            }
            // A few kilobytes as they arrive.
            let large = try Self.compressed(Self.request(1, 1...1) + [UInt8](repeating: 0x20, count: 3 * 1024 * 1024))
            let (third, _) = try await Self.open(hub)
            try await third.write(large.flatMap(\.bytes))
            #expect(try await third.closeCode() == 1013)
            await first.close()
            try await Eventually.holds("there is room") {
                let (again, _) = try await Self.open(hub)
                try await again.write(large.flatMap(\.bytes))
                defer { Task { await again.close() } }
                return (try? await Self.response(again))?.0.status == 200
            }
            await second.close()
        }
    }
}
