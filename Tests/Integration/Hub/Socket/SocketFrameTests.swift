import CausewayHub
import CausewayModels
import CausewayTestSupport
import CausewayWebSocket
import CausewayWire
import Testing

/// Frames that break the rules of RFC 6455 or a limit, and those that are merely unusual.
@Suite struct SocketFrameTests {
    private typealias Frame = RawSocket.Frame
    private typealias Change = @Sendable (inout HubConfiguration) -> Void

    private static let request = WireSocket.Request(id: 7, method: "GET", path: WireProtocol.sessionPath)

    private static let violations: [(name: String, frames: [Frame], code: UInt16)] = [
        ("unmasked", [Frame(opcode: 1, isMasked: false, payload: Array("{}".utf8))], 1002),
        ("reserved bit", [Frame(opcode: 1, reservedBits: 0x40, payload: Array("{}".utf8))], 1002),
        ("unknown opcode", [Frame(opcode: 3)], 1002),
        ("unknown control opcode", [Frame(opcode: 11)], 1002),
        ("binary", [Frame(opcode: 2, payload: [1, 2, 3])], 1003),
        ("continuation without a beginning", [Frame(opcode: 0, payload: Array("{}".utf8))], 1002),
        (
            "a message inside another one",
            [Frame(opcode: 1, isFinal: false, payload: [UInt8(ascii: "{")]), .text("{}")], 1002
        ),
        ("fragmented ping", [Frame(opcode: 9, isFinal: false)], 1002),
        ("ping of 126 bytes", [Frame(opcode: 9, payload: Array(repeating: 0, count: 126))], 1002),
        ("close of one byte", [Frame(opcode: 8, payload: [3])], 1002),
        ("close code 999", [.close(999)], 1002), ("close code 1005", [.close(1005)], 1002),
        ("close code 2000", [.close(2000)], 1002),
        ("close reason that is not UTF-8", [Frame(opcode: 8, payload: [3, 232, 0xFF])], 1007),
        ("not UTF-8", [Frame(opcode: 1, payload: [0xC3, 0x28])], 1007),
        (
            "not UTF-8 over two fragments",
            [Frame(opcode: 1, isFinal: false, payload: [0xE2, 0x82]), Frame(opcode: 0, payload: [0x41])], 1007
        ),
        ("empty", [.text("")], 1007), ("not JSON", [.text("{")], 1007), ("not an object", [.text("[1]")], 1007),
        ("no id", [.text(#"{"method":"GET","path":"/"}"#)], 1007),
        ("negative id", [.text(#"{"id":-1,"method":"GET","path":"/"}"#)], 1007),
        ("id of text", [.text(#"{"id":"1","method":"GET","path":"/"}"#)], 1007),
        ("no path", [.text(#"{"id":1,"method":"GET"}"#)], 1007),
        ("header of a number", [.text(#"{"id":1,"method":"GET","path":"/","headers":{"a":1}}"#)], 1007),
        (
            "large head",
            [.text(#"{"id":1,"method":"GET","path":"/\#(String(repeating: "x", count: WireSocket.headBytesMax))"}"#)],
            1009
        ),
    ]

    @Test(arguments: violations.indices) func aViolationHasItsCode(_ index: Int) async throws {
        let (name, frames, code) = Self.violations[index]
        try await HubFixture.running { hub in
            let socket = try await RawSocket.open(hub)
            try await socket.write(frames.flatMap(\.bytes))
            #expect(try await socket.closeCode() == code, "\(name)")
            try await socket.ended()
            try await Eventually.holds("the socket is closed") { hub.hub.sockets == 0 }
        }
    }

    @Test func messagesAndFragmentsAreBounded() async throws {
        let change: Change = {
            $0.sockets.messageBytesMax = 1000
            $0.sockets.fragmentsMax = 10
        }
        try await HubFixture.running(change: change) { hub in
            let long = Array(repeating: UInt8(ascii: " "), count: 600)
            let tooLarge: [[Frame]] = [
                [Frame(opcode: 1, payload: long + long)],
                [Frame(opcode: 1, isFinal: false, payload: long), Frame(opcode: 0, payload: long)],
                [Frame(opcode: 1, isFinal: false)] + Array(repeating: Frame(opcode: 0, isFinal: false), count: 10),
            ]
            for frames in tooLarge {
                let socket = try await RawSocket.open(hub)
                try await socket.write(frames.flatMap(\.bytes))
                #expect(try await socket.closeCode() == 1009)
            }
        }
    }

    /// Every byte of a request in a fragment of its own, with a ping after each.
    @Test func fragmentsMayBeInterleavedWithPings() async throws {
        try await HubFixture.running { hub in
            let socket = try await RawSocket.open(hub)
            let text = Self.request.text
            for (index, byte) in text.enumerated() {
                try await socket.send(
                    Frame(opcode: index == 0 ? 1 : 0, isFinal: index == text.count - 1, payload: [byte]))
                guard index < text.count - 1 else { break }
                try await socket.send(.ping("\(index)"))
                let pong = try await socket.frame()
                #expect(pong.opcode == 10 && pong.payload == Array("\(index)".utf8) && !pong.isMasked)
            }
            let response = try await socket.response()
            #expect(response.id == 7 && response.status == 200)
        }
    }

    @Test func everyByteMayComeByItself() async throws {
        try await HubFixture.running { hub in
            let socket = try await RawSocket.open(hub)
            for byte in Frame(opcode: 1, payload: Self.request.text).bytes { try await socket.write([byte]) }
            #expect(try await socket.response().status == 200)
        }
    }

    @Test func aCloseIsReturned() async throws {
        try await HubFixture.running { hub in
            for (frame, code) in [(Frame.close(1000, "done"), 1000), (.close(4000), 4000), (Frame(opcode: 8), 0)] {
                let socket = try await RawSocket.open(hub)
                try await socket.send(frame)
                #expect(try await socket.closeCode() == UInt16(code))
                try await socket.ended()
            }
        }
    }

    @Test func anIDIsUsedOnceAtATime() async throws {
        try await HubFixture.running { hub in
            let socket = try await RawSocket.open(hub)
            let cursor = try await hub.client.eventCursor()
            let waiting = WireSocket.Request(id: 5, method: "GET", path: "/v1/events?cursor=\(cursor)&wait=30")
            try await socket.request(waiting)
            try await Eventually.holds("the reader waits") { hub.hub.eventReaders == 1 }
            try await socket.request(waiting)
            #expect(try await socket.closeCode() == 1008)
        }
    }

    /// The id is free as soon as the client can have the whole response, whatever the hub still has to do then.
    @Test func anIDIsFreeWithItsResponse() async throws {
        try await HubFixture.running { hub in
            let socket = try await RawSocket.open(hub)
            try await socket.echo(Self.request, times: 100)
            #expect(try await socket.get(WireProtocol.sessionPath, id: Self.request.id).status == 200)
        }
    }

    @Test func aSilentPeerIsGone() async throws {
        let change: Change = { $0.sockets.pingInterval = .milliseconds(30) }
        try await HubFixture.running(change: change) { hub in
            let socket = try await RawSocket.open(hub)
            #expect(try await socket.frame().opcode == 9)
            try await socket.ended()
            try await Eventually.holds("the socket is closed") { hub.hub.sockets == 0 }
        }
    }

    /// Pings that are answered while the peer reads nothing would otherwise collect in the hub.
    @Test func ofUnreadPongsOneIsKept() async throws {
        let change: Change = { $0.sockets.write = .milliseconds(200) }
        try await HubFixture.running(change: change) { hub in
            let socket = try await RawSocket.open(hub)
            try await socket.stopReading()
            let pings = Array(repeating: Frame.ping(String(repeating: "x", count: 125)).bytes, count: 1000)
            let flood = Array(pings.joined())
            // The peer is gone when the system's buffers are full of pongs and nothing more leaves.
            for _ in 0..<200 where !socket.isOver { try? await socket.write(flood) }
            try await Eventually.holds("the socket is closed") { hub.hub.sockets == 0 }
        }
    }

    /// The bytes of incomplete messages count against the share of the account's bodies.
    @Test func bytesThatArriveAreCounted() async throws {
        try await HubFixture.running { hub in
            var sockets: [RawSocket] = []
            let half = Frame(
                opcode: 1, isFinal: false, payload: Array(repeating: UInt8(ascii: " "), count: 3 * 1024 * 1024))
            var codes: [UInt16] = []
            for _ in 0..<3 {
                let socket = try await RawSocket.open(hub)
                try? await socket.write(half.bytes)
                if sockets.count == 2 { codes.append(try await socket.closeCode()) }
                // Answered when everything before it has arrived.
                if sockets.count < 2 {
                    try await socket.send(.ping("x"))
                    #expect(try await socket.frame().opcode == 10)
                }
                sockets.append(socket)
            }
            #expect(codes == [1013])
            for socket in sockets { await socket.close() }
            // Free again.
            try await Eventually.holds("the bytes are free") {
                try await hub.client.deliver(delivery([send(1)])).status == 200
            }
        }
    }
}
