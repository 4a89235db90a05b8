import Causeway

/// The data of a ``ScriptedServer``.
struct ScriptedServerState: Sendable {
    /// A lane of one client's outbox.
    struct LaneKey: Hashable {
        var outbox: OutboxID
        var lane: LaneID
    }

    let channels: Set<ChannelID>?
    var validToken: AccessToken?
    var mode = ScriptedServer.Mode.working
    /// Accepted messages, edits and reactions.
    var order: [MessageID] = []
    var texts: [String] = []
    var deleted: Set<MessageID> = []
    var sent: [MessageID: RemoteMessage] = [:]
    var marks: [LaneKey: Int64] = [:]
    var tokens: [AccessToken] = []
    var deliveriesSeen = 0
    var holdsAuthentications = false
    var authenticationsHeld = 0
    var log = ScriptedLog()
    var ephemeral = ScriptedEphemeral()

    init(channels: Set<ChannelID>?, validToken: AccessToken?) {
        self.channels = channels
        self.validToken = validToken
    }

    func isKnown(_ channel: ChannelID) -> Bool { channels?.contains(channel) ?? true }

    func serverPosition(of id: MessageID) -> ServerPosition? {
        order.firstIndex(of: id).map { index in
            ServerPosition(position: Int64(index + 1), acceptedAt: Timestamp(milliseconds: 1_700_000_000_000))
        }
    }

    func messages(in channel: ChannelID) -> [RemoteMessage] {
        order.compactMap { sent[$0] }.filter { $0.channel == channel && !deleted.contains($0.id) }
    }

    /// The message, unless it was deleted, or this server returns no pages.
    func message(_ id: MessageID) -> RemoteMessage? { channels == nil || deleted.contains(id) ? nil : sent[id] }

    func page(_ query: RemoteQuery) -> RemotePage {
        guard channels != nil else { return RemotePage(items: [], hasMore: false) }
        let all = messages(in: query.channel)
        switch query.range {
        case .newest:
            return RemotePage(items: all.suffix(query.limit), hasMore: all.count > query.limit)
        case .before(let position):
            let found = all.filter { $0.serverPosition.position < position }
            return RemotePage(items: found.suffix(query.limit), hasMore: found.count > query.limit)
        case .after(let position):
            let found = all.filter { $0.serverPosition.position > position }
            return RemotePage(items: Array(found.prefix(query.limit)), hasMore: found.count > query.limit)
        }
    }

    // MARK: - Deliveries

    /// Applies a delivery; the rules of order are written here once more, independently of the hub's.
    mutating func apply(_ delivery: Delivery, of user: UserID) -> DeliveryReport {
        let key = LaneKey(outbox: delivery.outbox, lane: delivery.lane)
        var outcomes: [DeliveryOutcome] = []
        for operation in delivery.operations {
            if case .gap = outcomes.last { break }
            outcomes.append(apply(operation, key, user))
        }
        outcomes += delivery.operations.dropFirst(outcomes.count).map { _ in .notAttempted }
        return DeliveryReport(mark: marks[key] ?? 0, outcomes: outcomes)
    }

    private mutating func apply(_ operation: DeliveryOperation, _ key: LaneKey, _ user: UserID) -> DeliveryOutcome {
        let mark = marks[key] ?? 0
        if let known = knownOutcome(of: operation) {
            marks[key] = max(mark, operation.sequence)
            return known
        }
        guard operation.sequence > mark else {
            switch operation.body {
            case .fence: return .fenced
            case .delete: return .deleted
            default: return .late(mark: mark)
            }
        }
        guard operation.previous == mark else { return .gap(mark: mark) }
        marks[key] = operation.sequence
        return outcome(of: operation.body, user)
    }

    private func knownOutcome(of operation: DeliveryOperation) -> DeliveryOutcome? {
        switch operation.body {
        case .send(let id, channel: _, content: _, createdAt: _, parent: _, tags: _),
            .edit(let id, target: _, content: _), .addReaction(let id, target: _, name: _),
            .removeReaction(let id, target: _, name: _), .write(let id, _), .fence(let id):
            serverPosition(of: id).map { .accepted($0) }
        case .delete: nil
        }
    }

    private mutating func outcome(of body: DeliveryOperation.Body, _ user: UserID) -> DeliveryOutcome {
        switch body {
        case .send(let id, let channel, let content, let createdAt, let parent, let tags):
            if case .refusing(let code, let detail) = mode { return .refused(code: code, detail: detail) }
            guard isKnown(channel) else { return .refused(code: "channelNotFound", detail: "there is no such channel") }
            order.append(id)
            if case .text(let text) = content { texts.append(text) }
            guard let position = serverPosition(of: id) else { return .notAttempted }
            var message = RemoteMessage(
                id: id, channel: channel, sender: user, content: content, createdAt: createdAt,
                serverPosition: position)
            message.parent = parent
            message.body.tags = tags
            sent[id] = message
            log.append(id)
            return .accepted(position)
        case .edit(let id, target: _, content: _), .addReaction(let id, target: _, name: _),
            .removeReaction(let id, target: _, name: _):
            if case .refusing(let code, let detail) = mode { return .refused(code: code, detail: detail) }
            order.append(id)
            return serverPosition(of: id).map { .accepted($0) } ?? .notAttempted
        case .write: return .refused(code: "kindUnknown", detail: "the server has no records")
        case .fence: return .fenced
        case .delete(let id):
            deleted.insert(id)
            log.append(id)
            return .deleted
        }
    }
}
