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

extension WireResult {
    package init(_ outcome: DeliveryOutcome) {
        switch outcome {
        case .accepted(let placement):
            self.init(kind: .accepted, position: placement.position, acceptedAt: placement.acceptedAt)
        case .fenced: self.init(kind: .fenced)
        case .deleted: self.init(kind: .deleted)
        case .refused(let code, let detail): self.init(kind: .refused, code: code, detail: detail)
        case .tryLater(let code, let detail, let after):
            self.init(kind: .tryLater, code: code, detail: detail, retryAfterMilliseconds: after?.wholeMilliseconds)
        case .notAttempted: self.init(kind: .notAttempted)
        case .gap(let mark): self.init(kind: .gap, mark: mark)
        case .late(let mark): self.init(kind: .late, mark: mark)
        }
    }

    /// The outcome; `nil` when a field that the kind needs is missing.
    package var outcome: DeliveryOutcome? {
        switch kind {
        case .accepted:
            guard let position, let acceptedAt else { return nil }
            return .accepted(Placement(position: position, acceptedAt: acceptedAt))
        case .fenced: return .fenced
        case .deleted: return .deleted
        case .refused: return .refused(code: code ?? "", detail: detail ?? "")
        case .tryLater:
            return .tryLater(
                code: code ?? "", detail: detail ?? "", after: retryAfterMilliseconds.map { .milliseconds($0) })
        case .notAttempted: return .notAttempted
        case .gap:
            guard let mark else { return nil }
            return .gap(mark: mark)
        case .late:
            guard let mark else { return nil }
            return .late(mark: mark)
        }
    }
}

extension WireMessage {
    package init(_ message: PlacedMessage) {
        self.init(
            id: message.id, channel: message.channel, sender: message.sender, content: message.content,
            createdAt: message.createdAt, position: message.placement.position,
            acceptedAt: message.placement.acceptedAt)
    }

    package var placed: PlacedMessage {
        PlacedMessage(
            id: id, channel: channel, sender: sender, content: content, createdAt: createdAt,
            placement: Placement(position: position, acceptedAt: acceptedAt))
    }
}
