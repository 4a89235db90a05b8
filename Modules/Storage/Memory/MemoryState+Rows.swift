import CausewayModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The rows in memory, for ``MutationApplier``. Nothing in here can fail, so a commit is never applied in part.
extension MemoryState: StoreRows {
    typealias Failure = Never

    // MARK: Messages and operations

    func item(_ id: OperationID) -> ItemRow? { self[id] }

    mutating func insert(_ item: StoredItem, content: Data) { put(item, bytes: content.count) }

    mutating func update(_ old: ItemRow, to item: StoredItem, content: Data?) -> Int {
        var bytes = old.bytes
        if item.sentContent != old.item.sentContent {
            bytes = content?.count ?? (try? ContentCoding.encode(item.sentContent).count) ?? bytes
        }
        put(item, bytes: bytes)
        return bytes
    }

    mutating func remove(_ old: ItemRow) { remove(old.item.id) }

    func operations(on id: MessageID) -> [QueuedOperation] {
        allDependants(of: id).compactMap(\.item.operation)
    }

    func parked(for id: MessageID) -> [ItemRow] { allDependants(of: id).filter(\.item.isParked) }

    func page(of part: ItemPart, after key: Int64) -> [ItemRow] {
        switch part {
        case .pending: undelivered(after: key).filter(\.item.isPending)
        case .failed: failed(after: key)
        case .pausing: failed(after: key).filter { $0.item.pause != nil }
        case .synced: allItems().filter { $0.item.syncState == .synced && $0.item.ordinal > key }
        case .underWay(let state): underWay(state, after: key)
        }
    }

    // MARK: Chains

    func marker(at sequence: Int64) -> ChainMarker? { markers[sequence] }

    mutating func setMarker(_ marker: ChainMarker?, at sequence: Int64) { markers[sequence] = marker }

    mutating func setLastTransmitted(_ lane: LaneID, _ sequence: Int64) { lastTransmitted[lane] = sequence }

    mutating func removeChains() {
        markers = [:]
        lastTransmitted = [:]
    }

    // MARK: The account

    mutating func enter(_ account: Account, newOutboxID: OutboxID) {
        if let former = self.account {
            var left = self
            left.otherAccounts = [:]
            var found = otherAccounts.removeValue(forKey: account) ?? MemoryState(outboxID: newOutboxID)
            found.nextSequence = nextSequence
            found.lastSession = lastSession
            found.outbox.epoch = outbox.epoch
            found.outbox.lineage.openedAt = outbox.lineage.openedAt
            found.outbox.lineage.sharedBelow = outbox.lineage.sharedBelow
            found.otherAccounts = otherAccounts
            found.otherAccounts[former] = left
            self = found
        }
        self.account = account
    }

    mutating func eraseAccount() {
        var erased = MemoryState()
        (erased.account, erased.otherAccounts) = (account, otherAccounts)
        (erased.outbox, erased.nextSequence, erased.lastSession) = (outbox, nextSequence, lastSession)
        self = erased
    }

    func session() -> Session? { lastSession }

    mutating func setSession(_ session: Session) { lastSession = session }

    mutating func setOutbox(_ outbox: OutboxRecord) { self.outbox = outbox }

    // MARK: Records

    func record(_ kind: RecordKind, _ id: String) -> StoredRecord? { records.record(kind, id) }

    func records(_ query: RecordListQuery) -> [StoredRecord] { records.records(query, limit: query.limit) }

    mutating func setRecord(_ record: StoredRecord?, over old: StoredRecord?) { records.set(record, over: old) }

    mutating func resetRecordVersions() { records.resetVersions() }

    // MARK: Past deletions

    func hasDeletion(of id: MessageID) -> Bool { deletionCounts[id] != nil }

    mutating func insert(_ action: DeleteAction, keeping limit: Int) {
        deletions[action.sequence] = action
        deletionOrder.insert(action.sequence)
        deletionCounts[action.message, default: 0] += 1
        guard deletions.count > limit, let oldest = deletionOrder.first else { return }
        if let message = deletions.removeValue(forKey: oldest)?.message {
            let count = deletionCounts[message, default: 1] - 1
            deletionCounts[message] = count == 0 ? nil : count
        }
        deletionOrder.remove(oldest)
    }
}
