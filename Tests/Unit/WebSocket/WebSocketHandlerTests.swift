import CausewayWebSocket
import NIOCore
import NIOEmbedded
import Testing

/// Either end of a WebSocket, byte by byte, on an event loop whose time the tests control.
@Suite struct WebSocketHandlerTests {
    @Test func aClientMasksWhatItSends() throws {
        let connection = try EmbeddedSocket.connection()
        connection.handler.send([ByteBuffer(string: "abc")], nil)
        let frame = try connection.sent()
        try #require(frame.count == 9)
        #expect(frame[0] == 0x81 && frame[1] == 0x83)
        #expect(frame[6...].enumerated().map { $1 ^ frame[2 + $0] } == Array("abc".utf8))
    }

    @Test func aServerMasksNothing() throws {
        let connection = try EmbeddedSocket.connection(isServer: true)
        connection.handler.send([ByteBuffer(string: "a"), ByteBuffer(string: ""), ByteBuffer(string: "bc")], nil)
        #expect(try connection.sent() == [0x01, 1, UInt8(ascii: "a"), 0x80, 2] + "bc".utf8)
    }

    @Test func aLongMessageIsFragmented() throws {
        let connection = try EmbeddedSocket.connection(isServer: true) { $0.sentFrameBytesMax = 2 }
        connection.handler.send([ByteBuffer(string: "abcde")], nil)
        let expected: [UInt8] = [0x01, 2] + "ab".utf8 + [0x00, 2] + "cd".utf8 + [0x80, 1] + "e".utf8
        #expect(try connection.sent() == expected)
    }

    @Test func aServerMustNotMask() throws {
        let connection = try EmbeddedSocket.connection()
        try connection.receive(EmbeddedSocket.masked(EmbeddedSocket.text("a")))
        #expect(try EmbeddedSocket.code(connection.sent()) == 1002)
        #expect(connection.owner.messages.isEmpty)
    }

    @Test func messagesArriveInPieces() throws {
        let connection = try EmbeddedSocket.connection()
        let frames = EmbeddedSocket.text("ab") + [0x01, 1, 99] + [0x89, 0] + [0x80, 1, 100]
        for byte in frames { try connection.receive([byte]) }
        #expect(connection.owner.messages == ["ab", "cd"])
        // The pong to the ping in between.
        #expect(try connection.sent().prefix(2) == [0x8A, 0x80])
    }

    @Test func aCloseIsReturnedAndEndsTheConnection() throws {
        let connection = try EmbeddedSocket.connection()
        try connection.receive(EmbeddedSocket.close(1001))
        #expect(try EmbeddedSocket.code(connection.sent()) == 1001)
        #expect(connection.owner.end == .closed(WebSocketClose(.goingAway)))
        #expect(!connection.channel.isActive)
    }

    @Test func aCloseOfOursWaitsForItsReturn() throws {
        let connection = try EmbeddedSocket.connection()
        connection.handler.close(WebSocketClose(.normal))
        #expect(try EmbeddedSocket.code(connection.sent()) == 1000)
        // A message that was on its way is not processed any more.
        try connection.receive(EmbeddedSocket.text("late"))
        #expect(connection.owner.messages.isEmpty && connection.owner.end == nil)
        try connection.receive(EmbeddedSocket.close(1000))
        #expect(connection.owner.end == .closedHere(WebSocketClose(.normal)))
        #expect(!connection.channel.isActive)
    }

    @Test func aCloseThatIsNotReturnedEndsInTime() throws {
        let connection = try EmbeddedSocket.connection { $0.close = .seconds(5) }
        connection.handler.close(WebSocketClose(.normal))
        connection.loop.advanceTime(by: .milliseconds(4999))
        #expect(connection.owner.end == nil)
        connection.loop.advanceTime(by: .milliseconds(1))
        #expect(connection.owner.end == .closedHere(WebSocketClose(.normal)))
    }

