import CausewayModels
import CausewayStorage

/// Everything that the store keeps in memory of one account: an entry for each item with the orders in which they are
/// listed, and the small values as a whole.
///
/// Only ``set(_:for:)`` changes the items, so the orders always agree with the table.
struct AccountIndex {
    /// An item in an order of creation.
    struct Place: Comparable {
        var ordinal: Int64
        var slot: ItemTable.Slot

        static func < (left: Place, right: Place) -> Bool { left.ordinal < right.ordinal }

        /// An ordinal belongs to one item.
        static func == (left: Place, right: Place) -> Bool { left.ordinal == right.ordinal }
    }

    /// The undelivered items in the order of creation, all and by channel.
    struct Outbox {
        var undelivered = SortedKeys<Place>()
        var undeliveredInChannel: [UInt32: SortedKeys<Place>] = [:]
        var failed = SortedKeys<Place>()
        var failedInChannel: [UInt32: SortedKeys<Place>] = [:]

        var bytesCount: Int {
            let channels = [undeliveredInChannel, failedInChannel].flatMap(\.values)
            return channels.reduce(undelivered.bytesCount + failed.bytesCount) { $0 + $1.bytesCount }
        }
    }

    var account: Account?
    var outbox = OutboxRecord()
    var markers: [Int64: ChainMarker] = [:]
    var lastTransmitted: [LaneID: Int64] = [:]
    var records = RecordIndex()
    var deletions = DeletionIndex()

    private(set) var items = ItemTable()
    private(set) var counts = StoreCounts()
    /// The number of operations that create no message.
    private(set) var operationCount = 0
    /// The channels by their numbers; a number is never given to another channel.
    private(set) var channels: [ChannelID] = []
    private var channelNumbers: [ChannelID: UInt32] = [:]
    private var orders: [ChannelOrder] = []
    /// Messages and operations, and the messages alone.
    private(set) var all = Outbox()
    private(set) var messages = Outbox()
    /// The message that an item of the outbox refers to.
    private(set) var relations: [ItemTable.Slot: MessageID] = [:]
    private(set) var dependants: [MessageID: SortedKeys<Place>] = [:]
    /// Pending items by lane sequence.
    private(set) var pending: [Int64: ItemTable.Slot] = [:]
    private var pendingInState: [SyncState: SortedKeys<Int64>] = [:]

    // MARK: Reading

    func entry(of id: MessageID) -> ItemEntry? { items.slot(of: id.value).map(expanded) }

    func expanded(_ slot: ItemTable.Slot) -> ItemEntry {
        let entry = items[slot]
        return ItemEntry(entry, channels[Int(entry.channel)], related: relations[slot])
    }

    func channelNumber(_ channel: ChannelID) -> UInt32? { channelNumbers[channel] }

    func order(of channel: ChannelID) -> ChannelOrder? { channelNumbers[channel].map { orders[Int($0)] } }

    func pendingSequences(_ state: SyncState) -> SortedKeys<Int64> { pendingInState[state] ?? SortedKeys() }

    /// The memory of the entries, of the order in which channels list them, and of the orders of the outbox.
    var bytesCount: Int {
        orders.reduce(items.bytesCount) { $0 + $1.bytesCount } + all.bytesCount + messages.bytesCount
            + pendingInState.values.reduce(0) { $0 + $1.bytesCount }
            + pending.capacity * (MemoryLayout<Int64>.stride + MemoryLayout<ItemTable.Slot>.stride)
            + dependants.values.reduce(0) { $0 + $1.bytesCount }
            + dependants.capacity * (MemoryLayout<MessageID>.stride + MemoryLayout<SortedKeys<Place>>.stride)
            + relations.capacity * (MemoryLayout<MessageID>.stride + MemoryLayout<ItemTable.Slot>.stride)
    }

    // MARK: Changing

    /// Assigns a number to a channel, in the order of the calls.
    mutating func number(_ channel: ChannelID) -> UInt32 {
        if let number = channelNumbers[channel] { return number }
        let number = UInt32(channels.count)
        channels.append(channel)
        orders.append(ChannelOrder())
        channelNumbers[channel] = number
        return number
    }

