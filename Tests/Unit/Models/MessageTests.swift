import CausewayModels
import Foundation
import Testing

@Suite struct MessageTests {
    /// A message is copied far more often than it is changed: the parts that change are one counted reference.
    @Test func aMessageIsSmall() throws {
        let id = MessageID(UUIDv7(high: 0, low: 1))
        let channel = try #require(ChannelID("general"))
        let sender = try #require(UserID("ann"))
        let time = Timestamp(milliseconds: 1)
        let message = Message(
            id: id, channel: channel, sender: sender, content: .text("hi"), createdAt: time, ordinal: 1, lane: .text,
            laneSequence: 1)
        print("Message: \(MemoryLayout<Message>.size) bytes, \(Mirror(reflecting: message).children.count) properties")
        #expect(MemoryLayout<Message>.size <= 128)
        #expect(Mirror(reflecting: message).children.count <= 12)
    }

    @Test func aCopyOfAMessageIsIndependent() throws {
        let first = Message(
            id: MessageID(UUIDv7(high: 0, low: 1)), channel: try #require(ChannelID("general")),
            sender: try #require(UserID("ann")), content: .text("hi"), createdAt: Timestamp(milliseconds: 1),
            ordinal: 1, lane: .text, laneSequence: 1)
        var second = first
        second.displayed.content = .text("edited")
        second.delivery.attempts = 2
        #expect(first.content == .text("hi"))
        #expect(first.attempts == 0)
        #expect(second.content == .text("edited"))
        #expect(second.attempts == 2)
        #expect(first != second)
    }

