import CausewayModels

/// The complete contents of a ``MemoryStore`` as one value: a copy of it corresponds to the store's files on a disk.
///
/// Only ``put(_:bytes:)`` and ``remove(_:)`` update the indexes.
struct MemoryState: Sendable {
    /// A position in a channel's order.
    struct ListKey: Comparable, Sendable {
        var position: Int64
        var ordinal: Int64

        init(_ cursor: MessageQuery.Cursor) {
            position = cursor.position
            ordinal = cursor.ordinal
        }

        static func < (left: ListKey, right: ListKey) -> Bool {
            (left.position, left.ordinal) < (right.position, right.ordinal)
        }
    }

    /// The current account; `nil` before the first session.
    var account: Account?
    /// The states of the other accounts; each of them has no others of its own.
    var otherAccounts: [Account: MemoryState] = [:]
    var outbox = OutboxRecord()
    /// The next number to assign, for ordinals, sequences and deletions alike.
    var nextSequence: Int64 = 1
    /// The session that was saved last.
    var lastSession: Session?
    var lastTransmitted: [LaneID: Int64] = [:]
    /// The control entries by their sequences.
    var markers: [Int64: ChainMarker] = [:]
    var counts = StoreCounts()
    var deletions: [Int64: DeleteAction] = [:]
    var deletionOrder = SortedKeys<Int64>()
    /// The number of recorded deletions for each message.
    var deletionCounts: [MessageID: Int] = [:]
    var records = MemoryRecords()

    private var stored: [Int64: ItemRow] = [:]
    private var ordinals: [OperationID: Int64] = [:]
    private var listKeys: [ChannelID: SortedKeys<ListKey>] = [:]
    /// Messages and operations, and the messages alone.
    private var outboxIndex = OutboxIndex()
    private var messageIndex = OutboxIndex()
    /// Operations and parked messages, by the message that they refer to.
    private var dependants: [MessageID: SortedKeys<Int64>] = [:]
    /// The number of items in the outbox that refer to a message.
    private var references: [MessageID: Int] = [:]
    /// Pending items by lane sequence.
    private var pending: [Int64: OperationID] = [:]
    private var pendingInState: [SyncState: SortedKeys<Int64>] = [:]

    init(outboxID: OutboxID? = nil) { outbox.id = outboxID }

    subscript(id: OperationID) -> ItemRow? {
        guard let ordinal = ordinals[id] else { return nil }
        return stored[ordinal]
    }

    /// Everything that is not `synced`, in the order of creation.
    func undelivered(after ordinal: Int64 = .min) -> [ItemRow] {
        outboxIndex.undelivered.ascending(after: ordinal, limit: .max).compactMap { stored[$0] }
    }

    /// Everything that is `error`, in the order of creation.
    func failed(after ordinal: Int64 = .min) -> [ItemRow] {
        outboxIndex.failed.ascending(after: ordinal, limit: .max).compactMap { stored[$0] }
    }

    /// Everything with a lane sequence in this pending state, by ascending lane sequence.
    func underWay(_ state: SyncState, after sequence: Int64) -> [ItemRow] {
        pendingInState[state]?.ascending(after: sequence, limit: .max).compactMap {
            pendingItem(at: $0)
        } ?? []
    }

    func pendingItem(at sequence: Int64) -> ItemRow? { pending[sequence].flatMap { self[$0] } }

    func mayBeReferenced(_ id: MessageID) -> Bool { references[id] != nil }

    /// See ``Store/nextChannel(after:keeping:)``. Cost: linear in the channels.
    func nextChannel(after channel: ChannelID?, keeping count: Int) -> RetainedPart? {
        let rest = listKeys.filter { !$0.value.isEmpty && $0.key.value > channel?.value ?? "" }
        guard let next = rest.min(by: { $0.key.value < $1.key.value }) else { return nil }
        let end = ListKey(MessageQuery.Cursor(position: .max, ordinal: .min))
        let newest = next.value.descending(before: end, limit: max(1, count))
        return RetainedPart(channel: next.key, start: newest.count < count ? nil : newest.last?.position)
    }

    /// Everything, in the order of its arrival.
    func allItems() -> [ItemRow] { stored.values.sorted { $0.item.ordinal < $1.item.ordinal } }

    /// The operations on a message and the messages parked for it, in the order of creation.
    func allDependants(of id: MessageID) -> [ItemRow] {
        dependants[id]?.ascending(after: nil, limit: .max).compactMap { stored[$0] } ?? []
    }

    /// The counts, including the messages that wait directly or indirectly for a failed message.
    var allCounts: StoreCounts {
        var counts = counts
        var open = dependants.keys.filter { self[$0]?.item.syncState == .error }
        while let next = open.popLast() {
            let blocked = parked(for: next)
            counts.blocked += blocked.count
            open += blocked.map(\.item.id)
        }
        return counts
    }

