/// The entries of some topics in the order of their positions: the index of each topic is read in small parts, only as
/// far as it is needed.
struct LogMerge {
    private static let partMax = 256
    private static let partMin = 8

    private let log: LogEntries
    private let partCount: Int
    /// The topics that have more entries, by the position of the next one, descending. Each has one at least.
    private var parts: [(topic: ChangedTopics.Topic, entries: ArraySlice<LogEntries.Entry>)] = []

    init(_ topics: [ChangedTopics.Topic], after position: Int64, of log: LogEntries) throws {
        self.log = log
        partCount = max(Self.partMin, Self.partMax / max(topics.count, 1))
        for topic in topics {
            let entries = try log.read(topic, after: position, limit: partCount)
            if !entries.isEmpty { parts.append((topic, entries[...])) }
        }
        parts.sort { $0.entries[$0.entries.startIndex].position > $1.entries[$1.entries.startIndex].position }
    }

    mutating func next() throws -> LogEntries.Entry? {
        guard var part = parts.popLast(), let entry = part.entries.popFirst() else { return nil }
        if part.entries.isEmpty, entry.position < part.topic.lastPosition {
            part.entries = try log.read(part.topic, after: entry.position, limit: partCount)[...]
        }
        if let next = part.entries.first { insert(part, at: next.position) }
        return entry
    }

    private mutating func insert(
        _ part: (topic: ChangedTopics.Topic, entries: ArraySlice<LogEntries.Entry>), at position: Int64
    ) {
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
}
