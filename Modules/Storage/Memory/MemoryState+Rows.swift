import CausewayModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The rows in memory, for ``MutationApplier``. Nothing in here can fail, so a commit is never applied in part.
extension MemoryState: StoreRows {
    typealias Failure = Never

    // MARK: Messages

    func message(_ id: MessageID) -> MessageRow? { self[id] }

    mutating func insert(_ message: Message, content: Data) { put(message, bytes: content.count) }

    mutating func update(_ old: MessageRow, to message: Message, content: Data?) -> Int {
        var bytes = old.bytes
        if message.sentContent != old.message.sentContent {
            bytes = content?.count ?? (try? ContentCoding.encode(message.sentContent).count) ?? bytes
        }
        put(message, bytes: bytes)
        return bytes
    }

    mutating func remove(_ old: MessageRow) { remove(old.message.id) }

    func operations(on id: MessageID) -> [Message] { allDependants(of: id).map(\.message).filter(\.role.isOperation) }

    func parked(for id: MessageID) -> [MessageRow] { allDependants(of: id).filter(\.message.isParked) }

    func pendingMessage(at sequence: Int64) -> MessageRow? { pendingMessage(sequence: sequence).flatMap { self[$0] } }

    func page(of part: MessagePart, after key: Int64) -> [MessageRow] {
        switch part {
        case .pending: undelivered(after: key).filter(\.message.isPending)
        case .failed: failed(after: key)
        case .pausing: failed(after: key).filter { $0.message.pause != nil }
        case .synced:
            allMessages().filter { $0.message.syncState == .synced && $0.message.ordinal > key }
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

    func session() -> Session? { lastSession }

    mutating func setSession(_ session: Session) { lastSession = session }

    mutating func setOutbox(_ outbox: OutboxRecord) { self.outbox = outbox }

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
