import CausewayModels

/// Tombstones of deleted messages: records of a kind that only clients have.
///
/// A channel keeps those whose positions lie less than ``Limits/deletedMessagesReachMax`` below its newest one. Each
/// position is assigned once, so that they are no more than that, and no count need be kept.
extension MutationApplier {
    /// Keeps the tombstone of a message, unless a message with this id is stored, a later one leaves it no room, or no
    /// message can have its position.
    ///
    /// Cost: a few look-ups, and linear in the records that it leaves no room.
    mutating func keep(_ deleted: StoredRecord) throws(Rows.Failure) {
        guard let channel = DeletedMessage.channel(of: deleted), let id = MessageID(deleted.id),
            let position = deleted.entries.first?.key.number, try rows.item(id) == nil
        else { return }
        // No message has another position, and a difference to one could overflow.
        guard (0...Limits.positionMax).contains(position) else { return }
        let list = DeletedMessage.list(of: channel)
        let newest = try rows.records(RecordListQuery(list: list, direction: .descending, limit: 1)).first
        let last = max(position, newest?.position ?? 0)
        guard last - position < Limits.deletedMessagesReachMax else { return }
        let old = try rows.record(deleted.kind, deleted.id)
        if old != deleted { try set(deleted, over: old) }
        if position == last, position != newest?.position {
            try dropDeleted(in: channel, through: position - Limits.deletedMessagesReachMax)
        }
    }

    /// Drops the tombstones of the messages of a channel up to a position.
    mutating func dropDeleted(in channel: ChannelID, through position: Int64) throws(Rows.Failure) {
        // Few: mostly there is nothing to drop.
        let query = RecordListQuery(list: DeletedMessage.list(of: channel), limit: 8)
        while true {
            let found = try rows.records(query)
            let dropped = found.prefix { $0.position ?? 0 <= position }
            for record in dropped { try set(nil, over: record) }
            guard dropped.count == query.limit else { return }
        }
    }
}

extension StoredRecord {
    /// The position of a deleted message.
    fileprivate var position: Int64? { entries.first?.key.number }
}
