import CausewayModels
import CausewayStorage

/// Draws mutations of records, with ties, moves between lists, and versions out of order.
struct RecordGenerator {
    static let kinds: [RecordKind] = ["album", "track"]
    static let ids = (0..<12).map { "r\($0)/ä" }
    static let lists = kinds.flatMap { kind in
        [
            RecordList(kind: kind, name: "all"), RecordList(kind: kind, name: "byOwner", scope: "ada"),
            RecordList(kind: kind, name: "byOwner", scope: "grace"),
        ]
    }

    private var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func below(_ bound: Int) -> Int { random.next(upTo: bound) }

    mutating func mutation() -> Mutation {
        switch below(8) {
        case 0: return .removeRecord(Self.kinds[below(2)], Self.ids[below(Self.ids.count)])
        case 1..<4: return .mergeRecords(RecordMerge([record(Self.kinds[below(2)])]))
        default: return .mergeRecords(page())
        }
    }

    private mutating func record(_ kind: RecordKind) -> StoredRecord {
        let owner = ["ada", "grace", "nobody"][below(3)]
        var entries = [ListEntry("byOwner", scope: owner, key: ListKey(Int64(below(4)) - 2))]
        if below(4) > 0 { entries.append(ListEntry("all", key: ListKey(["", "a", "ab", "b"][below(4)]))) }
        return Sample.record(
            kind, Self.ids[below(Self.ids.count)], version: Int64(1 + below(6)), value: "\(below(100))",
            entries: entries)
    }

    private mutating func page() -> RecordMerge {
        let list = Self.lists[below(Self.lists.count)]
        let direction: MessageQuery.Direction = below(2) == 0 ? .ascending : .descending
        var range = ListRange(list: list, direction: direction)
        range.after = below(3) == 0 ? cursor(in: list) : nil
        range.through = below(3) == 0 ? cursor(in: list) : nil
        var records: [StoredRecord] = []
        for _ in 0..<below(4) {
            let next = record(list.kind)
            if !records.contains(where: { $0.id == next.id }) { records.append(next) }
        }
        return RecordMerge(records, coverage: range, retained: [Self.ids[below(Self.ids.count)]])
    }

    private mutating func cursor(in list: RecordList) -> ListCursor {
        let key = list.name == "all" ? ListKey(["", "a", "ab", "b"][below(4)]) : ListKey(Int64(below(4)) - 2)
        return ListCursor(key: key, id: Self.ids[below(Self.ids.count)])
    }
}
