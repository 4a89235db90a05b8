internal import CausewayHubRules
internal import CausewayHubStorage
internal import CausewayModels
internal import GRDB

/// The topics that have changed since a position, and that an account may read.
///
/// The cost is that of the changed topics or that of the readable ones, whichever are fewer. The changed topics after
/// the position that was asked for last are kept for the next account.
final class ChangedTopics {
    struct Topic {
        var number: Int64
        var topic: LogTopic
        var lastPosition: Int64
    }

    private let db: Database
    private var known: (position: Int64, topics: [Topic]?)?

    init(in db: Database) { self.db = db }

    /// - Parameters:
    ///   - topics: the topics besides the account's own; `nil` for all that it may read.
    ///   - rights: what the account may read.
    func read(_ topics: [LogTopic]?, after position: Int64, _ rights: TopicRights) throws -> [Topic] {
        if let topics { return try readable(changed(among: Set(topics + [rights.own]), after: position), rights) }
        if let changed = try changed(after: position) { return try readable(changed, rights) }
        return try changed(among: granted(rights), after: position)
    }

    /// - Returns: `nil` when there are more than are read.
    private func changed(after position: Int64) throws -> [Topic]? {
        if let known, known.position == position { return known.topics }
        let topics = try changed(after: position, atMost: HubStorageLimits.logTopicsScannedMax)
        known = (position, topics)
        return topics
    }

    private func changed(after position: Int64, atMost limit: Int) throws -> [Topic]? {
        var row = try SQLStatement(
            "SELECT number, name, last_position FROM event_topic WHERE last_position > ? LIMIT ?", db)
        row.bind(position)
        row.bind(limit + 1)
        var found: [Topic] = []
        var count = 0
        while try row.step() {
            count += 1
            guard count <= limit else { return nil }
            if let topic = Self.topic(row) { found.append(topic) }
        }
        return found
    }

    // Without the plus sign SQLite would use the index of the positions.
    private static let named = KeyedQuery(
        "SELECT number, name, last_position FROM event_topic WHERE +last_position > ? AND name IN")

    private func changed(among topics: Set<LogTopic>, after position: Int64) throws -> [Topic] {
        var found: [Topic] = []
        try Self.named.forEach(of: Array(topics), in: db) {
            $0.bind(position)
        } bind: {
            $0.bind($1.name)
        } _: { row in
            if let topic = Self.topic(row) { found.append(topic) }
        }
        return found
    }

    private static func topic(_ row: borrowing SQLStatement) -> Topic? {
        row.text(1).flatMap { LogTopic(name: $0) }.map {
            Topic(number: row.number(0), topic: $0, lastPosition: row.number(2))
        }
    }

    // MARK: - Rights

    private func granted(_ rights: TopicRights) throws -> Set<LogTopic> {
        let list = rights.grants
        var row = try SQLStatement("SELECT id FROM record_list WHERE kind = ? AND name = ? AND scope = ?", db)
        row.bind(list.kind.value)
        row.bind(list.name)
        row.bind(list.scope)
        var topics: Set<LogTopic> = [rights.own]
        while try row.step() {
            guard let id = row.text(0) else { continue }
            if let topic = rights.topic(grantedBy: RecordKey(kind: list.kind, id: id)) { topics.insert(topic) }
        }
        return topics
    }

    private static let existing = KeyedQuery("SELECT id FROM record WHERE kind = ? AND deleted = 0 AND id IN")

    private func readable(_ topics: [Topic], _ rights: TopicRights) throws -> [Topic] {
        var needed: Set<RecordKey> = []
        for topic in topics {
            if case .whileExists(let key) = rights.access(to: topic.topic) { needed.insert(key) }
        }
        var existing: Set<RecordKey> = []
        for (kind, keys) in Dictionary(grouping: needed, by: \.kind) {
            try Self.existing.forEach(of: keys, in: db) {
                $0.bind(kind.value)
            } bind: {
                $0.bind($1.id)
            } _: { row in
                if let id = row.text(0) { existing.insert(RecordKey(kind: kind, id: id)) }
            }
        }
        return topics.filter { topic in
            switch rights.access(to: topic.topic) {
            case .always: true
            case .never: false
            case .whileExists(let key): existing.contains(key)
            }
        }
    }
}
