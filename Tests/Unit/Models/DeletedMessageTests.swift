import CausewayModels
import Foundation
import Testing

@Suite struct DeletedMessageTests {
    private static func left(_ number: UInt64, _ type: MessageType, full: Bool) throws -> DeletedMessage {
        DeletedMessage(
            id: MessageID(UUIDv7(high: 0x0190_A6B2_0000_7000, low: 0x8000_0000_0000_0000 + number)),
            channel: try #require(ChannelID("general")), sender: try #require(UserID("ann")),
            parent: full ? MessageID(UUIDv7(high: 0x0190_A6B2_0000_7000, low: 0x8000_0000_0000_0007)) : nil,
            type: type, createdAt: Timestamp(milliseconds: 5),
            serverPosition: ServerPosition(position: 9, acceptedAt: Timestamp(milliseconds: 6)),
            deletedAt: full ? Timestamp(milliseconds: 8) : nil)
    }

    /// Stores of other versions have the records.
    @Test func itsRecordIsCodedAsItAlwaysWas() throws {
        let id = "0190a6b2-0000-7000-8000-000000000001"
        let short =
            #"{"acceptedAt":6,"channel":"general","createdAt":5,"id":"\#(id)","position":9,"sender":"ann"}"#
        let long =
            #"{"acceptedAt":6,"channel":"general","createdAt":5,"deletedAt":8,"id":"\#(id)","#
            + #""parent":"0190a6b2-0000-7000-8000-000000000007","position":9,"sender":"ann","type":"x"}"#
        for (left, golden, version) in [
            (try Self.left(1, .text, full: false), short, 0), (try Self.left(1, .unknown("x"), full: true), long, 1),
        ] as [(DeletedMessage, String, Int64)] {
            let record = left.stored
            #expect(String(decoding: record.value, as: UTF8.self) == golden)
            #expect(record.id == id && record.kind == "deletedMessage" && record.version == version)
            #expect(record.entries == [ListEntry("byChannel", scope: "general", key: ListKey(9))])
            #expect(DeletedMessage(stored: record) == left)
            #expect(DeletedMessage.channel(of: record) == left.channel)
            var other = record
            other.id = "0190a6b2-0000-7000-8000-000000000002"
            #expect(DeletedMessage(stored: other) == nil)
            other = record
            other.value = Data("{}".utf8)
            #expect(DeletedMessage(stored: other) == nil)
            other.kind = "channel"
            #expect(DeletedMessage.channel(of: other) == nil)
        }
    }

    @Test(arguments: [Int64.min, -1, 0, 1, 9, .max])
    func aKeyByNumberHasItsNumber(_ number: Int64) {
        #expect(ListKey(number).number == number)
        #expect(ListKey("seven b").number == nil)
    }

    /// In lists it is a message without a content, of the type that it had.
    @Test(arguments: [MessageType.text, .image, .custom, .unknown("x")])
    func aListShowsItWithoutContent(_ type: MessageType) throws {
        let message = Message(try Self.left(1, type, full: true))
        #expect(message.isDeleted && message.deletedAt == Timestamp(milliseconds: 8))
        #expect(message.type == type && message.content.attachment == nil && message.tags.isEmpty)
        #expect(message.cursor == MessageCursor(position: 9, ordinal: 0) && message.syncState == .synced)
        #expect(Message(try Self.left(1, type, full: false)).isDeleted)
        #expect(Message(try Self.left(1, type, full: false)).deletedAt == nil)
    }
}
