import CausewayModels
import CausewayRecords

/// A kind of records that only this test knows: its description is all that stores, queries and live objects need.
struct Album: Record {
    static let kind: RecordKind = "album"

    let id: String
    var owner: String
    var year: Int64
    var version: Int64 = 0

    private enum CodingKeys: String, CodingKey { case id, owner, year }

    static func albums(of owner: String) -> RecordList { RecordList(kind: kind, name: "byOwner", scope: owner) }

    static func problem(with write: RecordWrite) -> RecordProblem? { nil }

    var entries: [ListEntry] { [ListEntry("byOwner", scope: owner, key: ListKey(year))] }
}
