package import CausewayHubRules
package import CausewayHubStorage
internal import CausewayModels
internal import GRDB
internal import Synchronization

extension SQLiteHubStorage {
    private struct EntryKey: Hashable {
        var topic: Int64
        var isRecord: Bool
        var subject: Int64
    }

    package func logEnd() async throws(HubStorageError) -> LogCursor {
        let opening = try servingOpening()
        return try await lookUp { db in try Self.cursor(at: LogRecorder.lastPosition(db), opening) }
    }

    package func log(_ query: LogQuery) async throws(HubStorageError) -> LogReading {
        // Before the snapshot: if another history begins meanwhile, the cursor is of the former one and not valid.
        let opening = try servingOpening()
        return try await readIdly { [self] db in
            let last = try LogRecorder.lastPosition(db)
            let cursor = query.cursor
            let reached = cursor.opening == opening.id ? last : try Self.lastPosition(of: cursor.opening, db)
            guard cursor.isValid(in: opening.history, last: reached, floor: try Self.dropped(db)) else {
                return .reset(Self.cursor(at: last, opening))
            }
            guard cursor.position < last else {
                return .page(LogPage(entries: [], crowded: [], cursor: cursor, isUpToDate: true))
            }
            return .page(try page(query, upTo: last, opening, db))
        }
    }

    package func changedTopics(
        after position: Int64, limit: Int
    ) async throws(HubStorageError) -> [LogTopic: Int64] {
        try await readIdly { db in
            var row = try SQLStatement(
                "SELECT name, last_position FROM event_topic WHERE last_position > ? ORDER BY last_position LIMIT ?",
                db)
            row.bind(position)
            row.bind(limit)
            var topics: [LogTopic: Int64] = [:]
            while try row.step() {
                if let topic = row.text(0).flatMap({ LogTopic(name: $0) }) { topics[topic] = row.number(1) }
            }
            return topics
        }
    }

    private func page(
        _ query: LogQuery, upTo last: Int64, _ opening: HubOpening, _ db: Database
    ) throws -> LogPage {
        let after = query.cursor.position
        var topics = try ChangedTopics(after: after, query.rights, in: db).read(query.topics)
        let crowded = try topics.filter { topic in
            try topic.topic != query.rights.own && Self.isCrowded(topic, after: after, db)
        }
        topics.removeAll { topic in crowded.contains { $0.number == topic.number } }
        var builder = LogPageBuilder<EntryKey>(after: after, limit: query.limit)
        var merge = try LogMerge(topics, after: after, in: db)
        while let entry = try merge.next() {
            let key = EntryKey(topic: entry.topicNumber, isRecord: entry.isRecord, subject: entry.subject)
            let hasRoom = try builder.add(key, at: entry.position, isNew: entry.isNew) {
                try entry.isRecord ? record(entry, db) : message(entry, for: query.reader, db)
            }
            guard hasRoom else { break }
        }
        let (entries, position) = builder.page(upTo: last)
        return LogPage(
            entries: entries, crowded: crowded.map(\.topic).sorted { $0.name < $1.name },
            cursor: Self.cursor(at: position, opening), isUpToDate: !builder.isFull)
    }

    private static func isCrowded(
        _ topic: ChangedTopics.Topic, after position: Int64, _ db: Database
    ) throws -> Bool {
        // Positions are dense: there are no more entries than positions.
        guard topic.lastPosition - position > HubStorageLimits.logEntriesPerTopicMax else { return false }
        var count = try SQLStatement(
            "SELECT count(*) FROM (SELECT 1 FROM event WHERE topic = ? AND position > ? LIMIT ?)", db)
        count.bind(topic.number)
        count.bind(position)
        count.bind(HubStorageLimits.logEntriesPerTopicMax + 1)
        return try count.step() && count.number(0) > HubStorageLimits.logEntriesPerTopicMax
    }

    // MARK: - States

    private static let messageByNumber = selection(from: "message") + " WHERE message.number = ?"

    private func message(_ entry: LogMerge.Entry, for reader: Int64, _ db: Database) throws -> LogPage.Entry? {
        var row = try SQLStatement(Self.messageByNumber, db)
        row.bind(entry.subject)
        guard try row.step(), let id = row.id(0).map(MessageID.init) else { return nil }
        // A message that was never changed has the version of its creation.
        let version = row.isNull(11) ? entry.version : row.number(11)
        guard let content = row.text(3) else {
            return LogPage.Entry(entry.topic, .message(id), version: version, .deleted(deleted(row)))
        }
        guard let message = try message(row, content: content, for: reader, db) else { return nil }
        return LogPage.Entry(entry.topic, .message(id), version: version, .message(message))
    }

    private func record(_ entry: LogMerge.Entry, _ db: Database) throws -> LogPage.Entry? {
        var row = try SQLStatement(
            "SELECT kind, id, version, value, deleted, json_valid(value) FROM record WHERE number = ?", db)
        row.bind(entry.subject)
        guard try row.step(), let kind = row.text(0).flatMap(RecordKind.init), let id = row.text(1),
            row.flag(4) || row.flag(5)
        else { return nil }
        let key = RecordKey(kind: kind, id: id)
        let found = RecordRow(key: key, version: row.number(2), value: row.text(3))
        return LogPage.Entry(
            entry.topic, .record(key), version: found.version, row.flag(4) ? .deleted(nil) : .record(found))
    }

    // MARK: - Positions

    private func servingOpening() throws(HubStorageError) -> HubOpening {
        guard let opening else { throw .recovering(path: path) }
        return opening
    }

    private static func cursor(at position: Int64, _ opening: HubOpening) -> LogCursor {
        LogCursor(history: opening.history, opening: opening.id, position: position)
    }

    /// The last position of an earlier opening; `nil` when it is not known.
    private static func lastPosition(of opening: [UInt8], _ db: Database) throws -> Int64? {
        var row = try SQLStatement("SELECT last_position FROM hub_opening WHERE id = ?", db)
        row.bind(opening)
        return try row.step() && !row.isNull(0) ? row.number(0) : nil
    }

    /// The last position that has been dropped.
    private static func dropped(_ db: Database) throws -> Int64 {
        var row = try SQLStatement("SELECT dropped FROM event_log", db)
        return try row.step() ? row.number(0) : 0
    }
}
