import CausewayHub
import CausewayHubRules
import CausewayHubSQLite
import CausewayModels
import CausewayRecords
import CausewayTestSupport
import CausewayWire
import Testing

/// A kind of records that no program has: everything that a new one needs on the hub is this file and the list of
/// kinds.
private struct Note: Record {
    static let kind: RecordKind = "note"
    let id: String
    var author: UserID
    var text: String
    var version: Int64 = 0

    private enum CodingKeys: String, CodingKey { case id, author, text }

    var entries: [ListEntry] { [ListEntry("byAuthor", scope: author.value, key: ListKey(id))] }
}

private enum NoteRules: RecordRules {
    static func keys(toRead id: String, by account: UserID) -> RecordKeys { RecordKeys() }
    static func mayRead(_ note: Note, by account: UserID, _ records: inout RecordTransaction) -> Bool {
        note.author == account
    }
    static func keys(toRead list: RecordList, by account: UserID) -> RecordKeys? { RecordKeys() }
    static func mayRead(_ list: RecordList, by account: UserID, _ records: inout RecordTransaction) -> Bool {
        list.scope == account.value
    }
    static func topics(of note: Note) -> [LogTopic] { [.account(note.author)] }
    static func keys(of write: RecordWrite, by account: UserID) -> RecordKeys {
        RecordKeys(records: [RecordKey(Note.self, write.record)])
    }
    static func decide(
        _ write: RecordWrite, by account: UserID, at now: Timestamp, _ records: inout RecordTransaction
    ) -> WriteDecision {
        if let note = records.record(Note.self, write.record), note.author != account {
            return .refused(code: "forbidden", detail: "only its author changes a note")
        }
        return .accepted(
            version: records.put(Note(id: write.record, author: account, text: write.arguments["text"]?.string ?? "")))
    }
}

@Suite struct KindTests {
    @Test func aKindOfATestIsServed() async throws {
        let temporary = try TemporaryFolder()
        let folder = DataFolder(temporary.path)
        try await HubFixture.prepare(folder)
        try await HubService.running(
            HubConfiguration(folder: folder, security: .plainOnLoopback).patient, opening: SQLiteHubStorage.open,
            kinds: HubKinds([NoteRules.self]), logger: HubFixture.logger
        ) { hub in
            let port = try await hub.port()
            let me = HubClient(port: port, token: try HubFixture.token(in: folder))
            let other = HubClient(port: port, token: try await hub.administration.addAccount("other").text)
            func note(_ sequence: Int64, _ number: UInt64, _ id: String, _ text: String) -> WireOperation {
                write(
                    sequence, number,
                    RecordWrite(
                        kind: "note", record: id, action: "put", arguments: .object(["text": .string(text)])))
            }
            let report = try await me.report(delivery([note(1, 1, "a", "first"), note(2, 2, "a", "second")]))
            #expect(report.positions == [1, 2])
            let others = delivery([note(1, 3, "a", "x"), note(2, 4, "b", "y")])
            #expect(try await other.report(others).codes == ["forbidden", nil])
            let record = try await me.get(WireProtocol.recordPath("note", "a")).decoded(WireRecord.self)
            #expect(record.version == 2 && record.value["text"] == .string("second"))
            #expect(try await other.get(WireProtocol.recordPath("note", "a")).status == 404)
            let list = "/v1/records/note?list=byAuthor&scope="
            #expect(try await me.get(list + "me").decoded(WireRecordPage.self).items.map(\.id) == ["a"])
            #expect(try await me.get(list + "other").status == 404)
        }
    }
}