    /// Replaces the entry of an item.
    ///
    /// - Returns: the former one.
    mutating func set(_ entry: ItemEntry?, for id: MessageID) -> ItemEntry? {
        let slot = items.slot(of: id.value)
        let old = slot.map(expanded)
        guard let entry else {
            if let slot {
                unindex(slot)
                items.remove(slot)
            }
            return old
        }
        let compact = entry.compact(number(entry.channel))
        if let slot, old?.isListed(as: entry) == true {
            items[slot] = compact
            return old
        }
        if let slot {
            unindex(slot)
            items[slot] = compact
            index(slot, related: entry.related)
        } else {
            index(items.insert(compact), related: entry.related)
        }
        return old
    }

    /// Makes room for this many entries.
    mutating func reserve(_ entries: Int) { items.reserve(entries) }

    /// Adds entries of a snapshot, without the messages that they depend on; returns false if one cannot be right.
    mutating func restore(_ entries: [ItemTable.Entry]) -> Bool {
        var singles = entries
        for place in singles.indices {
            let entry = singles[place]
            guard !entry.isFree, StateCode.state(Int64(entry.flags & ItemTable.Entry.stateMask)) != nil,
                Int(entry.channel) < channels.count
            else { return false }
            singles[place].flags &= ~ItemTable.Entry.related
        }
        guard let slots = items.insert(contentsOf: singles) else { return false }
        for slot in slots { index(slot, related: nil) }
        return true
    }

    private mutating func index(_ slot: ItemTable.Slot, related: MessageID?) {
        let entry = items[slot]
        let place = Place(ordinal: entry.ordinal, slot: slot)
        if entry.isOperation {
            operationCount += 1
        } else {
            orders[Int(entry.channel)].insert(slot, items)
        }
        if entry.state != .synced {
            all.insert(place, entry)
            if !entry.isOperation { messages.insert(place, entry) }
        }
        if let related {
            relations[slot] = related
            dependants[related, default: SortedKeys()].insert(place)
        }
        counts.count(entry.state, createsMessage: !entry.isOperation, bytes: Int(entry.bytes))
        guard entry.isPending, !entry.isParked else { return }
        pending[entry.key] = slot
        pendingInState[entry.state, default: SortedKeys()].insert(entry.key)
    }

    private mutating func unindex(_ slot: ItemTable.Slot) {
        let entry = items[slot]
        let place = Place(ordinal: entry.ordinal, slot: slot)
        if entry.isOperation {
            operationCount -= 1
        } else {
            orders[Int(entry.channel)].remove(slot, items)
        }
        if entry.state != .synced {
            all.remove(place, entry)
            if !entry.isOperation { messages.remove(place, entry) }
        }
        if let related = relations.removeValue(forKey: slot) {
            dependants[related]?.remove(place)
            if dependants[related]?.isEmpty == true { dependants[related] = nil }
        }
        counts.count(entry.state, createsMessage: !entry.isOperation, bytes: Int(entry.bytes), times: -1)
        guard entry.isPending, !entry.isParked else { return }
        pendingInState[entry.state]?.remove(entry.key)
        if pending[entry.key] == slot { pending[entry.key] = nil }
    }
}

extension AccountIndex.Outbox {
    fileprivate mutating func insert(_ place: AccountIndex.Place, _ entry: ItemTable.Entry) {
        undelivered.insert(place)
        undeliveredInChannel[entry.channel, default: SortedKeys()].insert(place)
        guard entry.state == .error else { return }
        failed.insert(place)
        failedInChannel[entry.channel, default: SortedKeys()].insert(place)
    }

    fileprivate mutating func remove(_ place: AccountIndex.Place, _ entry: ItemTable.Entry) {
        undelivered.remove(place)
        undeliveredInChannel[entry.channel]?.remove(place)
        guard entry.state == .error else { return }
        failed.remove(place)
        failedInChannel[entry.channel]?.remove(place)
    }
}

extension ItemEntry {
    /// True if it stands at the same places of all lists.
    fileprivate func isListed(as other: ItemEntry) -> Bool {
        var moved = self
        moved.location = other.location
        return moved == other
    }
}
