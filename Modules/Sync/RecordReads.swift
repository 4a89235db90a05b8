import CausewayModels
import CausewayStorage

/// Reads of records that are under way, and the changes since each of them began.
///
/// A page that was requested before a record was stored may not list it yet, and one that was requested before a record
/// was removed may still list it: neither undoes the later change.
struct RecordReads {
    /// A part of a list that a read covered, and the records of it that are kept.
    fileprivate struct ListPart {
        var range: ListRange
        var retained: Set<String>
        /// True if the read began after the one for which it is noted.
        var isLater: Bool

        func passesOver(_ record: StoredRecord) -> Bool {
            !retained.contains(record.id) && record.cursor(in: range.list).map(range.contains) ?? false
        }
    }

    /// The changes since one read began.
    struct Changes {
        private(set) var stored: [RecordKind: Set<String>] = [:]
        /// The version of each removed record at which it was gone.
        private var removed: [RecordKind: [String: Int64]] = [:]
        /// Those of ``stored`` that another read brought: the server may have been asked for them earlier than in this
        /// read. Events bring later changes.
        private(set) var read: [RecordKind: Set<String>] = [:]
        /// The parts of lists that other reads covered.
        private var covered: [ListPart] = []

        fileprivate mutating func store(_ record: StoredRecord, isRead: Bool) {
            stored[record.kind, default: []].insert(record.id)
            removed[record.kind]?[record.id] = nil
            for index in covered.indices where covered[index].range.list.kind == record.kind {
                covered[index].retained.insert(record.id)
            }
            if isRead {
                read[record.kind, default: []].insert(record.id)
            } else {
                read[record.kind]?.remove(record.id)
            }
        }

        /// True if the record, as a response has it, was removed since.
        func isRemoved(_ record: StoredRecord) -> Bool {
            removed[record.kind]?[record.id].map { record.version <= $0 } ?? false
        }

        /// True if another read covered the place of the record, and did not list it.
        ///
        /// - Parameter isLater: true to count only reads that began later than this one.
        func isPassedOver(_ record: StoredRecord, isLater: Bool = false) -> Bool {
            covered.contains { ($0.isLater || !isLater) && $0.passesOver(record) }
        }

        fileprivate mutating func cover(_ part: ListPart) { covered.append(part) }

        fileprivate mutating func remove(_ kind: RecordKind, _ id: String, _ version: Int64) {
            removed[kind, default: [:]][id] = version
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

    /// Notes that a read covered a part of a list, of which only these records are kept.
    mutating func noteCovered(_ range: ListRange, retaining retained: Set<String>, by reader: Int) {
        for number in underWay.keys where number != reader {
            underWay[number]?.cover(ListPart(range: range, retained: retained, isLater: number < reader))
        }
    }

    /// - Parameter version: that of the removal, as far as it is known.
    mutating func noteRemoved(_ kind: RecordKind, _ id: String, at version: Int64 = .max) {
        for number in underWay.keys { underWay[number]?.remove(kind, id, version) }
    }
}
