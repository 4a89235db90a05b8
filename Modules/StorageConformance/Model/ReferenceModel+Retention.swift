import CausewayModels
import CausewayStorage

extension ReferenceModel {
    /// Drops messages that are on the server, unless anything in the outbox refers to them.
    mutating func prune(_ ids: [MessageID], of account: Account) {
        guard account == self.account else { return }
        for id in ids {
            guard let item = items[id], !item.isOperation, item.syncState == .synced,
                !items.values.contains(where: { $0.syncState != .synced && $0.related == id })
            else { continue }
            let last = item.serverPosition?.position ?? 0
            for (id, other) in deleted where other.channel == item.channel && other.serverPosition.position <= last {
                deleted[id] = nil
            }
            items[id] = nil
            bodies[id] = nil
        }
    }

    /// Keeps the tombstone of a message that is on the server.
    mutating func keep(_ id: MessageID) {
        guard let item = items[id], !item.isOperation, item.syncState == .synced, let position = item.serverPosition,
            let type = bodies[id]?.content.type
        else { return }
        deleted[id] = DeletedMessage(
            id: id, channel: item.channel, sender: item.sender, parent: item.parent, type: type,
            createdAt: item.createdAt, serverPosition: position)
    }

    /// Compares what the store keeps of deleted messages.
    func checkDeleted(_ store: any Store, pageLimit: Int) async throws {
        for channel in Sample.channels {
            let expected = deleted.values.filter { $0.channel == channel }.sorted {
                ($0.serverPosition.position, $0.id.description) < ($1.serverPosition.position, $1.id.description)
            }
            let found = try await store.allRecords(
                RecordListQuery(list: DeletedMessage.list(of: channel), limit: pageLimit))
            try requireEqual(found.map { DeletedMessage(stored: $0) }, expected, "deleted messages of \(channel)")
        }
    }
}
