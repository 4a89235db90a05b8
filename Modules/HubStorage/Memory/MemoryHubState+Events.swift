internal import CausewayHubRules
internal import CausewayModels

/// The log: writing, and reading with the state of the records.
extension MemoryHubState {
    mutating func logMessages(of changes: DeliveryChanges) {
        for message in changes.newMessages {
            log.append(
                .channel(message.channel), .message(message.id), version: changes.lastCommit, isNew: true)
        }
        for id in changes.messages.keys {
            guard let channel = messages[id]?.channel else { continue }
            log.append(.channel(channel), .message(id), version: changes.lastCommit, isNew: false)
        }
    }

    func logEnd(of opening: HubOpening) -> LogCursor {
        LogCursor(history: opening.history, opening: opening.id, position: log.last)
    }

    func log(_ query: LogQuery, _ opening: HubOpening) -> LogReading {
        let cursor = query.cursor
        let reached =
            cursor.opening == opening.id ? log.last : openings.first { $0.id == cursor.opening }?.lastPosition
        guard cursor.isValid(in: opening.history, last: reached, floor: log.floor) else {
            return .reset(logEnd(of: opening))
        }
        var wanted = query.topics.map(Set.init)
        wanted?.insert(query.rights.own)
        let readable = log.entries.filter { entry in
            entry.position > cursor.position && wanted?.contains(entry.topic) != false
                && canRead(entry.topic, query.rights)
        }
        let counts = Dictionary(grouping: readable, by: \.topic).mapValues(\.count)
        let crowded = counts.filter { topic, count in
            count > HubStorageLimits.logEntriesPerTopicMax && topic != query.rights.own
        }
        var builder = LogPageBuilder<MemoryLog.Key>(after: cursor.position, limit: query.limit)
        for entry in readable where crowded[entry.topic] == nil {
            let key = MemoryLog.Key(topic: entry.topic, subject: entry.subject)
            guard
                builder.add(
                    key, at: entry.position, isNew: entry.isNew, { read(entry, for: query.reader) })
            else { break }
        }
        let (entries, position) = builder.page(upTo: log.last)
        return .page(
            LogPage(
                entries: entries, crowded: crowded.keys.sorted { $0.name < $1.name },
                cursor: LogCursor(history: opening.history, opening: opening.id, position: position),
                isUpToDate: !builder.isFull))
    }

    func canRead(_ topic: LogTopic, _ rights: TopicRights) -> Bool {
        switch rights.access(to: topic) {
        case .always: true
        case .never: false
        case .whileExists(let key): records[key]?.isDeleted == false
        }
    }

    private func read(_ entry: MemoryLog.Entry, for reader: Int64) -> LogPage.Entry? {
        switch entry.subject {
        case .message(let id):
            guard let message = messages[id] else { return nil }
            let state = shown(message, for: reader).map(LogPage.State.message) ?? .deleted(deleted(message))
            return LogPage.Entry(entry.topic, entry.subject, version: message.changeCommit ?? entry.version, state)
        case .record(let key):
            guard let row = records[key] else { return nil }
            return LogPage.Entry(
                entry.topic, entry.subject, version: row.version, row.isDeleted ? .deleted(nil) : .record(row))
        }
    }
}
