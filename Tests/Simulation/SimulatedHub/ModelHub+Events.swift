package import CausewayModels
package import CausewayTransport

/// The hub's events: the log as an account reads it. In a simulated world every account is a member of every channel.
extension ModelHub {
    /// The end of the log. A cursor names the history of the data: one of a former history is useless.
    package var eventCursor: EventCursor? { cursor(log.end) }

    private func cursor(_ position: Int64) -> EventCursor? {
        EventCursor(rawValue: "\(identity.hub).\(identity.history.number).\(position)")
    }

    /// Forgets the events so far.
    package mutating func forgetEvents() { log.start = log.end }

    /// The end of the log as numbers: equal as long as ``eventCursor`` is.
    package struct EventPosition: Equatable, Sendable {
        var hub: Int64
        var history: Int64
        var end: Int64
    }

    package var eventPosition: EventPosition {
        EventPosition(hub: Int64(identity.hub), history: Int64(identity.history.number), end: log.end)
    }

    /// The next part of the log.
    ///
    /// - Parameters:
    ///   - countMax: the number of events in it.
    ///   - listedMax: a channel with more changes than this is limited.
    package func events(
        after cursor: EventCursor, for account: UserID?, countMax: Int, listedMax: Int
    ) -> EventPart? {
        guard let end = eventCursor else { return nil }
        guard let since = position(of: cursor.rawValue) else {
            return .reset(EventStart(cursor: end, history: present))
        }
        let all = log.changes(after: since)
        let counts = Dictionary(all.compactMap { channel(of: $0.message).map { ($0, 1) } }, uniquingKeysWith: +)
        let limited = Set(counts.filter { $0.value > listedMax }.keys)
        let listed = all.filter { change in channel(of: change.message).map { !limited.contains($0) } ?? false }
        let part = listed.prefix(countMax)
        let isUpToDate = part.count == listed.count
        let last = isUpToDate ? end : part.last.flatMap { self.cursor($0.position) } ?? end
        return .batch(
            EventBatch(
                events: part.compactMap { event($0.message, at: $0.position, for: account) },
                limited: limited.sorted { $0.value < $1.value }.map(EventTopic.channel), cursor: last,
                isUpToDate: isUpToDate, history: present))
    }

    /// The changes of a part of a channel since a cursor of the log. A message that was added is listed only after the
    /// part's end, unless it was changed afterwards.
    ///
    /// - Returns: `nil` if pages must be read instead.
    package func changes(_ query: RemoteChangesQuery, for account: UserID?) -> RemoteChanges? {
        guard let end = eventCursor, let since = position(of: query.cursor) else { return nil }
        let changed = log.changes(after: since).map(\.message).filter { channel(of: $0) == query.channel }
        let gone = changed.filter { message($0, for: account) == nil }
        let edited = Set(changed.filter { accepted[$0]?.changedAt != nil })
        let items = messages(of: query.channel, for: account).filter { message in
            let position = message.serverPosition.position
            return edited.contains(message.id) && (query.from...query.through).contains(position)
                || query.isOpen && position > query.through
        }
        guard items.count + gone.count <= query.limit else { return nil }
        return RemoteChanges(
            items: items, gone: gone, cursor: end.rawValue, newest: newestPosition(of: query.channel))
    }

    /// The position of a cursor; `nil` for one of another log, or one that is too old.
    private func position(of cursor: String) -> Int64? {
        let numbers = cursor.split(separator: ".").compactMap { Int64($0) }
        guard numbers.count == 3, numbers[0] == identity.hub, numbers[1] == identity.history.number,
            (log.start...log.end).contains(numbers[2])
        else { return nil }
        return numbers[2]
    }

    private func channel(of message: MessageID) -> ChannelID? { accepted[message]?.channel }

    private func event(_ id: MessageID, at position: Int64, for account: UserID?) -> RemoteEvent? {
        guard let channel = channel(of: id) else { return nil }
        let change = message(id, for: account).map { RemoteEvent.Change.message($0) } ?? .messageDeleted(id)
        return RemoteEvent(topic: .channel(channel), version: position, change: change)
    }

    /// A message as an account reads it; `nil` if there is none, or it was deleted.
    package func message(_ id: MessageID, for account: UserID?) -> RemoteMessage? {
        guard let stored = accepted[id], !stored.isDeleted, let channel = stored.channel,
            let sender = stored.key.account
        else { return nil }
        let mine = stored.reactors.filter { $0.value.contains(account) }
        let body = MessageBody(
            content: stored.content, tags: stored.tags, editedAt: stored.editedAt, changedAt: stored.changedAt,
            reactions: stored.reactors.mapValues(\.count).filter { $0.value > 0 }, myReactions: Set(mine.keys))
        return RemoteMessage(
            id: id, channel: channel, sender: sender, parent: stored.parent, body: body, createdAt: stored.createdAt,
            serverPosition: stored.serverPosition)
    }

    /// The messages of a channel as an account reads them, by position.
    package func messages(of channel: ChannelID, for account: UserID?) -> [RemoteMessage] {
        accepted.keys.compactMap { message($0, for: account) }.filter { $0.channel == channel }.sorted {
            $0.serverPosition.position < $1.serverPosition.position
        }
    }
}