    /// Nothing follows a close frame, so the connection ends without waiting for more.
    @Test func aMalformedCloseEndsTheConnectionAtOnce() throws {
        let connection = try EmbeddedSocket.connection(isServer: true)
        try connection.receive(EmbeddedSocket.masked([0x88, 1, 3]))
        #expect(Array(try connection.sent().prefix(4).suffix(2)) == [0x03, 0xEA])
        #expect(connection.owner.end.map { "\($0)".contains("half a code") } == true)
        #expect(!connection.channel.isActive)
    }

    // MARK: - Data

    /// Before the rest of the message, which may be long.
    @Test func aFragmentThatIsNotTextIsFoundAtOnce() throws {
        let invalid: [[[UInt8]]] = [
            [[0x61], [0xFF]], [[0xE2], [0x28]], [[0xE2, 0x82], [0x28]], [[0xF4], [0x90]], [[0xF0], [0x80]],
            [[0xED], [0xA0]], [[0xE0], [0x80]], [[0xC3], [0x61]], [[0xF4, 0x90]], [[0xED, 0xA0]], [[0x80]],
        ]
        for fragments in invalid {
            let connection = try EmbeddedSocket.connection(isServer: true)
            for (index, fragment) in fragments.enumerated() {
                #expect(connection.handler.isOpen, "\(fragments)")
                try connection.receive(EmbeddedSocket.masked([index == 0 ? 1 : 0, UInt8(fragment.count)] + fragment))
            }
            #expect(Array(try connection.sent().prefix(4).suffix(2)) == [0x03, 0xEF], "\(fragments)")
        }
    }

    @Test func aCharacterMayBeInSeveralFragments() throws {
        let text = "aé€😀\u{10FFFF}\u{D7FF}z"
        let connection = try EmbeddedSocket.connection(isServer: true)
        for byte in text.utf8.dropLast() {
            try connection.receive(EmbeddedSocket.masked([byte == text.utf8.first ? 1 : 0, 1, byte]))
        }
        try connection.receive(EmbeddedSocket.masked([0x80, 1, UInt8(ascii: "z")]))
        #expect(connection.owner.messages == [text])
        // One that ends inside a character.
        try connection.receive(EmbeddedSocket.masked([0x81, 2, 0xE2, 0x82]))
        #expect(Array(try connection.sent().prefix(4).suffix(2)) == [0x03, 0xEF])
    }

    @Test func binaryMessagesAreAcceptedWhereTheyAreWanted() throws {
        let refusing = try EmbeddedSocket.connection(isServer: true)
        try refusing.receive(EmbeddedSocket.masked([0x82, 1, 0xFF]))
        #expect(Array(try refusing.sent().prefix(4).suffix(2)) == [0x03, 0xEB])
        let connection = try EmbeddedSocket.connection(isServer: true) { $0.acceptsBinary = true }
        try connection.receive(EmbeddedSocket.masked([0x02, 1, 0xFF]) + EmbeddedSocket.masked([0x80, 1, 0xFE]))
        #expect(connection.owner.kinds == [.binary])
        connection.handler.send([ByteBuffer(bytes: [0xFF])], as: .binary, nil)
        #expect(try connection.sent() == [0x82, 1, 0xFF])
    }

    @Test func twoUnansweredPingsAreTheLimit() throws {
        let connection = try EmbeddedSocket.connection(isServer: true)
        for _ in 0..<2 {
            connection.loop.advanceTime(by: .seconds(20))
            #expect(try connection.sent() == [0x89, 0])
        }
        connection.loop.advanceTime(by: .milliseconds(19_999))
        #expect(connection.owner.end == nil)
        connection.loop.advanceTime(by: .milliseconds(1))
        #expect(connection.owner.end == .silent)
        #expect(!connection.channel.isActive)
    }

    @Test func aPeerThatAnswersPingsStays() throws {
        let connection = try EmbeddedSocket.connection(isServer: true)
        for _ in 0..<64 {
            // The limit is reached, but for the pong.
            for _ in 0..<2 {
                connection.loop.advanceTime(by: .seconds(20))
                #expect(try connection.sent() == [0x89, 0])
            }
            try connection.receive(EmbeddedSocket.masked([0x8A, 0]))
        }
        #expect(connection.owner.end == nil)
        #expect(connection.channel.isActive)
    }

