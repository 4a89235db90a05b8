internal import CausewayHubRules
internal import CausewayHubStorage
internal import CausewayModels
internal import CausewayRecords

/// Applied operations, in the state that later ones see and in the changes to store.
extension DeliveryTransaction {
    mutating func apply(_ operation: ValidatedDelivery.Operation, _ current: inout Current) -> DeliveryOutcome {
        switch operation.body {
        case .send(let message): insert(message, as: operation.id, &current)
        case .edit(let target, _, let content, _): edit(target, content, as: operation.id, &current)
        case .react(let target, let name, let isAdded): react(target, name, isAdded, as: operation.id, &current)
        case .write(let write): self.write(write, as: operation.id, &current)
        case .unacceptable, .fence, .delete:
            preconditionFailure("Only a send, an edit, a reaction or a write is found fine.")
        }
    }

    // MARK: - Messages

    private mutating func insert(
        _ message: ValidatedDelivery.Send, as id: MessageID, _ current: inout Current
    ) -> DeliveryOutcome {
        let commit = commit(&current)
        let position = (state.channels[message.channel] ?? state.records.floor) + 1
        state.channels[message.channel] = position
        changes.channels[message.channel] = position
        var new = DeliveryChanges.AcceptedMessage(
            id: id, channel: message.channel, position: position, sender: current.account, content: message.content,
            createdAt: message.createdAt, acceptedAt: now, parent: message.parent, tags: message.tags,
            attachment: message.file?.blob, type: message.type.name)
        let early = AccountMessage(account: current.account, message: id)
        if state.earlyDeletions.remove(early) != nil {
            changes.takenDeletions.insert(early)
            new.delete(at: now, in: commit)
        }
        state.messages[id] = DeliveryState.Message(
            channel: message.channel, sender: current.account, position: position, acceptedAt: now,
            isDeleted: new.content == nil,
            type: message.type.name, attachment: new.attachment)
        newMessages[id] = changes.newMessages.count
        changes.newMessages.append(new)
        count(new, &current)
        return .accepted(ServerPosition(position: position, acceptedAt: now))
    }

    /// Counts a message in the record of its channel: once for consecutive messages of a channel.
    private mutating func count(_ message: DeliveryChanges.AcceptedMessage, _ current: inout Current) {
        if current.newMessages?.channel != message.channel { countMessages(&current) }
        var messages = current.newMessages ?? AcceptedMessages(in: message.channel, acceptedAt: now)
        messages.append(at: message.position, isDeleted: message.content == nil)
        current.newMessages = messages
    }

    mutating func countMessages(_ current: inout Current) {
        guard let messages = current.newMessages else { return }
        records.note(messages)
        current.newMessages = nil
    }

    mutating func delete(_ id: MessageID, _ current: inout Current) -> DeliveryOutcome {
        guard let stored = state.messages[id] else {
            // A copy of the account's store may still have the message and deliver it in an outbox of its own, where no
            // mark bars it.
            let early = AccountMessage(account: current.account, message: id)
            if state.earlyDeletions.insert(early).inserted { changes.notedDeletions.append(early) }
            return .deleted
        }
        let verb = stored.sender == current.account ? ChannelRights.Verb.deleteOwn : .deleteOthers
        guard records.refusal(verb, by: current.user, in: stored.channel) == nil else {
            return .refused(code: "notYours", detail: "message \(id) was sent by another account")
        }
        guard !stored.isDeleted else { return .deleted }
        let commit = commit(&current)
        state.messages[id]?.isDeleted = true
        state.reactions[id] = nil
        changes.reactions[id] = nil
        countMessages(&current)
        records.noteDeletion(in: stored.channel)
        if let index = newMessages[id] {
            changes.newMessages[index].delete(at: now, in: commit)
        } else {
            changes.messages[id] = .deleted(at: now, commit: commit)
        }
        return .deleted
    }

    // MARK: - Writes

