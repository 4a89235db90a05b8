internal import CausewayHubRules
internal import GRDB

/// Appends the changes of a transaction to the log: a statement for each topic, and one row for each change.
struct LogRecorder {
    struct Entry {
        var isRecord: Bool
        /// The row number of the message or the record.
        var subject: Int64
        var version: Int64
        var isNew: Bool
    }

    private let db: Database
    private var entries: [LogTopic: [Entry]] = [:]
    /// In the order of their first change.
    private var topics: [LogTopic] = []

    init(in db: Database) { self.db = db }

    /// The end of the log.
    static func lastPosition(_ db: Database) throws -> Int64 {
        var row = try SQLStatement("SELECT max(last_position) FROM event_topic", db)
        return try row.step() ? row.number(0) : 0
    }

    mutating func append(_ topic: LogTopic, _ entry: Entry) {
        if entries[topic] == nil { topics.append(topic) }
        entries[topic, default: []].append(entry)
    }

    func store() throws {
        guard !topics.isEmpty else { return }
        var position = try Self.lastPosition(db)
        var topicRow = try SQLStatement(
            """
            INSERT INTO event_topic (name, last_position) VALUES (?, ?)
            ON CONFLICT (name) DO UPDATE SET last_position = excluded.last_position RETURNING number
            """, db)
        var row = try SQLStatement(
            "INSERT INTO event (topic, position, is_record, subject, version, is_new) VALUES (?, ?, ?, ?, ?, ?)", db)
        for topic in topics {
            let entries = entries[topic] ?? []
            topicRow.bind(topic.name)
            topicRow.bind(position + Int64(entries.count))
            guard try topicRow.step() else { continue }
            let number = topicRow.number(0)
            try topicRow.run()
            for entry in entries {
                position += 1
                row.bind(number)
                row.bind(position)
                row.bind(entry.isRecord)
                row.bind(entry.subject)
                row.bind(entry.version)
                row.bind(entry.isNew)
                try row.run()
            }
        }
    }
}
