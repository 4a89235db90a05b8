import CausewayModels

/// Delivered messages that the store need not keep.
extension MutationApplier {
    /// See ``Mutation/prune(_:of:)``. Cost: linear in the given messages, and in the deleted ones before them.
    mutating func prune(_ ids: [MessageID], of account: Account) throws(Rows.Failure) {
        guard account == rows.account else { return }
        var dropped: [ChannelID: Int64] = [:]
        for id in ids {
            guard let old = try rows.item(id), let message = old.message, message.syncState == .synced,
                let position = message.serverPosition?.position, try !rows.mayBeReferenced(id)
            else { continue }
            try rows.remove(old)
            changes.add(item: old.item, nil, bytes: old.bytes)
            changes.add(pruned: message.channel, through: position)
            dropped[message.channel] = max(dropped[message.channel] ?? position, position)
        }
        for (channel, position) in dropped.sorted(by: { $0.key.value < $1.key.value }) {
            try dropDeleted(in: channel, through: position)
        }
        try rows.releaseRoom()
    }
}
