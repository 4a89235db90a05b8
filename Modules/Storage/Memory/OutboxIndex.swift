import CausewayModels

/// The undelivered items among others, in the orders in which they are listed.
struct OutboxIndex: Sendable {
    /// By ordinal.
    private(set) var undelivered = SortedKeys<Int64>()
    private(set) var undeliveredInChannel: [ChannelID: SortedKeys<Int64>] = [:]
    private(set) var failed = SortedKeys<Int64>()
    private(set) var failedInChannel: [ChannelID: SortedKeys<Int64>] = [:]

    mutating func insert(_ item: StoredItem) {
        guard item.isUndelivered else { return }
        undelivered.insert(item.ordinal)
        undeliveredInChannel[item.channel, default: SortedKeys()].insert(item.ordinal)
        guard item.syncState == .error else { return }
        failed.insert(item.ordinal)
        failedInChannel[item.channel, default: SortedKeys()].insert(item.ordinal)
    }

    mutating func remove(_ item: StoredItem) {
        guard item.isUndelivered else { return }
        undelivered.remove(item.ordinal)
        undeliveredInChannel[item.channel]?.remove(item.ordinal)
        guard item.syncState == .error else { return }
        failed.remove(item.ordinal)
        failedInChannel[item.channel]?.remove(item.ordinal)
    }

    func undelivered(in channel: ChannelID?) -> SortedKeys<Int64> {
        channel.map { undeliveredInChannel[$0] ?? SortedKeys() } ?? undelivered
    }

    func failed(in channel: ChannelID?) -> SortedKeys<Int64> {
        channel.map { failedInChannel[$0] ?? SortedKeys() } ?? failed
    }
}
