internal import CausewayHubRules
internal import CausewayHubStorage
internal import CausewayModels

extension DeliveryKeys {
    /// Adds everything that a delivery refers to.
    mutating func add(_ delivery: ValidatedDelivery, of account: HubAccount) {
        let outbox = OutboxKey(account: account.number, id: delivery.outbox)
        lanes.insert(LaneKey(outbox: outbox, lane: delivery.lane))
        if let opening = delivery.claim.opening { openings.insert(OpeningKey(outbox: outbox, opening: opening)) }
        for operation in delivery.operations { add(operation, of: account.number) }
    }

    private mutating func add(_ operation: ValidatedDelivery.Operation, of account: Int64) {
        if operation.isAboutMessage {
            earlyDeletions.insert(AccountMessage(account: account, message: operation.id))
        }
        switch operation.body {
        case .send(let message):
            messages.insert(operation.id)
            earlyDeletions.insert(AccountMessage(account: account, message: operation.id))
            channels.insert(message.channel)
            if let parent = message.parent { messages.insert(parent) }
        case .edit(let target, _, _):
            operations.insert(operation.id)
            messages.insert(target)
            typed.insert(target)
        case .react(let target, _, _):
            operations.insert(operation.id)
            messages.insert(target)
            reactions.insert(AccountMessage(account: account, message: target))
        case .fence, .unacceptable:
            messages.insert(operation.id)
            operations.insert(operation.id)
        case .delete: messages.insert(operation.id)
        }
    }
}