    /// A large frame on a slow line leaves no room for pongs.
    @Test func anyByteIsASignOfLife() throws {
        let connection = try EmbeddedSocket.connection()
        try connection.receive([0x81, 100])
        for _ in 0..<99 {
            connection.loop.advanceTime(by: .seconds(20))
            try connection.receive([UInt8(ascii: "a")])
        }
        #expect(connection.owner.end == nil)
        try connection.receive([UInt8(ascii: "a")])
        #expect(connection.owner.messages.count == 1)
    }

    @Test func theCutOfAConnectionIsReported() throws {
        let connection = try EmbeddedSocket.connection()
        connection.channel.pipeline.fireChannelInactive()
        #expect(connection.owner.end == .cut)
        connection.handler.abort()
    }

    @Test func handlersBehindItWriteNothing() throws {
        let connection = try EmbeddedSocket.connection()
        try connection.channel.writeAndFlush(ByteBuffer(string: "HTTP/1.1 200")).wait()
        #expect(try connection.sent().isEmpty)
    }

    /// Bytes count from their arrival until their message has been taken.
    @Test func theMeterCountsWhatIsHeld() throws {
        var counted = 0
        let meter = InboundByteMeter { bytes in
            guard counted + bytes <= 10 else { return false }
            counted += bytes
            return true
        }
        let connection = try EmbeddedSocket.connection(isServer: true, meter: meter)
        connection.owner.takesMessages = false
        let frame = EmbeddedSocket.masked(EmbeddedSocket.text("abcd"))
        try connection.receive(Array(frame.prefix(8)))
        #expect(counted == 8)
        try connection.receive(Array(frame.dropFirst(8)))
        #expect(counted == 4, "the header is processed, the message is not")
        connection.handler.consumed(connection.owner.received[0])
        #expect(counted == 0)
        // A ping and its payload are processed at once.
        try connection.receive(EmbeddedSocket.masked([0x89, 2, 1, 2]))
        #expect(counted == 0)
        try connection.receive(EmbeddedSocket.masked([0x81, 6] + Array("abcdef".utf8)))
        // 12 bytes have no room: the connection is being closed.
        #expect(connection.owner.end == nil && !connection.handler.isOpen)
    }

    /// Each chunk that has no room is a violation; the close frame was for the first.
    @Test func aPeerThatGoesOnDoesNotPutOffTheEnd() throws {
        let connection = try EmbeddedSocket.connection(isServer: true, meter: InboundByteMeter { $0 <= 0 })
        try connection.receive([0x81])
        #expect(connection.owner.end == nil && !connection.handler.isOpen)
        connection.loop.advanceTime(by: .milliseconds(600))
        try connection.receive([0x81])
        #expect(connection.owner.end == nil)
        connection.loop.advanceTime(by: .milliseconds(400))
        #expect(connection.owner.end.map { "\($0)".contains("too many bytes") } == true)
        #expect(!connection.channel.isActive)
    }

    /// While messages wait for their consumer nothing more is read.
    @Test func waitingMessagesHoldReading() throws {
        let reads = ReadCounter()
        let connection = try EmbeddedSocket.connection { $0.waitingMessagesMax = 2 }
        try connection.channel.pipeline.syncOperations.addHandler(reads, position: .first)
        connection.owner.takesMessages = false
        try connection.receive(EmbeddedSocket.text("a"))
        #expect(reads.count > 0)
        try connection.receive(EmbeddedSocket.text("b"))
        reads.count = 0
        connection.channel.read()
        #expect(reads.count == 0)
        connection.handler.consumed(connection.owner.received[0])
        #expect(reads.count == 1)
    }

    private final class ReadCounter: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        var count = 0

        func read(context: ChannelHandlerContext) {
            count += 1
            context.read()
        }
    }
}
