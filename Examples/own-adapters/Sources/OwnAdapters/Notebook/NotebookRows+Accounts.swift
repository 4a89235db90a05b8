package import Causeway

extension NotebookRows {
    // MARK: Chains

    package var nextSequence: Int64 {
        get { contents.nextSequence }
        set { contents.nextSequence = newValue }
    }

    package func entries() -> [OutboxEntry] {
        let entries =
            contents.section.items.values.compactMap { $0.item.entry(bytes: $0.bytes) }
            + contents.section.markers.values.map(\.entry)
        return entries.sorted { ($0.sequence, $0.kind.rawValue) < ($1.sequence, $1.kind.rawValue) }
    }

    package func marker(at sequence: Int64) -> ChainMarker? { contents.section.markers[sequence] }

    package mutating func setMarker(_ marker: ChainMarker?, at sequence: Int64) {
        contents.section.markers[sequence] = marker
    }

    package func lastTransmitted() -> [LaneID: Int64] { contents.section.lastTransmitted }

    package mutating func setLastTransmitted(_ lane: LaneID, _ sequence: Int64) {
        contents.section.lastTransmitted[lane] = sequence
    }

    package mutating func removeChains() {
        contents.section.markers = [:]
        contents.section.lastTransmitted = [:]
    }

    // MARK: Accounts

    package var account: Account? { contents.section.account }

    package mutating func enter(_ account: Account, newOutboxID: OutboxID) {
        if let former = contents.section.account, former != account {
            let left = contents.section
            contents.section =
                contents.others.removeValue(forKey: account) ?? Section(outbox: OutboxRecord(id: newOutboxID))
            contents.others[former] = left
            // Common to all accounts.
            contents.section.outbox.epoch = left.outbox.epoch
            contents.section.outbox.lineage.openedAt = left.outbox.lineage.openedAt
            contents.section.outbox.lineage.sharedBelow = left.outbox.lineage.sharedBelow
        }
        contents.section.account = account
    }

    package mutating func eraseAccount() {
        contents.section = Section(account: contents.section.account, outbox: contents.section.outbox)
    }

    package func session() -> Session? { contents.session }

    package mutating func setSession(_ session: Session) { contents.session = session }

    package var outbox: OutboxRecord { contents.section.outbox }

    package mutating func setOutbox(_ outbox: OutboxRecord) { contents.section.outbox = outbox }

    // MARK: Past deletions

    package func hasDeletion(of id: MessageID) -> Bool { contents.section.deletions.contains { $0.message == id } }

    package mutating func insert(_ action: DeleteAction, keeping limit: Int) {
        contents.section.deletions.append(action)
        contents.section.deletions.sort { $0.sequence < $1.sequence }
        if contents.section.deletions.count > limit { contents.section.deletions.removeFirst() }
    }

    package func deleteActions(before: Int64?, limit: Int) -> [DeleteAction] {
        Self.part(of: contents.section.deletions, .descending, after: before, limit, by: \.sequence)
    }

    // MARK: Records

    package func record(_ kind: RecordKind, _ id: String) -> StoredRecord? {
        contents.section.records[RecordName(kind: kind, id: id)]
    }

    package func records(_ query: RecordListQuery, limit: Int) -> [StoredRecord] {
        let listed = contents.section.records.values.compactMap { record in
            record.cursor(in: query.list).map { (record: record, cursor: $0) }
        }
        return Self.part(of: listed, query.direction, after: query.after, limit, by: \.cursor).map(\.record)
    }

    package mutating func setRecord(_ record: StoredRecord?, over old: StoredRecord?) {
        if let old { contents.section.records[RecordName(kind: old.kind, id: old.id)] = nil }
        if let record { contents.section.records[RecordName(kind: record.kind, id: record.id)] = record }
    }

    package mutating func resetRecordVersions() {
        for name in Array(contents.section.records.keys) { contents.section.records[name]?.version = 0 }
    }
}
