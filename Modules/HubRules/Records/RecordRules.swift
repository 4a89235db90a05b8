package import CausewayModels
package import CausewayRecords

/// The rules of a kind on the hub: who may read its records, and what a write changes; free of I/O.
///
/// Each decision first names the records that it needs, which are loaded together, and then decides in memory.
package protocol RecordRules: Sendable {
    associatedtype Value: Record

    /// The records that decide whether an account may read a record, without the record itself.
    static func keys(toRead id: Value.ID, by account: UserID) -> RecordKeys

    /// Whether an account may read a record that exists. If not, it does not exist for the account.
    static func mayRead(_ record: Value, by account: UserID, _ records: inout RecordTransaction) -> Bool

    /// The records that decide whether an account may read a list; `nil` for a list that the kind does not have, or
    /// that no account may read.
    static func keys(toRead list: RecordList, by account: UserID) -> RecordKeys?

    /// Whether an account may read a list. If not, it does not exist for the account.
    static func mayRead(_ list: RecordList, by account: UserID, _ records: inout RecordTransaction) -> Bool

    /// Whether a list that an account may read can have records that it may not read, which its pages leave out.
    static func mayHide(_ list: RecordList) -> Bool

    /// The records that a write needs; none for a malformed one.
    static func keys(of write: RecordWrite, by account: UserID) -> RecordKeys

    /// Decides about a write and applies it. A refused write changes nothing.
    static func decide(
        _ write: RecordWrite, by account: UserID, at now: Timestamp, _ records: inout RecordTransaction
    ) -> WriteDecision

    /// The topics of the log in which a change of a record is listed. Depends on the record's id alone, so that the
    /// topics of a deleted record are those that it had.
    static func topics(of record: Value) -> [LogTopic]
}

extension RecordRules {
    package static func mayHide(_ list: RecordList) -> Bool { false }
}

/// The result of a write.
package enum WriteDecision: Sendable, Equatable {
    /// With the version of the record, which a write that changes nothing leaves as it is.
    case accepted(version: Int64)
    case refused(code: String, detail: String)

    static func refused(_ problem: RecordProblem) -> WriteDecision {
        .refused(code: problem.code, detail: problem.detail)
    }
}

/// The kinds that a hub has.
package struct HubKinds: Sendable {
    private let rules: [RecordKind: any RecordRules.Type]

    package static let standard = HubKinds([ChannelRules.self, ChannelMemberRules.self])

    package init(_ rules: [any RecordRules.Type]) {
        self.rules = Dictionary(rules.map { (Self.kind(of: $0), $0) }) { $1 }
    }

    package subscript(kind: RecordKind) -> (any RecordRules.Type)? { rules[kind] }

    private static func kind<Rules: RecordRules>(of rules: Rules.Type) -> RecordKind { Rules.Value.kind }
}

extension HubKinds {
    package func keys(of write: RecordWrite, by account: UserID) -> RecordKeys {
        rules[write.kind]?.keys(of: write, by: account) ?? RecordKeys()
    }

    package func decide(
        _ write: RecordWrite, by account: UserID, at now: Timestamp, _ records: inout RecordTransaction
    ) -> WriteDecision {
        guard let rules = rules[write.kind] else {
            return .refused(code: "kindUnknown", detail: "the hub has no records of the kind \(write.kind)")
        }
        return rules.decide(write, by: account, at: now, &records)
    }

    func topics<Value: Record>(of record: Value) -> [LogTopic] {
        func topics<Rules: RecordRules>(_ rules: Rules.Type) -> [LogTopic] {
            (record as? Rules.Value).map(Rules.topics) ?? []
        }
        return rules[Value.kind].map { topics($0) } ?? []
    }

    /// The keys of a record and of the rights to read it; `nil` when there can be no such record.
    package func keys(toRead key: RecordKey, by account: UserID) -> RecordKeys? {
        func keys<Rules: RecordRules>(_ rules: Rules.Type) -> RecordKeys? {
            guard let id = Rules.Value.ID(key.id), id.description == key.id else { return nil }
            var keys = Rules.keys(toRead: id, by: account)
            keys.records.insert(key)
            return keys
        }
        return rules[key.kind].flatMap { keys($0) }
    }

    /// Whether a record exists for an account.
    package func mayRead(_ key: RecordKey, by account: UserID, in state: RecordState) -> Bool {
        func mayRead<Rules: RecordRules>(_ rules: Rules.Type) -> Bool {
            var records = RecordTransaction(state)
            guard let id = Rules.Value.ID(key.id), let record = records.record(Rules.Value.self, id) else {
                return false
            }
            return Rules.mayRead(record, by: account, &records)
        }
        return rules[key.kind].map { mayRead($0) } ?? false
    }

    /// The keys of the rights to read a list; `nil` when there is no such list.
    package func keys(toRead list: RecordList, by account: UserID) -> RecordKeys? {
        rules[list.kind]?.keys(toRead: list, by: account)
    }

    /// Whether a list exists for an account.
    package func mayRead(_ list: RecordList, by account: UserID, in state: RecordState) -> Bool {
        var records = RecordTransaction(state)
        return rules[list.kind]?.mayRead(list, by: account, &records) ?? false
    }

    /// Whether pages of a list leave out records that an account may not read.
    package func mayHide(_ list: RecordList) -> Bool { rules[list.kind]?.mayHide(list) ?? false }
}
