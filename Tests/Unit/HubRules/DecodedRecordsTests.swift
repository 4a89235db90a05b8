import CausewayHubRules
import CausewayModels
import CausewayRecords
import Testing

@Suite struct DecodedRecordsTests {
    private static func row(_ name: String, title: String, version: Int64 = 1) throws -> (ChannelID, RecordRow) {
        let id = try #require(ChannelID(name))
        let value = """
            {"createdAt":1,"id":"\(name)","isPublic":true,"lastActivityAt":1,"lastPosition":0,"memberCount":0,\
            "messageCount":0,"metadata":{},"name":"\(title)"}
            """
        return (id, RecordRow(key: RecordKey(Channel.self, id), version: version, value: value))
    }

    private static func transaction(_ row: RecordRow, _ decoded: DecodedRecords) -> RecordTransaction {
        var state = RecordState(floor: 0)
        state.rows[row.key] = row
        return RecordTransaction(state, decoded: decoded)
    }

    /// The records that are kept after a transaction that read one.
    private static func decoded(reading id: ChannelID, _ row: RecordRow) -> DecodedRecords {
        var transaction = transaction(row, DecodedRecords())
        #expect(transaction.channel(id)?.id == id)
        return transaction.takeDecoded(after: [:])
    }

    @Test func aRecordThatWasReadIsKept() throws {
        let (id, row) = try Self.row("harbor", title: "Harbor")
        let decoded = Self.decoded(reading: id, row)
        #expect(decoded.count == 1)
        var transaction = Self.transaction(row, decoded)
        #expect(transaction.channel(id)?.name == "Harbor")
    }

    /// Another process, such as `causeway-hub channel`, has changed it since.
    @Test func aTextThatChangedElsewhereIsDecodedAnew() throws {
        let (id, row) = try Self.row("harbor", title: "Harbor")
        let decoded = Self.decoded(reading: id, row)
        var second = Self.transaction(try Self.row("harbor", title: "Pier", version: 2).1, decoded)
        #expect(second.channel(id)?.name == "Pier")
        #expect(second.channel(id)?.version == 2)
        var deleted = row
        deleted.isDeleted = true
        var third = Self.transaction(deleted, decoded)
        #expect(third.channel(id) == nil)
    }

    /// Swift takes both names for equal.
    @Test func aNameInAnotherNormalFormIsAnotherText() throws {
        let (id, row) = try Self.row("harbor", title: "Caf\u{E9}")
        var second = Self.transaction(
            try Self.row("harbor", title: "Cafe\u{301}").1, Self.decoded(reading: id, row))
        #expect(second.channel(id).map { Array($0.name.utf8) } == Array("Cafe\u{301}".utf8))
    }

    @Test func theVersionIsThatOfTheRow() throws {
        let (id, row) = try Self.row("harbor", title: "Harbor")
        var renewed = row
        renewed.version = 9
        var second = Self.transaction(renewed, Self.decoded(reading: id, row))
        #expect(second.channel(id)?.version == 9)
    }

    @Test func aChangeIsFoundByItsTextAndNotBeforeItIsStored() throws {
        let (id, row) = try Self.row("harbor", title: "Harbor")
        var first = Self.transaction(row, DecodedRecords())
        let stored = first.channel(id)
        var channel = try #require(stored)
        channel.name = "Pier"
        first.put(channel)
        let changes = first.changes(.standard)
        let changed = try #require(changes[row.key]?.row)
        let decoded = first.takeDecoded(after: changes)
        #expect(decoded.count == 1)
        var failed = Self.transaction(row, decoded)
        #expect(failed.channel(id)?.name == "Harbor", "the commit failed")
        var next = Self.transaction(changed, decoded)
        #expect(next.channel(id)?.name == "Pier")
        #expect(next.channel(id)?.version == changed.version)
    }

    @Test func asManyAsFitAreKept() throws {
        var decoded = DecodedRecords()
        var most = 0
        for number in 0..<3 * DecodedRecords.countMax {
            let (id, row) = try Self.row("c\(number)", title: "Channel")
            var transaction = Self.transaction(row, decoded)
            #expect(transaction.channel(id)?.id == id)
            decoded = transaction.takeDecoded(after: [:])
            most = max(most, decoded.count)
        }
        #expect(most == DecodedRecords.countMax)
    }

    @Test func aLongRecordIsDecodedEachTime() throws {
        let title = String(repeating: "x", count: DecodedRecords.textBytesMax)
        let (id, row) = try Self.row("harbor", title: title)
        var transaction = Self.transaction(row, DecodedRecords())
        #expect(transaction.channel(id)?.name == title)
        #expect(transaction.takeDecoded(after: [:]).count == 0)
    }
}
