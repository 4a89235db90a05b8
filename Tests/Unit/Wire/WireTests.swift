import CausewayModels
import CausewayWire
import Foundation
import Testing

/// The contract between client and hub, pinned: a current hub must understand an older client.
@Suite struct WireTests {
    private static let id = "0190a6b2-1c3d-7fff-bfff-ffffffffffff"

    private static func coded(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    @Test func aDeliveryIsCodedAsItAlwaysWas() throws {
        let message = try #require(MessageID(Self.id))
        let delivery = Delivery(
            outbox: try #require(OutboxID(Self.id)), epoch: 3, lane: .text,
            operations: [
                DeliveryOperation(
                    sequence: 7, previous: 5,
                    body: .send(
                        message, channel: try #require(ChannelID("general")), content: .text("hi"),
                        createdAt: Timestamp(milliseconds: 12))),
                DeliveryOperation(sequence: 8, previous: 7, body: .fence(message)),
                DeliveryOperation(sequence: 9, previous: 8, body: .delete(message)),
            ])
        let send =
            #"{"channel":"general","content":{"text":"hi","type":"text","v":1},"createdAt":12,"#
            + #""id":"\#(Self.id)","kind":"send","previous":5,"sequence":7}"#
        let rest =
            #"{"id":"\#(Self.id)","kind":"fence","previous":7,"sequence":8},"#
            + #"{"id":"\#(Self.id)","kind":"delete","previous":8,"sequence":9}"#
        let golden = #"{"epoch":3,"lane":"text","operations":[\#(send),\#(rest)],"outbox":"\#(Self.id)"}"#
        #expect(try Self.coded(WireDelivery(delivery)) == golden)
        let read = try JSONDecoder().decode(WireDelivery.self, from: Data(golden.utf8))
        #expect(read == WireDelivery(delivery))
    }

    @Test func theOpeningOfAStoreIsCodedBesideItsEpoch() throws {
        var delivery = Delivery(outbox: try #require(OutboxID(Self.id)), epoch: 3, lane: .text, operations: [])
        let opening = try #require(OpeningID(Self.id))
        delivery.opening = opening
        delivery.ancestors = [opening]
        delivery.base = 5
        let golden =
            #"{"ancestors":["\#(Self.id)"],"base":5,"epoch":3,"lane":"text","opening":"\#(Self.id)","#
            + #""operations":[],"outbox":"\#(Self.id)"}"#
        #expect(try Self.coded(WireDelivery(delivery)) == golden)
        #expect(try JSONDecoder().decode(WireDelivery.self, from: Data(golden.utf8)) == WireDelivery(delivery))
        let report = WireReport(mark: 1, results: [], opening: delivery.opening)
        #expect(try Self.coded(report) == #"{"mark":1,"opening":"\#(Self.id)","results":[]}"#)
    }

    @Test func aWriteIsCodedAsItAlwaysWas() throws {
        let write = RecordWrite(
            kind: "channelMember", record: "general/ann", action: "add",
            arguments: .object(["role": .string("owner")]))
        let message = try #require(MessageID(Self.id))
        for (write, rest) in [
            (write, #""arguments":{"role":"owner"},"id":"general/ann","kind":"channelMember"}"#),
            (
                RecordWrite(kind: "channelMember", record: "general/ann", action: "add"),
                #""id":"general/ann","kind":"channelMember"}"#
            ),
        ] {
            let operation = WireOperation(
                DeliveryOperation(sequence: 7, previous: 5, body: .write(message, write)))
            let golden =
                #"{"id":"\#(Self.id)","kind":"write","previous":5,"record":{"action":"add",\#(rest),"sequence":7}"#
            #expect(try Self.coded(operation) == golden)
            let read = try JSONDecoder().decode(WireOperation.self, from: Data(golden.utf8))
            #expect(read == operation && read.record?.write == write)
        }
    }

    @Test func aRecordAndAPageAreCodedAsTheyAlwaysWere() throws {
        let record = WireRecord(
            kind: "channel", id: "general", version: 3, value: .object(["name": .string("General")]))
        let golden = #"{"id":"general","kind":"channel","value":{"name":"General"},"version":3}"#
        #expect(try Self.coded(record) == golden)
        #expect(try JSONDecoder().decode(WireRecord.self, from: Data(golden.utf8)) == record)
        for (next, text) in [(nil, "null"), ("0a-6b", #""0a-6b""#)] as [(String?, String)] {
            let page = WireRecordPage(items: [record], next: next)
            let golden = #"{"items":[\#(golden)],"next":\#(text)}"#
            #expect(try Self.coded(page) == golden)
            #expect(try JSONDecoder().decode(WireRecordPage.self, from: Data(golden.utf8)) == page)
        }
    }

    @Test func aCursorOfAListIsCodedAsItAlwaysWas() throws {
        let cursor = ListCursor(key: ListKey(Int64(-2)), id: "general/é")
        #expect(cursor.text == "7ffffffffffffffe-67656e6572616c2fc3a9")
        #expect(ListCursor(cursor.text) == cursor)
        #expect(ListCursor("-") == ListCursor(key: ListKey(""), id: ""))
        for text in ["", "7f", "7f-0", "7-00", "7F-00", "7f-00-", "7f-ff", "zz-00"] { #expect(ListCursor(text) == nil) }
        #expect(ListCursor(String(repeating: "00", count: 3 * Limits.recordIDBytesMax) + "-") == nil)
    }

    static let outcomes: [(DeliveryOutcome, String)] = [
        (
            .accepted(ServerPosition(position: 4, acceptedAt: Timestamp(milliseconds: 5))),
            #"{"acceptedAt":5,"kind":"accepted","position":4}"#
        ),
        (.fenced, #"{"kind":"fenced"}"#), (.deleted, #"{"kind":"deleted"}"#),
        (.refused(code: "a", detail: "b"), #"{"code":"a","detail":"b","kind":"refused"}"#),
        (
            .tryLater(code: "a", detail: "b", after: .milliseconds(1500)),
            #"{"code":"a","detail":"b","kind":"tryLater","retryAfterMilliseconds":1500}"#
        ),
        (.tryLater(code: "a", detail: "b", after: nil), #"{"code":"a","detail":"b","kind":"tryLater"}"#),
        (.notAttempted, #"{"kind":"notAttempted"}"#), (.gap(mark: 3), #"{"kind":"gap","mark":3}"#),
        (.late(mark: 3), #"{"kind":"late","mark":3}"#),
    ]

    @Test(arguments: outcomes.indices) func anOutcomeIsCodedAsItAlwaysWas(index: Int) throws {
        let (outcome, golden) = Self.outcomes[index]
        #expect(try Self.coded(WireResult(outcome)) == golden)
        #expect(try JSONDecoder().decode(WireResult.self, from: Data(golden.utf8)).outcome == outcome)
    }

    @Test(arguments: [
        #"{"kind":"accepted"}"#, #"{"kind":"accepted","position":1}"#, #"{"kind":"gap"}"#, #"{"kind":"late"}"#,
    ])
    func anOutcomeThatLacksWhatItNeedsIsNone(text: String) throws {
        #expect(try JSONDecoder().decode(WireResult.self, from: Data(text.utf8)).outcome == nil)
    }

    @Test(arguments: [Int64.min, -1, Limits.sequenceMax + 1, .max])
    func anOutcomeWithAnImpossibleNumberIsNone(number: Int64) {
        let time = Timestamp(milliseconds: 1)
        #expect(WireResult(kind: .accepted, position: number, acceptedAt: time).outcome == nil)
        #expect(WireResult(kind: .gap, mark: number).outcome == nil)
        #expect(WireResult(kind: .late, mark: number).outcome == nil)
    }

    @Test(arguments: [Int64.min, 0, Limits.positionMax + 1, .max])
    func aMessageWithAnImpossiblePositionIsNone(position: Int64) throws {
        var message = WireMessage(
            id: try #require(MessageID(Self.id)), channel: try #require(ChannelID("general")),
            sender: try #require(UserID("me")), content: .text("hi"), createdAt: Timestamp(milliseconds: .min),
            position: position, acceptedAt: Timestamp(milliseconds: .max),
            reactions: ["a": .max, "b": 0, "c": .min, "d": 1])
        #expect(message.placed == nil)
        message.position = 1
        #expect(message.placed?.body.reactions == ["a": Limits.reactionCountMax, "d": 1])
    }

    /// Messages without tags are coded as before there were any.
    @Test func tagsAreCodedBesideTheContent() throws {
        let (message, channel) = (try #require(MessageID(Self.id)), try #require(ChannelID("general")))
        let operation = WireOperation(
            DeliveryOperation(
                sequence: 7, previous: 5,
                body: .send(
                    message, channel: channel, content: .text("hi"), createdAt: Timestamp(milliseconds: 12),
                    tags: ["b", "a"])))
        let golden =
            #"{"channel":"general","content":{"text":"hi","type":"text","v":1},"createdAt":12,"#
            + #""id":"\#(Self.id)","kind":"send","previous":5,"sequence":7,"tags":["b","a"]}"#
        #expect(try Self.coded(operation) == golden)
        #expect(try JSONDecoder().decode(WireOperation.self, from: Data(golden.utf8)) == operation)
        let page =
            #"{"acceptedAt":4,"channel":"general","content":{"text":"hi","type":"text","v":1},"createdAt":12,"#
            + #""id":"\#(Self.id)","position":3,"sender":"me","tags":["b","a"]}"#
        var read = try JSONDecoder().decode(WireMessage.self, from: Data(page.utf8))
        let placed = try #require(read.placed)
        #expect(placed.body.tags == ["b", "a"])
        #expect(try Self.coded(WireMessage(placed)) == page)
        read.tags = ["b", "", "b"]
        #expect(read.placed?.body.tags == ["b"])
    }

    @Test func anUnknownFieldIsNoError() throws {
        let text = #"{"mark":1,"results":[{"kind":"fenced","later":true}],"later":{}}"#
        #expect(try JSONDecoder().decode(WireReport.self, from: Data(text.utf8)).mark == 1)
    }

    @Test func theHistoryIsOneLine() throws {
        let golden =
            "000102030405060708090a0b0c0d0e0f.f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff.8589934592."
            + "ffffffffffffffffffffffffffffffff.17." + String(repeating: "ab", count: 32)
        let history = try #require(WireHistory(golden))
        #expect(history.text == golden)
        #expect(history.floor == 2 << 32)
        #expect(history.commit == 17)
        #expect(
            history.serverHistory
                == ServerHistory(
                    server: history.hub, id: history.history, opening: history.opening, commit: 17, claim: golden))
        for wrong in [
            "", "a.b.c", golden + ".", golden + "0", golden.uppercased(), golden.replacing(".17.", with: ".-1."),
            golden.replacing(".17.", with: ".017."), golden.replacing(".17.", with: ".9223372036854775807."),
            golden.replacing("0001", with: "0 01"), golden.replacing(".17.", with: ".+17."),
        ] {
            #expect(WireHistory(wrong) == nil, "\(wrong)")
        }
    }

    @Test(
        arguments: [
            (#"{"server":"hub","user":"ann"}"#, nil),
            (#"{"marks":{"media":3,"text":7},"server":"hub","user":"ann"}"#, ["text": 7, "media": 3]),
            (
                #"{"marks":{"text":7},"movers":{"text":"00000000-0000-7000-8000-000000000007"},"#
                    + #""server":"hub","user":"ann"}"#, ["text": 7]
            ),
        ] as [(String, [String: Int64]?)])
    func aSessionIsReadAsItAlwaysWas(golden: String, marks: [String: Int64]?) throws {
        let session = try JSONDecoder().decode(WireSession.self, from: Data(golden.utf8))
        #expect(session.marks == marks)
        #expect(try Self.coded(session) == golden)
    }

    /// Older hubs did not report the range of a page; an impossible range is ignored.
    @Test(
        arguments: [
            (#"{"hasMore":false,"messages":[]}"#, nil),
            (#"{"from":3,"hasMore":true,"messages":[],"through":7}"#, 3..<8),
            (#"{"cursor":"0f-12","from":3,"hasMore":true,"messages":[],"through":7}"#, 3..<8),
            (#"{"from":3,"hasMore":false,"messages":[],"through":2}"#, 3..<3),
            (#"{"from":3,"hasMore":false,"messages":[],"through":1}"#, nil),
            (#"{"from":0,"hasMore":false,"messages":[],"through":1}"#, nil),
            (#"{"from":-9223372036854775808,"hasMore":false,"messages":[],"through":9223372036854775807}"#, nil),
            (#"{"from":1,"hasMore":false,"messages":[],"through":9223372036854775807}"#, nil),
        ] as [(String, Range<Int64>?)])
    func aPageIsReadAsItAlwaysWas(golden: String, range: Range<Int64>?) throws {
        let page = try JSONDecoder().decode(WirePage.self, from: Data(golden.utf8))
        #expect(page.range == range)
        #expect(try Self.coded(page) == golden)
    }

    @Test func changesAreReadAsTheyAlwaysWere() throws {
        let golden = """
            {"cursor":"0f-12","gone":["\(Self.id)"],"isComplete":true,"messages":[],"newest":9}
            """
        let changes = try JSONDecoder().decode(WireChanges.self, from: Data(golden.utf8))
        let gone = try #require(MessageID(Self.id))
        #expect(changes.cursor == "0f-12" && changes.gone == [gone])
        #expect(changes.isComplete && changes.newest == 9)
        #expect(try Self.coded(changes) == golden)
    }

    @Test(arguments: [
        ("0f-12", true), ("a.B_9", true), ("", false), ("a b", false), ("a&b=1", false), ("a%20", false), ("ä", false),
        (String(repeating: "a", count: 200), true), (String(repeating: "a", count: 201), false),
    ])
    func aCursorMayStandInARequest(_ text: String, _ isCursor: Bool) {
        #expect(WireChanges.isCursor(text) == isCursor)
    }

    @Test func eventsAreCodedAsTheyAlwaysWere() throws {
        let events = WireEvents(
            events: [
                WireEvent(
                    topic: "channel:general", kind: "channel", id: "general", version: 3,
                    value: .object(["name": .string("General")])),
                WireEvent(topic: "account", kind: "channelMember", id: "general/ann", version: 4, value: nil),
            ],
            limited: ["channel:general"], cursor: "00-11-2", isUpToDate: true)
        let golden =
            #"{"cursor":"00-11-2","events":[{"id":"general","kind":"channel","topic":"channel:general","#
            + #""value":{"name":"General"},"version":3},{"id":"general/ann","kind":"channelMember","#
            + #""topic":"account","version":4}],"isReset":false,"isUpToDate":true,"limited":["channel:general"]}"#
        #expect(try Self.coded(events) == golden)
        #expect(try JSONDecoder().decode(WireEvents.self, from: Data(golden.utf8)) == events)
    }

    @Test func aTombstoneIsCodedAsItAlwaysWas() throws {
        let id = try #require(MessageID(Self.id))
        let left = WireDeletedMessage(
            id: id, channel: try #require(ChannelID("general")), sender: try #require(UserID("ann")), type: "image",
            createdAt: Timestamp(milliseconds: 12), position: 7, acceptedAt: Timestamp(milliseconds: 13), parent: id,
            deletedAt: Timestamp(milliseconds: 14))
        let golden =
            #"{"acceptedAt":13,"channel":"general","createdAt":12,"deletedAt":14,"id":"\#(Self.id)","#
            + #""parent":"\#(Self.id)","position":7,"sender":"ann","type":"image"}"#
        #expect(try Self.coded(left) == golden)
        let page = WirePage(messages: [], hasMore: false, from: 7, through: 7, deleted: [left])
        let goldenPage = #"{"deleted":[\#(golden)],"from":7,"hasMore":false,"messages":[],"through":7}"#
        #expect(try Self.coded(page) == goldenPage)
        let read = try JSONDecoder().decode(WirePage.self, from: Data(goldenPage.utf8))
        #expect(read == page && read.range == 7..<8)
        let event = WireEvent(
            topic: "channel:general", kind: "message", id: Self.id, version: 3, value: nil, deleted: left)
        let goldenEvent =
            #"{"deleted":\#(golden),"id":"\#(Self.id)","kind":"message","topic":"channel:general","version":3}"#
        #expect(try Self.coded(event) == goldenEvent)
        #expect(try JSONDecoder().decode(WireEvent.self, from: Data(goldenEvent.utf8)) == event)
        // A place outside of the page, or of every channel, and a type that no message can have.
        #expect(WirePage(messages: [], hasMore: false, from: 1, through: 6, deleted: [left]).range == nil)
        var other = left
        (other.position, other.type, other.parent) = (0, nil, nil)
        #expect(other.placed == nil)
        other.position = 1
        #expect(other.placed?.type == .text && other.placed?.deletedAt == Timestamp(milliseconds: 14))
        other.type = "a b"
        #expect(other.placed?.type == .unknown("unknown"))
    }

    @Test func ephemeralEventsAreCodedAsTheyAlwaysWere() throws {
        let general = try #require(ChannelID("general"))
        let (ann, bob) = (try #require(UserID("ann")), try #require(UserID("bob")))
        var events = WireEvents(events: [], cursor: "00-11-2", isUpToDate: true)
        events.ephemeral = WireEphemeral(
            seen: "1f-7", isComplete: false,
            channels: [
                WireEphemeral.Channel(
                    channel: general, typing: [WireEphemeral.Typing(user: ann, milliseconds: 5900)],
                    present: [ann, bob])
            ])
        let golden =
            #"{"cursor":"00-11-2","ephemeral":{"channels":[{"channel":"general","present":["ann","bob"],"#
            + #""typing":[{"milliseconds":5900,"user":"ann"}]}],"isComplete":false,"seen":"1f-7"},"events":[],"#
            + #""isReset":false,"isUpToDate":true,"limited":[]}"#
        #expect(try Self.coded(events) == golden)
        #expect(try JSONDecoder().decode(WireEvents.self, from: Data(golden.utf8)) == events)
        let signal = WireTyping(device: "d1", sequence: 7, isTyping: true)
        let goldenSignal = #"{"device":"d1","isTyping":true,"sequence":7}"#
        #expect(try Self.coded(signal) == goldenSignal)
        #expect(try JSONDecoder().decode(WireTyping.self, from: Data(goldenSignal.utf8)) == signal)
        #expect(try Self.coded(WireTypingResult(isShown: true)) == #"{"isShown":true}"#)
    }
}