    mutating func put(_ item: StoredItem, bytes: Int) {
        if let old = self[item.id] { unindex(old) }
        ordinals[item.id] = item.ordinal
        stored[item.ordinal] = ItemRow(item: item, bytes: bytes)
        outboxIndex.insert(item)
        if let message = item.message {
            messageIndex.insert(item)
            listKeys[message.channel, default: SortedKeys()].insert(ListKey(message.cursor))
        }
        if let related = item.dependence {
            dependants[related, default: SortedKeys()].insert(item.ordinal)
        }
        if let reference = item.reference { references[reference, default: 0] += 1 }
        counts.count(item.syncState, createsMessage: item.createsMessage, bytes: bytes)
        if item.isPending, !item.isParked {
            pending[item.laneSequence] = item.id
            pendingInState[item.syncState, default: SortedKeys()].insert(item.laneSequence)
        }
    }

    mutating func remove(_ id: OperationID) {
        guard let old = self[id] else { return }
        unindex(old)
        stored[old.item.ordinal] = nil
        ordinals[id] = nil
    }

    private mutating func unindex(_ old: ItemRow) {
        let item = old.item
        outboxIndex.remove(item)
        if let message = item.message {
            messageIndex.remove(item)
            listKeys[message.channel]?.remove(ListKey(message.cursor))
        }
        if let related = item.dependence {
            dependants[related]?.remove(item.ordinal)
            if dependants[related]?.isEmpty == true { dependants[related] = nil }
        }
        if let reference = item.reference {
            let count = references[reference, default: 1] - 1
            references[reference] = count > 0 ? count : nil
        }
        counts.count(item.syncState, createsMessage: item.createsMessage, bytes: old.bytes, times: -1)
        if item.isPending, !item.isParked { pendingInState[item.syncState]?.remove(item.laneSequence) }
        if pending[item.laneSequence] == item.id { pending[item.laneSequence] = nil }
    }
}

// MARK: - Queries

extension MemoryState {
    func page(_ query: MessageQuery) -> MessagePage {
        // One more message than requested shows whether there is another page.
        let limit = query.limit + 1
        let found: [Int64]
        let after = query.after?.ordinal
        switch query.scope {
        case .channel(let channel):
            let keys = listKeys[channel] ?? SortedKeys()
            found = Self.keys(keys, query.direction, query.after.map(ListKey.init), limit).map(\.ordinal)
        case .undelivered: found = Self.keys(messageIndex.undelivered, query.direction, after, limit)
        case .undeliveredIn(let channel):
            found = Self.keys(messageIndex.undelivered(in: channel), query.direction, after, limit)
        case .failed(let channel):
            found = Self.keys(messageIndex.failed(in: channel), query.direction, after, limit)
        }
        let messages = found.prefix(query.limit).compactMap { stored[$0]?.message }
        guard found.count > query.limit else { return MessagePage(messages: messages, next: nil) }
        return MessagePage(
            messages: messages, next: messages.last?.cursor,
            following: stored[found[query.limit]]?.message)
    }

    func page(_ query: OperationQuery) -> OperationPage {
        let limit = query.limit + 1
        let found: [ItemRow]
        let after = query.after?.ordinal
        switch query.scope {
        case .undelivered(let channel):
            found = Self.keys(outboxIndex.undelivered(in: channel), query.direction, after, limit)
                .compactMap { stored[$0] }
        case .failed(let channel):
            found = Self.keys(outboxIndex.failed(in: channel), query.direction, after, limit)
                .compactMap { stored[$0] }
        case .pending(let state):
            found = Self.keys(pendingInState[state] ?? SortedKeys(), query.direction, after, limit)
                .compactMap { pendingItem(at: $0) }
        }
        let operations = found.prefix(query.limit).compactMap(\.item.queued)
        return OperationPage(
            operations: operations,
            next: found.count > query.limit ? operations.last.map(query.cursor) : nil)
    }

    private static func keys<Key>(
        _ keys: SortedKeys<Key>, _ direction: MessageQuery.Direction, _ after: Key?, _ limit: Int
    ) -> [Key] {
        switch direction {
        case .ascending: keys.ascending(after: after, limit: limit)
        case .descending: keys.descending(before: after, limit: limit)
        }
    }

    func deleteActions(before: Int64?, limit: Int) -> [DeleteAction] {
        deletionOrder.descending(before: before, limit: limit).compactMap { deletions[$0] }
    }

    func entries() -> [OutboxEntry] {
        var entries = undelivered().compactMap { $0.item.entry(bytes: $0.bytes) }
        entries += markers.values.map(\.entry)
        return entries.sorted { ($0.sequence, $0.kind.rawValue) < ($1.sequence, $1.kind.rawValue) }
    }

    /// - Precondition: the store has been started.
    func snapshot(_ outboxID: OutboxID) -> OutboxSnapshot {
        var snapshot = OutboxSnapshot(
            outboxID: outboxID, epoch: outbox.epoch, lastTransmitted: lastTransmitted, entries: entries(),
            pauses: failed().compactMap(\.item.pause), lineage: outbox.lineage)
        snapshot.history = outbox.history
        snapshot.eventCursor = outbox.eventCursor
        return snapshot
    }
}
