internal import CausewayHubRules
internal import CausewayHubStorage
internal import CausewayModels
internal import CausewayRecords

/// Whether an operation with a new id can be applied.
extension DeliveryTransaction {
    /// - Parameter isTaken: whether another account used the id.
    mutating func verdict(
        on operation: ValidatedDelivery.Operation, isTaken: Bool, _ current: inout Current
    ) -> LaneRules.Verdict {
        if isTaken {
            return .refuse(code: "idTaken", detail: "another account already used the id \(operation.id)")
        }
        if operation.isBarredByDeletion, state.earlyDeletions.contains(early(operation.id, current)) {
            return .refuse(code: "operationDeleted", detail: "\(operation.id) was deleted before it arrived")
        }
        switch operation.body {
        case .unacceptable(let code, let detail): return .refuse(code: code, detail: detail)
        case .send(let message):
            if case .tryLater(let sequence, let after) = current.fault, operation.sequence >= sequence {
                return .tryLater(code: "tryLater", detail: "A fault for a test.", after: after)
            }
            return verdict(onSending: message, &current)
        case .edit(let target, let type, _, let file):
            return verdict(onEditing: target, to: type, file, current)
        case .react(let target, let name, let isAdded): return verdict(onReactingTo: target, name, isAdded, current)
        case .write(let write): return verdict(onWriting: write, current)
        case .fence, .delete: return .fine
        }
    }

    private func early(_ id: MessageID, _ current: Current) -> AccountMessage {
        AccountMessage(account: current.account, message: id)
    }

    private mutating func verdict(
        onSending message: ValidatedDelivery.Send, _ current: inout Current
    ) -> LaneRules.Verdict {
        if current.sendable != message.channel {
            if let problem = records.refusal(.send, by: current.user, in: message.channel) {
                return .refuse(code: problem.code, detail: problem.detail)
            }
            current.sendable = message.channel
        }
        if let parent = message.parent, state.messages[parent] == nil {
            return .unrelated(detail: "message \(parent), to which it replies, is not on this hub")
        }
        guard let file = message.file else { return .fine }
        guard isAvailable(file, current) else {
            return .refuse(
                code: "attachmentUnknown", detail: "the file of the message is not on this hub; upload it again")
        }
        return .fine
    }

    /// Whether the account may attach a file, which it describes as it is.
    private func isAvailable(_ file: ValidatedDelivery.Send.File, _ current: Current) -> Bool {
        let requester = BlobRequester(account: current.account, user: current.user)
        return state.blobs[BlobKey(requester: requester, blob: file.blob)] == file.size
    }

    private mutating func verdict(
        onEditing target: MessageID, to type: MessageType, _ file: ValidatedDelivery.Send.File?, _ current: Current
    ) -> LaneRules.Verdict {
        guard let stored = state.messages[target] else { return unrelated(target) }
        if let verdict = verdict(on: .editOwn, target, in: stored.channel, current) { return verdict }
        if stored.isDeleted { return deleted(target) }
        if stored.sender != current.account {
            return .refuse(code: "notYours", detail: "message \(target) was sent by another account")
        }
        guard stored.type == type.name else {
            return .refuse(code: "typeDiffers", detail: "an edit cannot change the type of message \(target)")
        }
        guard stored.attachment == file?.blob, file.map({ isAvailable($0, current) }) ?? true else {
            return .refuse(code: "attachmentDiffers", detail: "an edit cannot change the file of message \(target)")
        }
        return .fine
    }

    private mutating func verdict(
        onReactingTo target: MessageID, _ name: String, _ isAdded: Bool, _ current: Current
    ) -> LaneRules.Verdict {
        guard let stored = state.messages[target] else { return unrelated(target) }
        if let verdict = verdict(on: .react, target, in: stored.channel, current) { return verdict }
        if stored.isDeleted { return deleted(target) }
        guard isAdded else { return .fine }
        let counts = state.reactions[target]?.counts ?? [:]
        let others = counts[name] == nil ? counts.count : counts.count - 1
        return others < HubLimits.reactionNamesMax
            ? .fine
            : .refuse(
                code: "tooManyReactions", detail: "message \(target) already has \(others) different reactions")
    }

    /// The refusal of an operation on a message, by the rights in its channel; `nil` if they allow it. A message of a
    /// channel that does not exist for the account does not exist for it either.
    private mutating func verdict(
        on verb: ChannelRights.Verb, _ target: MessageID, in channel: ChannelID, _ current: Current
    ) -> LaneRules.Verdict? {
        guard let problem = records.refusal(verb, by: current.user, in: channel) else { return nil }
        let isHidden =
            records.standing(of: current.user, in: channel) == .nonMember
            && records.channel(channel)?.isPublic != true
        return isHidden ? unrelated(target) : .refuse(code: problem.code, detail: problem.detail)
    }

    private func verdict(onWriting write: RecordWrite, _ current: Current) -> LaneRules.Verdict {
        var trial = records
        switch kinds.decide(write, by: current.user, at: now, &trial) {
        case .refused(let code, let detail): return .refuse(code: code, detail: detail)
        case .accepted:
            guard Self.newChannel(of: write) != nil, let wait = current.creationWait else { return .fine }
            return .tryLater(
                code: "tooManyNewChannels", detail: "too many new channels from this address; wait \(wait) s",
                after: .seconds(wait))
        }
    }

    private func unrelated(_ target: MessageID) -> LaneRules.Verdict {
        .unrelated(detail: "message \(target) is not on this hub")
    }

    private func deleted(_ target: MessageID) -> LaneRules.Verdict {
        .refuse(code: "messageDeleted", detail: "message \(target) was deleted")
    }
}