    private mutating func write(
        _ write: RecordWrite, as id: MessageID, _ current: inout Current
    ) -> DeliveryOutcome {
        current.sendable = nil
        switch kinds.decide(write, by: current.user, at: now, &records) {
        case .refused(let code, let detail): return .refused(code: code, detail: detail)
        case .accepted(let version):
            _ = commit(&current)
            if let channel = Self.newChannel(of: write) { current.newChannels.append(channel) }
            state.writes[id] = .init(sender: current.account, position: version, acceptedAt: now)
            changes.newWrites.append(
                .init(id: id, sender: current.account, version: version, acceptedAt: now))
            return .accepted(ServerPosition(position: version, acceptedAt: now))
        }
    }

    /// The channel that a write creates.
    static func newChannel(of write: RecordWrite) -> ChannelID? {
        guard write.kind == Channel.kind, case .create(let id, _)? = try? ChannelAction(write) else { return nil }
        return id
    }

    // MARK: - Edits and reactions

    private mutating func edit(
        _ target: MessageID, _ content: String, as id: MessageID, _ current: inout Current
    ) -> DeliveryOutcome {
        let time = nextChange(of: target)
        let commit = commit(&current)
        if let index = newMessages[target] {
            changes.newMessages[index].content = content
            changes.newMessages[index].editedAt = time
            changes.newMessages[index].changedAt = time
            changes.newMessages[index].changeCommit = commit
        } else {
            changes.messages[target] = .edited(content: content, editedAt: time, changedAt: time, commit: commit)
        }
        return remember(id, target, at: time, current)
    }

    private mutating func react(
        _ target: MessageID, _ name: String, _ isAdded: Bool, as id: MessageID, _ current: inout Current
    ) -> DeliveryOutcome {
        let reaction = Reaction(name: name, account: current.account)
        note(reaction, isAdded, on: target)
        let time = nextChange(of: target)
        let commit = commit(&current)
        if let index = newMessages[target] {
            changes.newMessages[index].changedAt = time
            changes.newMessages[index].changeCommit = commit
        } else if case .edited(let content, let editedAt, _, _) = changes.messages[target] {
            changes.messages[target] = .edited(content: content, editedAt: editedAt, changedAt: time, commit: commit)
        } else {
            changes.messages[target] = .reacted(at: time, commit: commit)
        }
        return remember(id, target, at: time, current)
    }

    private mutating func note(_ reaction: Reaction, _ isAdded: Bool, on target: MessageID) {
        changes.reactions[target, default: [:]][reaction] = isAdded
        if isAdded {
            guard state.reactions[target, default: .init()].own.insert(reaction).inserted else { return }
            state.reactions[target]?.counts[reaction.name, default: 0] += 1
        } else {
            guard state.reactions[target]?.own.remove(reaction) != nil,
                let count = state.reactions[target]?.counts[reaction.name]
            else { return }
            state.reactions[target]?.counts[reaction.name] = count > 1 ? count - 1 : nil
        }
    }

    /// Times of a message's changes ascend, whatever the clock does: clients use them to tell which page is newer.
    private mutating func nextChange(of target: MessageID) -> Timestamp {
        let last = state.messages[target]?.changedAt?.milliseconds ?? 0
        let time = Timestamp(milliseconds: max(now.milliseconds, last + 1))
        state.messages[target]?.changedAt = time
        return time
    }

    private mutating func remember(
        _ id: MessageID, _ target: MessageID, at time: Timestamp, _ current: Current
    ) -> DeliveryOutcome {
        guard let stored = state.messages[target] else {
            preconditionFailure("Only an operation on a message that is here is found fine.")
        }
        state.operations[id] = .init(sender: current.account, position: stored.position, acceptedAt: time)
        changes.newOperations.append(
            .init(id: id, sender: current.account, message: target, acceptedAt: time))
        return .accepted(ServerPosition(position: stored.position, acceptedAt: time))
    }
}
