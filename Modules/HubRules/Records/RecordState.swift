package import CausewayModels

/// The identity of a record among those of all kinds.
package struct RecordKey: Sendable, Hashable {
    package var kind: RecordKind
    package var id: String

    package init(kind: RecordKind, id: String) {
        self.kind = kind
        self.id = id
    }
}

/// A record as the hub stores it.
///
/// A deleted one keeps its row, for ever: a record that is created again under its id gets a higher version.
package struct RecordRow: Sendable, Hashable {
    package var key: RecordKey
    package var version: Int64
    /// The fields as JSON; of a deleted record the last ones. `nil` if the stored ones are damaged.
    package var value: String?
    package var isDeleted: Bool

    package init(key: RecordKey, version: Int64, value: String?, isDeleted: Bool = false) {
        self.key = key
        self.version = version
        self.value = value
        self.isDeleted = isDeleted
    }

    /// About the bytes of its coded form, for the bounds of pages.
    package var bytes: Int { (value?.utf8.count ?? 0) + key.id.utf8.count + key.kind.value.utf8.count + 64 }
}

/// Everything that decisions about records need to know.
package struct RecordKeys: Sendable, Equatable {
    package var records: Set<RecordKey> = []
    /// Lists whose length is needed.
    package var counted: Set<RecordList> = []
    /// Names whose accounts must exist.
    package var users: Set<UserID> = []

    package init(records: Set<RecordKey> = [], counted: Set<RecordList> = [], users: Set<UserID> = []) {
        self.records = records
        self.counted = counted
        self.users = users
    }

    package var isEmpty: Bool { records.isEmpty && counted.isEmpty && users.isEmpty }

    package mutating func formUnion(_ other: RecordKeys) {
        records.formUnion(other.records)
        counted.formUnion(other.counted)
        users.formUnion(other.users)
    }
}

/// The stored state that ``RecordKeys`` name; absent keys are not stored.
package struct RecordState: Sendable, Equatable {
    /// The highest length of a list that is counted; the count of a longer one is this number.
    package static let countMax = 10_000

    package var rows: [RecordKey: RecordRow] = [:]
    /// The lengths of the lists; 0 when absent.
    package var counts: [RecordList: Int] = [:]
    /// The accounts that exist, removed ones included.
    package var users: Set<UserID> = []
    /// The floor of the present history: versions that are assigned are above it.
    package var floor: Int64

    package init(floor: Int64) { self.floor = floor }
}

extension [RecordKey: RecordChange] {
    /// The topics of all changes.
    package var topics: Set<LogTopic> { Set(values.lazy.flatMap(\.topics)) }
}

/// The change of one record.
package struct RecordChange: Sendable, Equatable {
    package var row: RecordRow
    /// The lists of the record from now on; `nil` when they stay as they are.
    package var entries: [ListEntry]?
    /// The topics in which the change is logged.
    package var topics: [LogTopic]
    /// Whether the record did not exist before, or was deleted.
    package var isNew: Bool

    package init(row: RecordRow, entries: [ListEntry]?, topics: [LogTopic] = [], isNew: Bool = false) {
        self.row = row
        self.entries = entries
        self.topics = topics
        self.isNew = isNew
    }
}
