internal import CausewayHubRules
internal import CausewayModels

/// Records and their lists.
extension MemoryHubState {
    func load(_ keys: RecordKeys) -> RecordState {
        var loaded = RecordState(floor: floor)
        for key in keys.records { loaded.rows[key] = records[key] }
        for list in keys.counted { loaded.counts[list] = min(members(of: list).count, RecordState.countMax) }
        loaded.users = keys.users.filter { accounts[$0] != nil }
        return loaded
    }

    private func members(of list: RecordList) -> [(cursor: ListCursor, row: RecordRow)] {
        entries.flatMap { key, entries -> [(cursor: ListCursor, row: RecordRow)] in
            guard key.kind == list.kind, let row = records[key] else { return [] }
            return entries.filter { $0.name == list.name && $0.scope == list.scope }.map {
                (ListCursor(key: $0.key, id: key.id), row)
            }
        }
    }

    func page(of list: RecordList, _ range: RecordRange, limit: PageLimit) -> RecordPage {
        let isBefore: (ListCursor, ListCursor) -> Bool = range.isDescending ? { $1 < $0 } : { $0 < $1 }
        let found = members(of: list).filter { member in range.after.map { isBefore($0, member.cursor) } ?? true }
            .sorted { isBefore($0.cursor, $1.cursor) }
        var page = RecordPage(rows: [], next: nil)
        var bytes = 0
        var last: ListCursor?
        for (cursor, row) in found {
            guard page.rows.count < limit.count, bytes <= limit.contentBytes else {
                page.next = last
                break
            }
            bytes += row.bytes
            page.rows.append(row)
            last = cursor
        }
        return page
    }

    mutating func store(_ changes: [RecordKey: RecordChange]) {
        for (key, change) in changes {
            records[key] = change.row
            if let entries = change.entries { self.entries[key] = entries }
            for topic in change.topics {
                log.append(topic, .record(key), version: change.row.version, isNew: change.isNew)
            }
        }
    }
}
