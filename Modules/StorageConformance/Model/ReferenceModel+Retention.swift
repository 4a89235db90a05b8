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
            items[id] = nil
            bodies[id] = nil
        }
    }
}
