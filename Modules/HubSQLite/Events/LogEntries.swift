internal import CausewayHubRules
internal import GRDB

/// Reads parts of the log of one topic, in one transaction. The part that was read last is kept: the next reader of the
/// topic mostly asks for the same one.
final class LogEntries {
    struct Entry {
        var topic: LogTopic
        var topicNumber: Int64
        var position: Int64
        var isRecord: Bool
        var subject: Int64
        var version: Int64
        var isNew: Bool
    }

    private struct Part: Equatable {
        var topic: Int64
        var position: Int64
        var limit: Int
    }

    private let db: Database
    private var known: (part: Part, entries: [Entry])?

    init(in db: Database) { self.db = db }

    /// - Parameter position: the entries after it.
    func read(_ topic: ChangedTopics.Topic, after position: Int64, limit: Int) throws -> [Entry] {
        let part = Part(topic: topic.number, position: position, limit: limit)
        if let known, known.part == part { return known.entries }
        var row = try SQLStatement(
            """
            SELECT position, is_record, subject, version, is_new FROM event
            WHERE topic = ? AND position > ? ORDER BY position LIMIT ?
            """, db)
        row.bind(topic.number)
        row.bind(position)
        row.bind(limit)
        var entries: [Entry] = []
        while try row.step() {
            entries.append(
                Entry(
                    topic: topic.topic, topicNumber: topic.number, position: row.number(0), isRecord: row.flag(1),
                    subject: row.number(2), version: row.number(3), isNew: row.flag(4)))
        }
        known = (part, entries)
        return entries
    }
}
