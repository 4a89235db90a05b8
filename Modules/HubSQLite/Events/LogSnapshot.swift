internal import CausewayHubRules
internal import CausewayHubStorage
internal import CausewayModels
internal import GRDB

/// The log as of one transaction, for a batch of queries.
///
/// After a commit, all readers of a channel ask for the same few entries. Queries of one position share the changed
/// topics, their entries, the states that are the same for every reader, and pages of these. They are kept only for the
/// position that was read last, so that a batch of different positions takes no more memory than its results.
final class LogSnapshot {
    private struct EntryKey: Hashable {
        var topic: Int64
        var isRecord: Bool
        var subject: Int64
    }

    /// The results at one position that are the same for every reader.
    private struct Shared {
        let position: Int64
        var states: [EntryKey: LogPage.Entry] = [:]
        var pages: [PageKey: LogPage] = [:]
    }

    /// Readers of the same topics read the same page, if its states are the same for every reader.
    private struct PageKey: Hashable {
        var topics: [Int64]
        var limit: PageLimit
    }

    private let storage: SQLiteHubStorage
    private let db: Database
    private let opening: HubOpening
    /// The end of the log.
    private let last: Int64
    /// The last position that has been dropped.
    private let dropped: Int64
    private let topics: ChangedTopics
    private let entries: LogEntries
    private var shared = Shared(position: -1)

    /// - Parameter opening: of the time before the transaction: if another history has begun since, the cursor is of
    ///   the former one and not valid.
    init(of storage: SQLiteHubStorage, _ opening: HubOpening, in db: Database) throws {
        self.storage = storage
        self.db = db
        self.opening = opening
        last = try LogRecorder.lastPosition(db)
        var row = try SQLStatement("SELECT dropped FROM event_log", db)
        dropped = try row.step() ? row.number(0) : 0
        topics = ChangedTopics(in: db)
        entries = LogEntries(in: db)
    }

    func read(_ query: LogQuery) throws -> LogReading {
        let cursor = query.cursor
        let reached = cursor.opening == opening.id ? last : try lastPosition(of: cursor.opening)
        guard cursor.isValid(in: opening.history, last: reached, floor: dropped) else {
            return .reset(opening.cursor(at: last))
        }
        guard cursor.position < last else {
            return .page(LogPage(entries: [], crowded: [], cursor: cursor, isUpToDate: true))
        }
        if shared.position != cursor.position { shared = Shared(position: cursor.position) }
        return .page(try page(query))
    }

    private func page(_ query: LogQuery) throws -> LogPage {
        let after = query.cursor.position
        var topics = try topics.read(query.topics, after: after, query.rights)
        let key = PageKey(topics: topics.map(\.number), limit: query.limit)
        if let known = shared.pages[key] { return known }
        var isShared = true
        let crowded = try topics.filter { topic in
            try topic.topic != query.rights.own && isCrowded(topic, after: after)
        }
        topics.removeAll { topic in crowded.contains { $0.number == topic.number } }
        var builder = LogPageBuilder<EntryKey>(after: after, limit: query.limit)
        var merge = try LogMerge(topics, after: after, of: entries)
        while let entry = try merge.next() {
            let key = EntryKey(topic: entry.topicNumber, isRecord: entry.isRecord, subject: entry.subject)
            let hasRoom = try builder.add(key, at: entry.position, isNew: entry.isNew) {
                let state = try state(of: entry, key, for: query.reader)
                isShared = isShared && shared.states[key] != nil
                return state
            }
            guard hasRoom else { break }
        }
        let (entries, position) = builder.page(upTo: last)
        let page = LogPage(
            entries: entries, crowded: crowded.map(\.topic).sorted { $0.name < $1.name },
            cursor: opening.cursor(at: position), isUpToDate: !builder.isFull)
        if isShared { shared.pages[key] = page }
        return page
    }

    private func isCrowded(_ topic: ChangedTopics.Topic, after position: Int64) throws -> Bool {
        // Positions are dense: there are no more entries than positions.
        guard topic.lastPosition - position > HubStorageLimits.logEntriesPerTopicMax else { return false }
        var count = try SQLStatement(
            "SELECT count(*) FROM (SELECT 1 FROM event WHERE topic = ? AND position > ? LIMIT ?)", db)
        count.bind(topic.number)
        count.bind(position)
        count.bind(HubStorageLimits.logEntriesPerTopicMax + 1)
        return try count.step() && count.number(0) > HubStorageLimits.logEntriesPerTopicMax
    }

    /// The last position of an earlier opening; `nil` when it is not known.
    private func lastPosition(of opening: [UInt8]) throws -> Int64? {
        var row = try SQLStatement("SELECT last_position FROM hub_opening WHERE id = ?", db)
        row.bind(opening)
        return try row.step() && !row.isNull(0) ? row.number(0) : nil
    }

    // MARK: - States

    private func state(of entry: LogEntries.Entry, _ key: EntryKey, for reader: Int64) throws -> LogPage.Entry? {
        if let known = shared.states[key] { return known }
        let read = try entry.isRecord ? record(entry) : message(entry, for: reader)
        guard let read else { return nil }
        // Reactions are marked for their reader.
        if case .message(let message) = read.state, !message.reactions.isEmpty { return read }
        shared.states[key] = read
        return read
    }

    private static let messageByNumber =
        SQLiteHubStorage.selection(from: "message") + " WHERE message.number = ?"

    private func message(_ entry: LogEntries.Entry, for reader: Int64) throws -> LogPage.Entry? {
        var row = try SQLStatement(Self.messageByNumber, db)
        row.bind(entry.subject)
        guard try row.step(), let id = row.id(0).map(MessageID.init) else { return nil }
        // A message that was never changed has the version of its creation.
        let version = row.isNull(11) ? entry.version : row.number(11)
        guard let content = row.text(3) else {
            return LogPage.Entry(entry.topic, .message(id), version: version, .deleted(storage.deleted(row)))
        }
        guard let message = try storage.message(row, content: content, for: reader, db) else { return nil }
        return LogPage.Entry(entry.topic, .message(id), version: version, .message(message))
    }

    private func record(_ entry: LogEntries.Entry) throws -> LogPage.Entry? {
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
}

extension HubOpening {
    /// A position of the log in this opening.
    func cursor(at position: Int64) -> LogCursor { LogCursor(history: history, opening: id, position: position) }
}
