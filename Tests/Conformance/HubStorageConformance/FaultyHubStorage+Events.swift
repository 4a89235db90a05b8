import CausewayHubRules
import CausewayHubStorage
import CausewayModels

/// Faults of the log.
extension FaultyHubStorage {
    func logEnd() async throws(HubStorageError) -> LogCursor { try await base.logEnd() }

    func log(_ queries: [LogQuery]) async throws(HubStorageError) -> [LogReading] {
        var readings: [LogReading] = []
        for reading in try await base.log(queries.map { faulty($0, beside: queries[0]) }) {
            readings.append(try await faulty(reading))
        }
        return readings
    }

    private func faulty(_ reading: LogReading) async throws(HubStorageError) -> LogReading {
        guard case .page(var page) = reading else { return reading }
        switch fault {
        case .losesEditEvents: page.entries.removeAll { $0.message?.editedAt != nil }
        case .losesReactionEvents: page.entries.removeAll { $0.message?.changedAt != nil }
        case .losesDeletionEvents: page.entries.removeAll { $0.change.isDeleted }
        case .losesTombstones:
            for index in page.entries.indices where page.entries[index].change.isDeleted {
                page.entries[index].state = .deleted(nil)
            }
        case .repeatsEvents: page.entries += page.entries
        case .hidesCrowds: page.crowded = []
        case .endsEarly:
            page.cursor = try await base.logEnd()
            page.isUpToDate = true
        default: break
        }
        return .page(page)
    }

    private func faulty(_ query: LogQuery, beside first: LogQuery) -> LogQuery {
        var query = query
        guard let opening = base.opening else { return query }
        switch fault {
        case .knowsEveryHistory:
            query.cursor = LogCursor(
                history: opening.history, opening: query.cursor.opening, position: query.cursor.position)
        case .knowsEveryOpening:
            query.cursor = LogCursor(
                history: query.cursor.history, opening: opening.id, position: query.cursor.position)
        case .sharesRights: query.rights = first.rights
        case .sharesReactions: query.reader = first.reader
        case .sharesPositions: query.cursor = first.cursor
        case .sharesTopics: query.topics = first.topics
        case .sharesLimits: query.limit = first.limit
        case .leaksAccounts:
            for case .account(let other) in query.topics ?? [] { query.rights = TopicRights(of: other) }
        case .leaksChannels: UserID("bob").map { query.rights = TopicRights(of: $0) }
        default: break
        }
        return query
    }

    func changedTopics(
        after position: Int64, limit: Int
    ) async throws(HubStorageError) -> [LogTopic: Int64] {
        try await base.changedTopics(after: position, limit: fault == .hidesTopics ? limit - 1 : limit)
    }

    func trimLog(_ retention: LogRetention, at now: Timestamp) async throws(HubStorageError) {
        var retention = retention
        if fault == .keepsTooLittle { retention.entriesMax -= 2 }
        if fault != .keepsDroppedCursors { try await base.trimLog(retention, at: now) }
    }
}

extension LogPage.Entry {
    fileprivate var message: StoredMessage? {
        guard case .message(let message) = state else { return nil }
        return message
    }
}
