package import CausewayModels

extension WireOperation {
    package init(_ operation: DeliveryOperation) {
        switch operation.body {
        case .send(let id, let channel, let content, let createdAt, let parent, let tags):
            self.init(
                kind: .send, sequence: operation.sequence, previous: operation.previous, id: id, channel: channel,
                content: content, createdAt: createdAt, parent: parent, tags: tags.isEmpty ? nil : tags)
        case .edit(let id, let target, let content):
            self.init(
                kind: .edit, sequence: operation.sequence, previous: operation.previous, id: id, content: content,
                target: target)
        case .addReaction(let id, let target, let name):
            self.init(
                kind: .addReaction, sequence: operation.sequence, previous: operation.previous, id: id, target: target,
                reaction: name)
        case .removeReaction(let id, let target, let name):
            self.init(
                kind: .removeReaction, sequence: operation.sequence, previous: operation.previous, id: id,
                target: target, reaction: name)
        case .write(let id, let write):
            self.init(
                kind: .write, sequence: operation.sequence, previous: operation.previous, id: id,
                record: WireRecordWrite(write))
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
            outbox: delivery.outbox, epoch: delivery.epoch, opening: delivery.opening,
            ancestors: delivery.opening == nil || delivery.ancestors.isEmpty ? nil : delivery.ancestors,
            base: delivery.opening == nil ? nil : delivery.base, lane: delivery.lane,
            pipelined: delivery.isPipelined ? true : nil, operations: delivery.operations.map(WireOperation.init))
    }
}
