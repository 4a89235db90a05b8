internal import CausewayHubRules
internal import CausewayHubStorage
internal import CausewayModels

extension DeliveryKeys {
    /// Everything that the deliveries of a group refer to.
    init(_ group: [(delivery: ValidatedDelivery, account: HubAccount)], _ kinds: HubKinds) {
        self.init()
        var sent: [MessageID: ChannelID] = [:]
        for (delivery, _) in group {
            for operation in delivery.operations {
                if case .send(let message) = operation.body { sent[operation.id] = message.channel }
            }
        }
        for (delivery, account) in group { add(delivery, of: account, sent, kinds) }
    }

    /// - Parameter sent: the channels of messages that are not stored yet.
    private mutating func add(
        _ delivery: ValidatedDelivery, of account: HubAccount, _ sent: [MessageID: ChannelID], _ kinds: HubKinds
    ) {
        let outbox = OutboxKey(account: account.number, id: delivery.outbox)
        lanes.insert(LaneKey(outbox: outbox, lane: delivery.lane))
        if let opening = delivery.claim.opening { openings.insert(OpeningKey(outbox: outbox, opening: opening)) }
        var sendable: ChannelID?
        for operation in delivery.operations {
            add(operation, of: account)
            switch operation.body {
            case .send(let message):
                guard message.channel != sendable else { continue }
                sendable = message.channel
                records.formUnion(.rights(of: account.user, in: message.channel))
            case .edit(let target, _, _, _), .react(let target, _, _):
                addRights(in: target, of: account.user, sent[target])
            case .delete: addRights(in: operation.id, of: account.user, sent[operation.id])
            case .write(let write): records.formUnion(kinds.keys(of: write, by: account.user))
            case .fence, .unacceptable: break
            }
        }
    }

    private mutating func addRights(in message: MessageID, of user: UserID, _ channel: ChannelID?) {
        rights.insert(MessageRights(message: message, user: user))
        if let channel { records.formUnion(.rights(of: user, in: channel)) }
    }

    private mutating func add(_ operation: ValidatedDelivery.Operation, of sender: HubAccount) {
        let account = sender.number
        if operation.isBarredByDeletion {
            earlyDeletions.insert(AccountMessage(account: account, message: operation.id))
        }
        switch operation.body {
        case .send(let message):
            messages.insert(operation.id)
            earlyDeletions.insert(AccountMessage(account: account, message: operation.id))
            channels.insert(message.channel)
            if let parent = message.parent { messages.insert(parent) }
            if let file = message.file { blobs.insert(BlobKey(requester: sender.requester, blob: file.blob)) }
        case .edit(let target, _, _, let file):
            if let file { blobs.insert(BlobKey(requester: sender.requester, blob: file.blob)) }
            operations.insert(operation.id)
            messages.insert(target)
            typed.insert(target)
        case .react(let target, _, _):
            operations.insert(operation.id)
            messages.insert(target)
            reactions.insert(AccountMessage(account: account, message: target))
        case .write: writes.insert(operation.id)
        case .fence, .unacceptable:
            messages.insert(operation.id)
            operations.insert(operation.id)
            writes.insert(operation.id)
        case .delete: messages.insert(operation.id)
        }
    }
}

extension HubAccount {
    var requester: BlobRequester { BlobRequester(account: number, user: user) }
}
