import CausewayGzip
import CausewayWebSocket
import NIOCore
import NIOEmbedded
import Testing

/// Messages that are compressed (RFC 7692 §6 and §7.2), byte by byte.
@Suite struct CompressedMessageTests {

    private static func agreed(_ offer: String = "permessage-deflate") throws -> PerMessageDeflate {
        try #require(try PerMessageDeflate.accepting([offer])).0
    }

    private static func server(change: (inout WebSocketLimits) -> Void = { _ in }) throws -> EmbeddedSocket {
        try EmbeddedSocket.connection(isServer: true, agreed(), change: change)
    }

    /// The code in the close frame that a server sent.
    private static func closeCode(_ connection: EmbeddedSocket) throws -> UInt16 {
        let sent = try connection.sent()
        let frame = sent.suffix(from: try #require(sent.lastIndex(of: 0x88)))
        return UInt16(frame[frame.startIndex + 2]) << 8 | UInt16(frame[frame.startIndex + 3])
    }

    // MARK: - RFC 7692 §7.2.3

    @Test(
        arguments: [
            [[0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]],
            [[0x41, 0x03, 0xF2, 0x48, 0xCD], [0x80, 0x04, 0xC9, 0xC9, 0x07, 0x00]],
            [[0xC1, 0x0B, 0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00]],
            [[0xC1, 0x08, 0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00]],
            [[0xC1, 0x0D, 0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00]],
        ] as [[[UInt8]]])
    func anExampleIsReceived(_ frames: [[UInt8]]) throws {
        let connection = try Self.server()
        for frame in frames { try connection.receive(EmbeddedSocket.masked(frame)) }
        #expect(connection.owner.messages == ["Hello"])
        #expect(connection.owner.received.map(\.isCompressed) == [true])
        // Other messages need not be compressed.
        try connection.receive(EmbeddedSocket.masked(EmbeddedSocket.text("Hello")))
        #expect(connection.owner.messages == ["Hello", "Hello"])
    }

    /// The example of §7.2.3.2 refers to the message before, which an end of ours forbids.
    @Test func aContextIsNotKept() throws {
        let connection = try Self.server()
        try connection.receive(EmbeddedSocket.masked([0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]))
        try connection.receive(EmbeddedSocket.masked([0xC1, 0x05, 0xF2, 0x00, 0x11, 0x00, 0x00]))
        #expect(connection.owner.messages == ["Hello"])
        #expect(try Self.closeCode(connection) == 1007)
    }

    // MARK: - Violations

    @Test(
        arguments: [
            // Without an agreement, on a control frame, on a continuation, and the other bits.
            (false, [[0xC1, 0x01, 0x00]]), (true, [[0xC9, 0x00]]), (true, [[0xC8, 0x02, 0x03, 0xE8]]),
            (true, [[0x41, 0x03, 0xF2, 0x48, 0xCD], [0xC0, 0x04, 0xC9, 0xC9, 0x07, 0x00]]),
            (true, [[0x01, 0x01, 0x61], [0xC0, 0x01, 0x00]]), (true, [[0xA1, 0x01, 0x61]]),
            (true, [[0x91, 0x01, 0x61]]),
            (true, [[0xE1, 0x01, 0x00]]), (true, [[0xF1, 0x01, 0x00]]),
        ] as [(Bool, [[UInt8]])])
    func aWrongBitIsAViolation(_ isAgreed: Bool, _ frames: [[UInt8]]) throws {
        let connection = try EmbeddedSocket.connection(isServer: true, isAgreed ? Self.agreed() : nil)
        for frame in frames { try connection.receive(EmbeddedSocket.masked(frame)) }
        #expect(connection.owner.messages.isEmpty)
        #expect(try Self.closeCode(connection) == 1002)
    }

    @Test func contentIsHeldToTheRulesOfMessages() throws {
        let notText = try #require(DeflateBlocks.compressed([0x61, 0xC3, 0x28], windowBits: 15))
        let halfCharacter = try #require(DeflateBlocks.compressed([0xE2, 0x82], windowBits: 15))
        let tooLarge = try #require(DeflateBlocks.compressed([UInt8](repeating: 0x61, count: 1001), windowBits: 15))
        let bomb = try #require(DeflateBlocks.compressed([UInt8](repeating: 0x61, count: 5_000_000), windowBits: 15))
        let cases: [(payload: [UInt8], code: UInt16)] = [
            (notText, 1007), (halfCharacter, 1007), ([0x07], 1007), ([], 1007), ([0xFF, 0xFF], 1007),
            (tooLarge, 1009), (Array(bomb.prefix(900)), 1009),
        ]
        for (payload, code) in cases {
            let connection = try Self.server()
            try connection.receive(EmbeddedSocket.masked(Self.frame(0xC1, payload)))
            #expect(connection.owner.messages.isEmpty)
            #expect(try Self.closeCode(connection) == code, "\(payload.prefix(10))")
        }
        // As it arrives a message has the same limit.
        let connection = try Self.server()
        try connection.receive(EmbeddedSocket.masked(Self.frame(0xC1, [UInt8](repeating: 0, count: 1001))))
        #expect(try Self.closeCode(connection) == 1009)
    }

    /// No more than the limit is ever kept of a bomb.
    @Test func aBombIsNotDecompressed() throws {
        let bomb = try #require(DeflateBlocks.compressed([UInt8](repeating: 0x61, count: 50_000_000), windowBits: 15))
        let connection = try Self.server { $0.messageBytesMax = 300_000 }
        try connection.receive(EmbeddedSocket.masked(Self.frame(0xC1, bomb)))
        let message = try #require(connection.owner.received.first)
        var kept = 0
        let error = #expect(throws: WebSocketClose.self) { try message.content { kept += $0 } }
        #expect(error?.code == .tooLarge)
        #expect(kept > 0 && kept <= 300_000)
    }

    @Test func contentMayBeRefused() throws {
        struct NoRoom: Error {}
        let connection = try Self.server()
        try connection.receive(EmbeddedSocket.masked([0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]))
        let message = try #require(connection.owner.received.first)
        #expect(throws: NoRoom.self) { try message.content { _ in throw NoRoom() } }
    }

    // MARK: - Sending

    private static let long = String(repeating: "The quick brown fox. ", count: 100)

    @Test func longMessagesAreCompressed() throws {
        let connection = try Self.server()
        connection.handler.send([ByteBuffer(string: Self.long)], nil)
        let frame = try connection.sent()
        #expect(frame[0] == 0xC1 && frame.count < 100)
        #expect(try DeflateBlocks.decompressed(Array(frame[2...]), bytesMax: 10_000) == Array(Self.long.utf8))
    }

    @Test func othersAreSentAsTheyAre() throws {
        let incompressible = (0..<1024).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 11 ^ $0) }
        let connection = try Self.server { $0.acceptsBinary = true }
        connection.handler.send([ByteBuffer(string: String(repeating: "a", count: 1023))], nil)
        #expect(try connection.sent()[0] == 0x81)
        connection.handler.send([ByteBuffer(bytes: incompressible)], as: .binary, nil)
        #expect(try connection.sent()[0] == 0x82)
        connection.handler.send([ByteBuffer(string: String(repeating: "a", count: 1024))], nil)
        #expect(try connection.sent()[0] == 0xC1)
        // zlib does not compress with a window of 256 bytes.
        let agreed = try Self.agreed("permessage-deflate; server_max_window_bits=8")
        let small = try EmbeddedSocket.connection(isServer: true, agreed)
        small.handler.send([ByteBuffer(string: Self.long)], nil)
        #expect(try small.sent()[0] == 0x81)
        let without = try EmbeddedSocket.connection(isServer: true)
        without.handler.send([ByteBuffer(string: Self.long)], nil)
        #expect(try without.sent()[0] == 0x81)
    }

    @Test func controlFramesAreNot() throws {
        let connection = try Self.server { $0.compressedBytesMin = 0 }
        let payload = [UInt8](repeating: 0x61, count: 125)
        try connection.receive(EmbeddedSocket.masked([0x89, 125] + payload))
        #expect(try connection.sent() == [0x8A, 125] + payload)
        connection.loop.advanceTime(by: .seconds(20))
        #expect(try connection.sent() == [0x89, 0])
        connection.handler.close(WebSocketClose(.normal, String(repeating: "a", count: 100)))
        #expect(try connection.sent()[0] == 0x88)
    }

    // MARK: - Random messages

    private static func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let count = payload.count
        switch count {
        case 0...125: return [first, UInt8(count)] + payload
        case 126...0xFFFF: return [first, 126, UInt8(count >> 8), UInt8(count & 0xFF)] + payload
        default:
            return [first, 127] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) } + payload
        }
    }

    private struct Random: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }

        /// Words of a few letters, some of them beyond ASCII.
        mutating func text() -> String {
            let words = (0..<10).map { _ in
                let letters = (0..<Int.random(in: 1...8, using: &self))
                return String(letters.map { _ in "abcdeé€😀".randomElement(using: &self) ?? "a" })
            }
            let count = Int.random(in: 0...400, using: &self)
            return (0..<count).map { _ in words.randomElement(using: &self) ?? "" }.joined(separator: " ")
        }
    }

    /// Compressed and other messages in random fragments, also empty ones, with pings in between, in random reads.
    @Test(arguments: 0..<60 as Range<UInt64>) func randomFragmentsArriveWhole(_ seed: UInt64) throws {
        var random = Random(state: seed)
        let connection = try Self.server { $0.messageBytesMax = 100_000 }
        var expected: [String] = []
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let text = random.text()
            expected.append(text)
            let isCompressed = Bool.random(using: &random)
            let blocks = DeflateBlocks.compressed(Array(text.utf8), windowBits: Int.random(in: 9...15, using: &random))
            var rest = isCompressed ? try #require(blocks)[...] : Array(text.utf8)[...]
            var first: UInt8 = isCompressed ? 0x41 : 0x01
            while true {
                let part = rest.prefix(Int.random(in: 0...max(1, rest.count), using: &random))
                rest = rest.dropFirst(part.count)
                bytes += EmbeddedSocket.masked(Self.frame(first | (rest.isEmpty ? 0x80 : 0), Array(part)))
                first = 0
                if rest.isEmpty { break }
                if Bool.random(using: &random) { bytes += EmbeddedSocket.masked([0x89, 1, 0x70]) }
            }
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = rest.prefix(Int.random(in: 1...2000, using: &random))
            rest = rest.dropFirst(part.count)
            try connection.receive(Array(part))
        }
        #expect(connection.owner.messages == expected)
        #expect(connection.handler.isOpen)
    }

    /// Our ends with each other, in frames of any size.
    @Test(arguments: 0..<60 as Range<UInt64>) func bothEndsAgree(_ seed: UInt64) throws {
        var random = Random(state: seed)
        let window = Int.random(in: 8...15, using: &random)
        let isOn = seed % 4 != 0
        let isServer = Bool.random(using: &random)
        let frameBytesMax = Int.random(in: 1...300, using: &random)
        let agreed = isOn ? try Self.agreed("permessage-deflate; server_max_window_bits=\(window)") : nil
        let change: (inout WebSocketLimits) -> Void = {
            $0.messageBytesMax = 100_000
            $0.sentFrameBytesMax = frameBytesMax
            $0.compressedBytesMin = 0
        }
        let sender = try EmbeddedSocket.connection(isServer: isServer, agreed, change: change)
        let receiver = try EmbeddedSocket.connection(isServer: !isServer, agreed, change: change)
        let texts = (0..<4).map { _ in random.text() }
        for text in texts {
            var parts: [ByteBuffer] = []
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                parts.append(ByteBuffer(bytes: rest.prefix(Int.random(in: 1...rest.count, using: &random))))
                rest = rest.dropFirst(parts[parts.count - 1].readableBytes)
            }
            sender.handler.send(parts, nil)
            try receiver.receive(sender.sent())
        }
        #expect(receiver.owner.messages == texts)
        if !isOn || window == 8 { #expect(receiver.owner.received.allSatisfy { !$0.isCompressed }) }
    }
}