    /// Stored and sent content as version 1 wrote it. Never edited: a new version gets new lines.
    static let golden: [(MessageContent, String)] = [
        (.text("hi \"you\" \u{1F30A}\n"), #"{"text":"hi \"you\" 🌊\n","type":"text","v":1}"#),
        (
            .custom(.object(["a": .array([.integer(1), .double(2.5), .null, .bool(true), .string("x")])])),
            #"{"data":{"a":[1,2.5,null,true,"x"]},"type":"custom","v":1}"#
        ),
        (
            .image(Attachment(name: "a.png", contentType: "image/png", size: 3, sha256: "00"), caption: "c"),
            #"{"attachment":{"contentType":"image\/png","name":"a.png","sha256":"00","size":3},"#
                + #""caption":"c","type":"image","v":1}"#
        ),
        (
            .audio(Attachment(name: "a", contentType: "audio/ogg", size: 3, sha256: "00")),
            #"{"attachment":{"contentType":"audio\/ogg","name":"a","sha256":"00","size":3},"type":"audio","v":1}"#
        ),
    ]

    @Test(arguments: golden.indices) func contentIsCodedAsItAlwaysWas(index: Int) throws {
        let (content, text) = Self.golden[index]
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(String(decoding: try encoder.encode(content), as: UTF8.self) == text)
        #expect(try JSONDecoder().decode(MessageContent.self, from: Data(text.utf8)) == content)
        #expect(try JSONCoding.decode(MessageContent.self, from: Array(text.utf8)) == content)
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        #expect(try content.jsonText == Array(encoder.encode(content)))
    }

    @Test(arguments: [
        #"{"v":2,"type":"text","spans":[{"b":true}]}"#, #"{"v":1,"type":"poll","options":["a","b"]}"#,
    ])
    func whatThisVersionDoesNotKnowIsKept(text: String) throws {
        let content = try JSONDecoder().decode(MessageContent.self, from: Data(text.utf8))
        guard case .unknown(_, let body) = content else {
            Issue.record("\(content) is not unknown")
            return
        }
        #expect(body == (try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))))
        let again = try JSONEncoder().encode(content)
        #expect(try JSONDecoder().decode(MessageContent.self, from: again) == content)
    }

    @Test func contentIsHeldAgainstItsLimits() {
        func problem(_ content: MessageContent, bytes: Int = 0) -> ContentProblem? {
            do throws(ContentProblem) {
                try content.validate(codedBytes: bytes)
                return nil
            } catch {
                return error
            }
        }
        let max = Limits.textBytesMax
        #expect(problem(.text(String(repeating: "x", count: max))) == nil)
        #expect(problem(.text(String(repeating: "x", count: max + 1))) == .textTooLong(bytes: max + 1))
        #expect(problem(.text(String(repeating: "ä", count: max))) == .textTooLong(bytes: max * 2))
        #expect(problem(.text("")) == .textEmpty)
        #expect(problem(.custom(.array([]))) == .customNotAnObject)
        #expect(problem(.custom(.object([:])), bytes: Limits.customBytesMax + 1) != nil)
        var deep = JSONValue.object([:])
        for _ in 0..<Limits.customDepthMax { deep = .object(["a": deep]) }
        #expect(problem(.custom(deep)) == .customTooDeep)
        let image = MessageContent.image(
            Attachment(name: "a", contentType: "image/png", size: 1, sha256: "00"), caption: nil)
        #expect(problem(image) == .unsupported(.image))
    }

    @Test(arguments: ["-9223372036854775808", "9223372036854775807"])
    func numbersFromOutsideAreHeldToTheirRange(number: String) throws {
        let text = Array(#"{"position":\#(number),"acceptedAt":\#(number)}"#.utf8)
        let serverPosition = try JSONDecoder().decode(ServerPosition.self, from: Data(text))
        #expect((0...Limits.positionMax).contains(serverPosition.position))
        #expect(try JSONCoding.decode(ServerPosition.self, from: text) == serverPosition)
        var body = MessageBody(content: .text("x"), reactions: ["a": try #require(Int(number))])
        body.react(with: "a", isAdded: true)
        #expect((1...Limits.reactionCountMax).contains(body.reactions["a"] ?? 0))
        body = MessageBody(content: .text("x"), reactions: ["a": try #require(Int(number))], myReactions: ["a"])
        body.react(with: "a", isAdded: false)
        #expect((0..<Limits.reactionCountMax).contains(body.reactions["a"] ?? 0))
    }

    /// The documented states, row by row: canonical, iOS, Android, TypeScript, classic.
    @Test(
        arguments: [
            (.created, "syncing", "created", "syncing", "default"),
            (.syncing, "syncing", "syncing", "syncing", "syncing"),
            (.uploading, "syncing", "uploading", "syncing", "syncing"),
            (.synced, "synced", "synced", "synced", "synced"), (.error, "error", "error", "error", "error"),
        ] as [(SyncState, String, String, String, String)])
    func statesAreProjectedAsDocumented(
        state: SyncState, ios: String, android: String, typescript: String, classic: String
    ) {
        #expect(state.ios.rawValue == ios)
        #expect(state.android.rawValue == android)
        #expect(state.typescript.rawValue == typescript)
        #expect(state.classic.rawValue == classic)
    }

    @Test func lanesFollowThePolicy() throws {
        let general = try #require(ChannelID("general"))
        let other = try #require(ChannelID("other"))
        #expect(OrderingPolicy.laned.lane(for: .text, in: general) == .text)
        #expect(OrderingPolicy.laned.lane(for: .custom, in: other) == .text)
        #expect(OrderingPolicy.laned.lane(for: .image, in: other) == .media)
        let perChannel = OrderingPolicy.lanedPerChannel
        #expect(perChannel.lane(for: .text, in: general) != perChannel.lane(for: .text, in: other))
        #expect(perChannel.lane(for: .text, in: general) != perChannel.lane(for: .file, in: general))
        #expect(
            OrderingPolicy.strict.lane(for: .text, in: general) == OrderingPolicy.strict.lane(for: .video, in: other))
        #expect(OrderingPolicy.mediaAfterText.lane(for: .custom, in: general) == .text)
        #expect(OrderingPolicy.mediaAfterText.lane(for: .file, in: general) == .media)
    }

    @Test func aReasonIsCutAndSaysWhat() {
        let long = String(repeating: "x", count: 10_000)
        let failure = Failure(reason: .refused, code: "no", detail: long, at: Timestamp(milliseconds: 0))
        #expect(failure.detail.count == Limits.reasonCharactersMax)
        #expect(failure.description.hasPrefix("refused by the server: x"))
    }
}
