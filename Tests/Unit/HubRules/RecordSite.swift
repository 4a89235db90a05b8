import CausewayHubRules
import CausewayModels
import CausewayRecords
import Testing

/// The records of a hub in memory, for decisions: each sees what the ones before it changed, and is loaded with the
/// keys that the rules name, so that a rule that forgets one fails.
struct RecordSite {
    private(set) var rows: [RecordKey: RecordRow] = [:]
    private(set) var entries: [RecordKey: [ListEntry]] = [:]
    var users: Set<UserID>
    var floor: Int64 = 0
    private(set) var now: Int64 = 100
    private var decoded = DecodedRecords()
    let kinds = HubKinds.standard

    init(users: [String]) throws {
        self.users = Set(try users.map { try #require(UserID($0)) })
    }

    func state(_ keys: RecordKeys) -> RecordState {
        var state = RecordState(floor: floor)
        for key in keys.records { state.rows[key] = rows[key] }
        for list in keys.counted { state.counts[list] = ids(of: list).count }
        state.users = keys.users.intersection(users)
        return state
    }

    func ids(of list: RecordList) -> [String] {
        let found = entries.filter { key, entries in
            key.kind == list.kind && entries.contains { $0.name == list.name && $0.scope == list.scope }
        }
        return found.map(\.key.id).sorted()
    }

    mutating func store(_ changes: [RecordKey: RecordChange]) {
        for (key, change) in changes {
            #expect(change.row.version > rows[key]?.version ?? 0, "versions ascend")
            rows[key] = change.row
            if let lists = change.entries { entries[key] = lists }
        }
    }

    /// Decides about a write; returns `accepted` or the code of the refusal.
    @discardableResult
    mutating func write(_ write: RecordWrite, by account: String) throws -> String {
        let user = try #require(UserID(account))
        now += 1
        var records = RecordTransaction(state(kinds.keys(of: write, by: user)), decoded: decoded)
        let verdict = kinds.decide(write, by: user, at: Timestamp(milliseconds: now), &records)
        decoded = records.takeDecoded(after: records.changes(kinds))
        switch verdict {
        case .accepted(let version):
            store(records.changes(kinds))
            let key = RecordKey(kind: write.kind, id: write.record)
            #expect(rows[key]?.version == version)
            return "accepted"
        case .refused(let code, _):
            #expect(records.changes(kinds).isEmpty, "a refused write changes nothing")
            return code
        }
    }

    @discardableResult
    mutating func channel(
        _ action: (ChannelID, ChannelSettings) -> ChannelAction, _ id: String,
        _ settings: ChannelSettings = ChannelSettings(), by account: String
    ) throws -> String {
        try write(action(try #require(ChannelID(id)), settings).write, by: account)
    }

    @discardableResult
    mutating func member(_ verb: ChannelMemberAction.Verb, _ id: String, by account: String) throws -> String {
        try write(ChannelMemberAction(verb, try #require(ChannelMemberID(id))).write, by: account)
    }

    func channel(_ id: String) throws -> Channel? {
        let id = try #require(ChannelID(id))
        var records = RecordTransaction(state(RecordKeys(records: [RecordKey(Channel.self, id)])))
        return records.channel(id)
    }

    func mayRead<Value: Record>(_ type: Value.Type, _ id: String, by account: String) throws -> Bool {
        let user = try #require(UserID(account))
        let key = RecordKey(kind: Value.kind, id: id)
        guard let keys = kinds.keys(toRead: key, by: user) else { return false }
        return kinds.mayRead(key, by: user, in: state(keys))
    }

    func mayRead(_ list: RecordList, by account: String) throws -> Bool {
        let user = try #require(UserID(account))
        guard let keys = kinds.keys(toRead: list, by: user) else { return false }
        return kinds.mayRead(list, by: user, in: state(keys))
    }
}
