package import CausewayModels

extension WireOperation {
    package init(_ operation: DeliveryOperation) {
        switch operation.body {
        case .send(let id, let channel, let content, let createdAt):
            self.init(
                kind: .send, sequence: operation.sequence, previous: operation.previous, id: id, channel: channel,
                content: content, createdAt: createdAt)
        case .fence(let id):
            self.init(kind: .fence, sequence: operation.sequence, previous: operation.previous, id: id)
        case .delete(let id):
            self.init(kind: .delete, sequence: operation.sequence, previous: operation.previous, id: id)
        }
    }
}

extension WireDelivery {
    package init(_ delivery: Delivery) {
        self.init(
            outbox: delivery.outbox, epoch: delivery.epoch, lane: delivery.lane,
            operations: delivery.operations.map(WireOperation.init))
    }
}
