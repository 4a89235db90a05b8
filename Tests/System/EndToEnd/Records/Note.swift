import CausewayHubRules
import CausewayModels
import CausewayRecords

/// A kind of records that only these tests know: all that it takes to be stored, queried, observed and served.
struct Note: Record {
    static let kind: RecordKind = "note"

    let id: String
    var author: UserID
    var text: String
    var version: Int64 = 0

    private enum CodingKeys: String, CodingKey { case id, author, text }

    static func notes(of author: UserID) -> RecordList {
        RecordList(kind: kind, name: "byAuthor", scope: author.value)
    }

    var entries: [ListEntry] { [ListEntry("byAuthor", scope: author.value, key: ListKey(text))] }

    static func putting(_ text: String, as id: String) -> RecordWrite {
        RecordWrite(kind: kind, record: id, action: "put", arguments: .object(["text": .string(text)]))
    }

    static func problem(with write: RecordWrite) -> RecordProblem? {
        if write.arguments["text"]?.string != nil { return nil }
        return RecordProblem(code: "argumentsInvalid", detail: "a note needs a text")
    }
}

/// The rights on the hub: every account has its own notes.
enum NoteRules: RecordRules {
    static func keys(toRead id: String, by account: UserID) -> RecordKeys { RecordKeys() }

    static func mayRead(_ note: Note, by account: UserID, _ records: inout RecordTransaction) -> Bool {
        note.author == account
    }

    static func keys(toRead list: RecordList, by account: UserID) -> RecordKeys? { RecordKeys() }

    static func mayRead(_ list: RecordList, by account: UserID, _ records: inout RecordTransaction) -> Bool {
        list == Note.notes(of: account)
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
        let text = write.arguments["text"]?.string ?? ""
        return .accepted(version: records.put(Note(id: write.record, author: account, text: text)))
    }
}
