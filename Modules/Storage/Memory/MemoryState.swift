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

    private var stored: [Int64: MessageRow] = [:]
    private var ordinals: [MessageID: Int64] = [:]
    private var listKeys: [ChannelID: SortedKeys<ListKey>] = [:]
    private var undelivered = SortedKeys<Int64>()
    private var failed = SortedKeys<Int64>()
    private var failedInChannel: [ChannelID: SortedKeys<Int64>] = [:]
    private var undeliveredInChannel: [ChannelID: SortedKeys<Int64>] = [:]
    /// Operations and parked messages, by the message that they refer to.
    private var dependants: [MessageID: SortedKeys<Int64>] = [:]
    /// Pending messages by lane sequence.
    private var pending: [Int64: MessageID] = [:]
    private var pendingInState: [SyncState: SortedKeys<Int64>] = [:]

    init(outboxID: OutboxID? = nil) { outbox.id = outboxID }

    subscript(id: MessageID) -> MessageRow? {
        guard let ordinal = ordinals[id] else { return nil }
        return stored[ordinal]
    }

    func pendingMessage(sequence: Int64) -> MessageID? { pending[sequence] }

    /// Every message that is not `synced`, in the order of creation.
    func undelivered(after ordinal: Int64 = .min) -> [MessageRow] {
        undelivered.ascending(after: ordinal, limit: .max).compactMap { stored[$0] }
    }

    /// Every message that is `error`, in the order of creation.
    func failed(after ordinal: Int64 = .min) -> [MessageRow] {
        failed.ascending(after: ordinal, limit: .max).compactMap { stored[$0] }
    }

    /// Every message with a lane sequence in this pending state, by ascending lane sequence.
    func underWay(_ state: SyncState, after sequence: Int64) -> [MessageRow] {
        pendingInState[state]?.ascending(after: sequence, limit: .max).compactMap { pendingMessage(at: $0) } ?? []
    }

    /// Every message, in the order of its arrival.
    func allMessages() -> [MessageRow] { stored.values.sorted { $0.message.ordinal < $1.message.ordinal } }

    /// The operations on a message and the messages parked for it, in the order of creation.
    func allDependants(of id: MessageID) -> [MessageRow] {
        dependants[id]?.ascending(after: nil, limit: .max).compactMap { stored[$0] } ?? []
    }

    /// The counts, including the messages that wait directly or indirectly for a failed message.
    var allCounts: StoreCounts {
        var counts = counts
        var open = dependants.keys.filter { self[$0]?.message.syncState == .error }
        while let next = open.popLast() {
            let blocked = parked(for: next)
            counts.blocked += blocked.count
            open += blocked.map(\.message.id)
        }
        return counts
    }

    mutating func put(_ message: Message, bytes: Int) {
        if let old = self[message.id] { unindex(old) }
        ordinals[message.id] = message.ordinal
        stored[message.ordinal] = MessageRow(message: message, bytes: bytes)
        if !message.role.isOperation {
            listKeys[message.channel, default: SortedKeys()].insert(ListKey(message.cursor))
        }
        if let related = message.dependence { dependants[related, default: SortedKeys()].insert(message.ordinal) }
        counts.count(message.syncState, bytes: bytes)
        if message.isUndelivered {
            undelivered.insert(message.ordinal)
            undeliveredInChannel[message.channel, default: SortedKeys()].insert(message.ordinal)
        }
        if message.isPending, !message.isParked {
            pending[message.laneSequence] = message.id
            pendingInState[message.syncState, default: SortedKeys()].insert(message.laneSequence)
        }
        if message.syncState == .error {
            failed.insert(message.ordinal)
            failedInChannel[message.channel, default: SortedKeys()].insert(message.ordinal)
        }
    }

    mutating func remove(_ id: MessageID) {
        guard let old = self[id] else { return }
        unindex(old)
        stored[old.message.ordinal] = nil
        ordinals[id] = nil
    }

    private mutating func unindex(_ old: MessageRow) {
        let message = old.message
        listKeys[message.channel]?.remove(ListKey(message.cursor))
        if let related = message.dependence {
            dependants[related]?.remove(message.ordinal)
            if dependants[related]?.isEmpty == true { dependants[related] = nil }
        }
        counts.count(message.syncState, bytes: old.bytes, times: -1)
        undelivered.remove(message.ordinal)
        undeliveredInChannel[message.channel]?.remove(message.ordinal)
        if message.isPending, !message.isParked { pendingInState[message.syncState]?.remove(message.laneSequence) }
        if pending[message.laneSequence] == message.id { pending[message.laneSequence] = nil }
        guard message.syncState == .error else { return }
        failed.remove(message.ordinal)
        failedInChannel[message.channel]?.remove(message.ordinal)
    }
}

// MARK: - Queries

extension MemoryState {
    func page(_ query: MessageQuery) -> MessagePage {
        // One more message than requested shows whether there is another page.
        let limit = query.limit + 1
        let found: [Int64]
        switch query.scope {
        case .channel(let channel):
            let after = query.after.map(ListKey.init)
            found = Self.keys(listKeys[channel] ?? SortedKeys(), query.direction, after, limit).map(\.ordinal)
        case .undelivered:
            found = Self.keys(undelivered, query.direction, query.after?.ordinal, limit)
        case .undeliveredIn(let channel):
            let keys = undeliveredInChannel[channel] ?? SortedKeys()
            found = Self.keys(keys, query.direction, query.after?.ordinal, limit)
        case .pending(let state):
            let keys = pendingInState[state] ?? SortedKeys()
            found = Self.keys(keys, query.direction, query.after?.ordinal, limit)
                .compactMap { pending[$0].flatMap { ordinals[$0] } }
        case .failed(let channel):
            let keys = channel.map { failedInChannel[$0] ?? SortedKeys() } ?? failed
            found = Self.keys(keys, query.direction, query.after?.ordinal, limit)
        }
        let messages = found.prefix(query.limit).compactMap { stored[$0]?.message }
        guard found.count > query.limit else { return MessagePage(messages: messages, next: nil) }
        return MessagePage(
            messages: messages, next: messages.last.map(query.cursor),
            following: stored[found[query.limit]]?.message)
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
        var entries = undelivered().compactMap { $0.message.entry(bytes: $0.bytes) }
        entries += markers.values.map(\.entry)
        return entries.sorted { ($0.sequence, $0.kind.rawValue) < ($1.sequence, $1.kind.rawValue) }
    }

    /// - Precondition: the store has been started.
    func snapshot(_ outboxID: OutboxID) -> OutboxSnapshot {
        var snapshot = OutboxSnapshot(
            outboxID: outboxID, epoch: outbox.epoch, lastTransmitted: lastTransmitted, entries: entries(),
            pauses: failed().compactMap(\.message.pause), lineage: outbox.lineage)
        snapshot.history = outbox.history
        return snapshot
    }
}
