internal import CausewayModels

/// Reading.
extension MemoryHubState {
    /// The message as it is shown; `nil` for a deleted one.
    func shown(_ message: DeliveryChanges.AcceptedMessage, for reader: Int64) -> StoredMessage? {
        guard let content = message.content, let sender = users[message.sender] else { return nil }
        let byName = Dictionary(grouping: reactions[message.id] ?? [], by: \.name)
        return StoredMessage(
            id: message.id, channel: message.channel, sender: sender, position: message.position,
            createdAt: message.createdAt, acceptedAt: message.acceptedAt, parent: message.parent,
            tags: message.tags, editedAt: message.editedAt, changedAt: message.changedAt, content: content,
            reactions: byName.sorted { $0.key < $1.key }.map { name, reactions in
                .init(name: name, count: reactions.count, isOwn: reactions.contains { $0.account == reader })
            })
    }

    /// The tombstone of a message; `nil` unless it is deleted.
    func deleted(_ message: DeliveryChanges.AcceptedMessage) -> StoredMessage? {
        guard let time = message.deletedAt, let sender = users[message.sender] else { return nil }
        return StoredMessage(
            id: message.id, channel: message.channel, sender: sender, position: message.position,
            createdAt: message.createdAt, acceptedAt: message.acceptedAt, parent: message.parent, editedAt: nil,
            changedAt: nil, content: "", reactions: [],
            deletion: .init(at: time, type: message.type == MessageType.text.name ? nil : message.type))
    }

    func page(
        of channel: ChannelID, _ range: MessageRange, matching filter: MessageFilter, includesDeleted: Bool,
        limit: PageLimit, for reader: Int64, cursor: ChangesCursor
    ) -> MessagePage {
        let lastPosition = channels[channel] ?? floor
        let within: (Int64) -> Bool =
            switch range {
            case .newest: { _ in true }
            case .before(let position): { $0 < position }
            case .after(let position): { $0 > position }
            }
        let found = messages.values
            .filter { $0.channel == channel && (includesDeleted || $0.content != nil) && within($0.position) }
            .sorted { range.isDescending ? $0.position > $1.position : $0.position < $1.position }
        var page = MessagePage(messages: [], hasMore: false, lastPosition: lastPosition, cursor: cursor)
        var bytes = 0
        let examined = filter.admitsAll ? found[...] : found.prefix(HubStorageLimits.messagesExaminedMax)
        for message in examined.filter({ admits($0, filter) }).compactMap({ shown($0, for: reader) ?? deleted($0) }) {
            guard page.messages.count < limit.count, bytes <= limit.contentBytes else {
                page.hasMore = true
                return page
            }
            bytes += message.content.utf8.count
            page.messages.append(message)
        }
        if examined.count < found.count {
            page.hasMore = true
            page.lastExamined = examined.last?.position
        }
        return page
    }

    private func admits(_ message: DeliveryChanges.AcceptedMessage, _ filter: MessageFilter) -> Bool {
        if filter.admitsAll { return true }
        return filter.admits(
            type: MessageType(name: message.type ?? ""), parent: message.parent, tags: message.tags)
    }

    func changes(
        of channel: ChannelID, _ query: ChangesQuery, limit: PageLimit, for reader: Int64, cursor: ChangesCursor
    ) -> ChannelChanges {
        let lastPosition = channels[channel] ?? floor
        var answer = ChannelChanges(changed: nil, lastPosition: lastPosition, cursor: cursor)
        let since = query.since
        let last =
            since.opening == cursor.opening ? cursor.commit : openings.first { $0.id == since.opening }?.lastCommit
        guard let last, since.commit <= last, query.through <= lastPosition else { return answer }
        let own = messages.values.filter { $0.channel == channel }
        let revised = own.filter { $0.changeCommit ?? 0 > since.commit }
        guard revised.count <= HubStorageLimits.changesScannedMax else { return answer }
        var changed = ChannelChanges.Changed(messages: [], gone: [])
        var ids: Set<MessageID> = []
        for message in revised where message.position >= query.from {
            guard message.position <= query.through || query.isOpen && message.content == nil else { continue }
            ids.insert(message.id)
        }
        if query.isOpen {
            ids.formUnion(own.filter { $0.content != nil && $0.position > query.through }.map(\.id))
        }
        for message in own where ids.contains(message.id) {
            if let shown = shown(message, for: reader) {
                changed.messages.append(shown)
            } else {
                changed.gone.append(message.id)
            }
        }
        let bytes = changed.messages.reduce(0) { $0 + $1.content.utf8.count }
        guard ids.count <= limit.count, bytes <= limit.contentBytes else { return answer }
        changed.messages.sort { $0.position < $1.position }
        answer.changed = changed
        return answer
    }
}
