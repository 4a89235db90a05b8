import CausewayModels
import CausewayStorage

/// The queries, as far as the index answers them: the entries of a page in its order.
extension AccountIndex {
    /// The entries of the first messages of a query's page.
    func entries(_ query: MessageQuery, limit: Int) -> [ItemTable.Entry] {
        let after = query.after
        switch query.scope {
        case .channel(let channel):
            guard let order = order(of: channel) else { return [] }
            let key = after.map { ChannelOrder.Key(position: $0.position, ordinal: $0.ordinal) }
            let slots =
                switch query.direction {
                case .ascending: order.ascending(after: key, limit: limit, items)
                case .descending: order.descending(before: key, limit: limit, items)
                }
            return slots.map { items[$0] }
        case .undelivered: return entries(messages.undelivered, query.direction, after, limit)
        case .undeliveredIn(let channel):
            return entries(inChannel(messages.undeliveredInChannel, channel), query.direction, after, limit)
        case .failed(nil): return entries(messages.failed, query.direction, after, limit)
        case .failed(let channel?):
            return entries(inChannel(messages.failedInChannel, channel), query.direction, after, limit)
        }
    }

    /// The entries of the first operations of a query's page.
    func entries(_ query: OperationQuery, limit: Int) -> [ItemTable.Entry] {
        let after = query.after
        switch query.scope {
        case .undelivered(nil): return entries(all.undelivered, query.direction, after, limit)
        case .undelivered(let channel?):
            return entries(inChannel(all.undeliveredInChannel, channel), query.direction, after, limit)
        case .failed(nil): return entries(all.failed, query.direction, after, limit)
        case .failed(let channel?):
            return entries(inChannel(all.failedInChannel, channel), query.direction, after, limit)
        case .pending(let state):
            let sequences = pendingSequences(state)
            let found =
                switch query.direction {
                case .ascending: sequences.ascending(after: after?.ordinal, limit: limit)
                case .descending: sequences.descending(before: after?.ordinal, limit: limit)
                }
            return found.compactMap { pending[$0].map { items[$0] } }
        }
    }

    private func inChannel(_ orders: [UInt32: SortedKeys<Place>], _ channel: ChannelID) -> SortedKeys<Place> {
        channelNumber(channel).flatMap { orders[$0] } ?? SortedKeys()
    }

    private func entries(
        _ keys: SortedKeys<Place>, _ direction: MessageQuery.Direction, _ after: MessageCursor?, _ limit: Int
    ) -> [ItemTable.Entry] {
        let place = after.map { Place(ordinal: $0.ordinal, slot: 0) }
        let found =
            switch direction {
            case .ascending: keys.ascending(after: place, limit: limit)
            case .descending: keys.descending(before: place, limit: limit)
            }
        return found.map { items[$0.slot] }
    }

    /// The entries of everything that depends on a message, in the order of creation.
    func entries(dependingOn id: MessageID) -> [ItemTable.Entry] {
        let referring = dependants[id]?.ascending(after: nil, limit: .max).map { items[$0.slot] } ?? []
        return referring.filter { $0.isOperation || $0.isParked }
    }

    /// See ``Store/nextChannel(after:keeping:)``: in the order of the channels' numbers.
    func nextChannel(after channel: ChannelID?, keeping count: Int) -> RetainedPart? {
        var number = 0
        if let channel {
            guard let known = channelNumber(channel) else { return nil }
            number = Int(known) + 1
        }
        while number < channels.count {
            let channel = channels[number]
            if let order = order(of: channel), !order.isEmpty {
                let end = ChannelOrder.Key(position: .max, ordinal: .min)
                let start = order.slot(before: end, skipping: max(1, count) - 1, items)
                return RetainedPart(channel: channel, start: start.map { items[$0].position })
            }
            number += 1
        }
        return nil
    }

    /// The counts, with the messages that wait directly or indirectly for a failed one.
    var allCounts: StoreCounts {
        var counts = counts
        guard counts.error > 0 else { return counts }
        var open = dependants.keys.filter { id in
            items.slot(of: id.value).map { items[$0].state == .error } ?? false
        }
        while let next = open.popLast() {
            let blocked = entries(dependingOn: next).filter(\.isParked)
            counts.blocked += blocked.count
            open += blocked.map { MessageID($0.id) }
        }
        return counts
    }
}

/// The current outbox as far as the index has it; the rest is read from the journal.
struct OutboxParts: Sendable {
    private let outbox: OutboxRecord
    private let lanes: [LaneID: Int64]
    private let markers: [ChainMarker]
    private let pending: [ItemTable.Entry]
    private let pausing: [ItemTable.Entry]

    /// Cost: linear in the outbox.
    init(_ index: borrowing FileIndex) {
        let account = index.current
        outbox = index.outbox
        lanes = account.lastTransmitted
        markers = Array(account.markers.values)
        pending = account.all.undelivered.ascending(after: nil, limit: .max).map { account.items[$0.slot] }
            .filter { $0.isPending && !$0.isParked }
        pausing = account.all.failed.ascending(after: nil, limit: .max).map { account.items[$0.slot] }
            .filter { $0.flags & ItemTable.Entry.pauses != 0 }
    }

    /// Reads the links of all lanes; see ``OutboxSnapshot/entries``.
    ///
    /// - Parameter read: returns `nil` for an item of which nothing can be read, not even its lane.
    func entries(
        _ read: (ItemTable.Entry) throws(StoreError) -> ItemFields?
    ) throws(StoreError) -> [OutboxEntry] {
        var links = markers.map(\.entry)
        links.reserveCapacity(links.count + pending.count)
        for entry in pending {
            if let link = try read(entry)?.entry { links.append(link) }
        }
        return links.sorted { ($0.sequence, $0.kind.rawValue) < ($1.sequence, $1.kind.rawValue) }
    }

    /// - Throws: ``StoreError/notStarted`` if there is no outbox yet.
    func snapshot(
        _ read: (ItemTable.Entry) throws(StoreError) -> ItemFields?
    ) throws(StoreError) -> OutboxSnapshot {
        guard let id = outbox.id else { throw .notStarted }
        var pauses: [OutboxSnapshot.LanePause] = []
        for entry in pausing {
            if let lane = try read(entry)?.lane { pauses.append(.init(lane: lane, message: MessageID(entry.id))) }
        }
        var snapshot = OutboxSnapshot(
            outboxID: id, epoch: outbox.epoch, lastTransmitted: lanes, entries: try entries(read), pauses: pauses,
            lineage: outbox.lineage)
        snapshot.history = outbox.history
        snapshot.eventCursor = outbox.eventCursor
        return snapshot
    }
}
