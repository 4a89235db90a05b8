internal import CausewayHubRules
internal import GRDB

/// The entries of some topics in the order of their positions: the index of each topic is read in small parts, only as
/// far as it is needed.
struct LogMerge {
    struct Entry {
        var topic: LogTopic
        var topicNumber: Int64
        var position: Int64
        var isRecord: Bool
        var subject: Int64
        var version: Int64
        var isNew: Bool
    }

    private static let partMax = 256
    private static let partMin = 8

    private let db: Database
    private let partCount: Int
    /// The topics that have more entries, by the position of the next one, descending. Each has one at least.
    private var parts: [(topic: ChangedTopics.Topic, entries: ArraySlice<Entry>)] = []

    init(_ topics: [ChangedTopics.Topic], after position: Int64, in db: Database) throws {
        self.db = db
        partCount = max(Self.partMin, Self.partMax / max(topics.count, 1))
        for topic in topics {
            let entries = try read(topic, after: position)
            if !entries.isEmpty { parts.append((topic, entries[...])) }
        }
        parts.sort { $0.entries[$0.entries.startIndex].position > $1.entries[$1.entries.startIndex].position }
    }

    mutating func next() throws -> Entry? {
        guard var part = parts.popLast(), let entry = part.entries.popFirst() else { return nil }
        if part.entries.isEmpty, entry.position < part.topic.lastPosition {
            part.entries = try read(part.topic, after: entry.position)[...]
        }
        if let next = part.entries.first { insert(part, at: next.position) }
        return entry
    }

    private mutating func insert(_ part: (topic: ChangedTopics.Topic, entries: ArraySlice<Entry>), at position: Int64) {
        // The next entry is mostly of the same topic, or of one near the end.
        var low = 0
        var high = parts.count
        while low < high {
            let middle = (low + high) / 2
            if let other = parts[middle].entries.first, other.position > position {
                low = middle + 1
            } else {
                high = middle
            }
        }
        parts.insert(part, at: low)
    }

    private func read(_ topic: ChangedTopics.Topic, after position: Int64) throws -> [Entry] {
        var row = try SQLStatement(
            """
            SELECT position, is_record, subject, version, is_new FROM event
            WHERE topic = ? AND position > ? ORDER BY position LIMIT ?
            """, db)
        row.bind(topic.number)
        row.bind(position)
        row.bind(partCount)
        var entries: [Entry] = []
        while try row.step() {
            entries.append(
                Entry(
                    topic: topic.topic, topicNumber: topic.number, position: row.number(0), isRecord: row.flag(1),
                    subject: row.number(2), version: row.number(3), isNew: row.flag(4)))
        }
        return entries
    }
}
