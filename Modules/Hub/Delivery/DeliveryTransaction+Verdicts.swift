internal import CausewayHubRules
internal import CausewayHubStorage
internal import CausewayModels

/// Whether an operation with a new id can be applied.
extension DeliveryTransaction {
    /// - Parameter isTaken: whether another account used the id.
    func verdict(
        on operation: ValidatedDelivery.Operation, isTaken: Bool, _ current: Current
    ) -> LaneRules.Verdict {
        if isTaken {
            return .refuse(code: "idTaken", detail: "another account already used the id \(operation.id)")
        }
        if operation.isAboutMessage, state.earlyDeletions.contains(early(operation.id, current)) {
            return .refuse(code: "operationDeleted", detail: "\(operation.id) was deleted before it arrived")
        }
        switch operation.body {
        case .unacceptable(let code, let detail): return .refuse(code: code, detail: detail)
        case .send(let message):
            if case .tryLater(let sequence, let after) = current.fault, operation.sequence >= sequence {
                return .tryLater(code: "tryLater", detail: "A fault for a test.", after: after)
            }
            return verdict(onSending: message)
        case .edit(let target, let type, _): return verdict(onEditing: target, to: type, current)
        case .react(let target, let name, let isAdded): return verdict(onReactingTo: target, name, isAdded)
        case .fence, .delete: return .fine
        }
    }

    private func early(_ id: MessageID, _ current: Current) -> AccountMessage {
        AccountMessage(account: current.account, message: id)
    }

    private func verdict(onSending message: ValidatedDelivery.Send) -> LaneRules.Verdict {
        guard state.channels[message.channel] != nil else {
            return .refuse(code: "channelNotFound", detail: "no channel named \(message.channel)")
        }
        if let parent = message.parent, state.messages[parent] == nil {
            return .unrelated(detail: "message \(parent), to which it replies, is not on this hub")
        }
        return .fine
    }

    private func verdict(
        onEditing target: MessageID, to type: MessageType, _ current: Current
    ) -> LaneRules.Verdict {
        guard let stored = state.messages[target] else { return unrelated(target) }
        if stored.isDeleted { return deleted(target) }
        if stored.sender != current.account {
            return .refuse(code: "notYours", detail: "message \(target) was sent by another account")
        }
        guard stored.type == type.name else {
            return .refuse(code: "typeDiffers", detail: "an edit cannot change the type of message \(target)")
        }
        return .fine
    }

    private func verdict(onReactingTo target: MessageID, _ name: String, _ isAdded: Bool) -> LaneRules.Verdict {
        guard let stored = state.messages[target] else { return unrelated(target) }
        if stored.isDeleted { return deleted(target) }
        guard isAdded else { return .fine }
        let counts = state.reactions[target]?.counts ?? [:]
        let others = counts[name] == nil ? counts.count : counts.count - 1
        return others < HubLimits.reactionNamesMax
            ? .fine
            : .refuse(
                code: "tooManyReactions", detail: "message \(target) already has \(others) different reactions")
    }

    private func unrelated(_ target: MessageID) -> LaneRules.Verdict {
        .unrelated(detail: "message \(target) is not on this hub")
    }

    private func deleted(_ target: MessageID) -> LaneRules.Verdict {
        .refuse(code: "messageDeleted", detail: "message \(target) was deleted")
    }
}
