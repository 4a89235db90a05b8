internal import CausewayModels

/// Loading for a group of deliveries, and storing its changes.
extension MemoryHubState {
    func load(_ keys: DeliveryKeys) -> DeliveryState {
        var loaded = DeliveryState(
            history: history, opening: openings.last?.id ?? [], floor: floor, lastCommit: lastCommit)
        for key in keys.lanes {
            loaded.outboxes[key.outbox] = outboxes[key.outbox]
            loaded.lanes[key] = lanes[key]
        }
        loaded.barred = keys.openings.intersection(barred)
        for id in keys.channels { loaded.channels[id] = channels[id] }
        for id in keys.messages {
            loaded.messages[id] = messages[id].map { state(of: $0, isTyped: keys.typed.contains(id)) }
        }
        for id in keys.operations {
            guard let operation = operations[id], let target = messages[operation.message] else { continue }
            loaded.operations[id] = .init(
                sender: operation.sender, position: target.position, acceptedAt: operation.acceptedAt)
        }
        for id in keys.writes {
            loaded.writes[id] = writes[id].map {
                .init(sender: $0.sender, position: $0.version, acceptedAt: $0.acceptedAt)
            }
        }
        loaded.records = load(keys.records(of: loaded.messages))
        for key in keys.reactions {
            guard let stored = reactions[key.message], !stored.isEmpty else { continue }
            var state = loaded.reactions[key.message] ?? .init()
            state.counts = Dictionary(grouping: stored, by: \.name).mapValues(\.count)
            state.own.formUnion(stored.filter { $0.account == key.account })
            loaded.reactions[key.message] = state
        }
        for key in keys.blobs {
            loaded.blobs[key] = blob(key.blob, for: key.requester, through: nil)?.blob.size
        }
        loaded.earlyDeletions = keys.earlyDeletions.filter { earlyDeletions[$0.account]?.contains($0.message) == true }
        return loaded
    }

    private func state(of message: DeliveryChanges.AcceptedMessage, isTyped: Bool) -> DeliveryState.Message {
        .init(
            channel: message.channel, sender: message.sender, position: message.position,
            acceptedAt: message.acceptedAt, changedAt: message.changedAt, isDeleted: message.content == nil,
            type: isTyped ? message.content.flatMap(Self.type) : nil, attachment: isTyped ? message.attachment : nil)
    }

    static func type(of content: String) -> String? {
        (try? JSONParser.parse(Array(content.utf8)))?["type"]?.string
    }

    mutating func store(_ changes: DeliveryChanges) {
        lastCommit = changes.lastCommit
        logMessages(of: changes)
        outboxes.merge(changes.outboxes) { $1 }
        lanes.merge(changes.lanes) { $1 }
        barred.formUnion(changes.barred)
        for message in changes.newMessages {
            messages[message.id] = message
            if message.type == nil { messages[message.id]?.type = message.content.flatMap(Self.type) }
        }
        attach(changes)
        channels.merge(changes.channels) { $1 }
        for write in changes.newWrites { writes[write.id] = write }
        store(changes.records)
        for (id, change) in changes.messages { apply(change, to: id) }
        for (id, reactions) in changes.reactions {
            for (reaction, isAdded) in reactions {
                if isAdded {
                    self.reactions[id, default: []].insert(reaction)
                } else {
                    self.reactions[id]?.remove(reaction)
                }
            }
        }
        for operation in changes.newOperations { operations[operation.id] = operation }
        for noted in changes.notedDeletions { note(noted) }
        for taken in changes.takenDeletions { earlyDeletions[taken.account]?.removeAll { $0 == taken.message } }
    }

    private mutating func apply(_ change: DeliveryChanges.MessageChange, to id: MessageID) {
        switch change {
        case .reacted(let time, let commit):
            messages[id]?.changedAt = time
            messages[id]?.changeCommit = commit
        case .edited(let content, let editedAt, let changedAt, let commit):
            messages[id]?.content = content
            messages[id]?.editedAt = editedAt
            messages[id]?.changedAt = changedAt
            messages[id]?.changeCommit = commit
        case .deleted(let time, let commit):
            detach(id, at: time)
            messages[id]?.delete(at: time, in: commit)
            reactions[id] = nil
        }
    }

    private mutating func note(_ deletion: AccountMessage) {
        var noted = earlyDeletions[deletion.account] ?? []
        guard !noted.contains(deletion.message) else { return }
        noted.append(deletion.message)
        noted.removeFirst(max(0, noted.count - HubStorageLimits.earlyDeletionsPerAccountMax))
        earlyDeletions[deletion.account] = noted
    }
}
