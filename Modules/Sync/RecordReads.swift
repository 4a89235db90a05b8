import CausewayModels

/// Reads of records that are under way, and the changes since each of them began.
///
/// A page that was requested before a record was stored may not list it yet, and one that was requested before a record
/// was removed may still list it: neither undoes the later change.
struct RecordReads {
    /// The changes since one read began.
    struct Changes {
        private(set) var stored: [RecordKind: Set<String>] = [:]
        private(set) var removed: [RecordKind: Set<String>] = [:]
        /// Those of ``stored`` that another read brought: the server may have been asked for them earlier than in this
        /// read. Events bring later changes.
        private(set) var read: [RecordKind: Set<String>] = [:]

        fileprivate mutating func store(_ record: StoredRecord, isRead: Bool) {
            stored[record.kind, default: []].insert(record.id)
            removed[record.kind]?.remove(record.id)
            if isRead {
                read[record.kind, default: []].insert(record.id)
            } else {
                read[record.kind]?.remove(record.id)
            }
        }

        fileprivate mutating func remove(_ kind: RecordKind, _ id: String) {
            removed[kind, default: []].insert(id)
            stored[kind]?.remove(id)
            read[kind]?.remove(id)
        }
    }

    private var underWay: [Int: Changes] = [:]
    private var last = 0

    mutating func begin() -> Int {
        last += 1
        underWay[last] = Changes()
        return last
    }

    /// Ends a read; later changes do not concern it.
    mutating func end(_ number: Int) { underWay[number] = nil }

    /// The changes since a read began.
    func changes(since number: Int) -> Changes { underWay[number] ?? Changes() }

    /// - Parameter isRead: true if a read brought them, false for an event.
    mutating func noteStored(_ records: [StoredRecord], isRead: Bool) {
        for number in underWay.keys { for record in records { underWay[number]?.store(record, isRead: isRead) } }
    }

    mutating func noteRemoved(_ kind: RecordKind, _ id: String) {
        for number in underWay.keys { underWay[number]?.remove(kind, id) }
    }
}
