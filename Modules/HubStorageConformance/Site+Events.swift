import CausewayHubRules
import CausewayHubStorage
import CausewayModels

/// Reading the log.
extension Site {
    func end() async throws -> LogCursor { try await storage.logEnd() }

    func log(
        after cursor: LogCursor, for user: UserID = Site.ada, topics: [LogTopic]? = nil, limit: Int = 1000,
        bytes: Int = .max
    ) async throws -> LogPage {
        switch try await read(after: cursor, for: user, topics: topics, limit: limit, bytes: bytes) {
        case .page(let page): return page
        case .reset: throw ConformanceFailure(detail: "a valid cursor was reset", file: #fileID, line: #line)
        }
    }

    func read(
        after cursor: LogCursor, for user: UserID = Site.ada, topics: [LogTopic]? = nil, limit: Int = 1000,
        bytes: Int = .max
    ) async throws -> LogReading {
        try await read([query(after: cursor, for: user, topics: topics, limit: limit, bytes: bytes)])[0]
    }

    func query(
        after cursor: LogCursor, for user: UserID = Site.ada, topics: [LogTopic]? = nil, limit: Int = 1000,
        bytes: Int = .max
    ) -> LogQuery {
        LogQuery(
            cursor: cursor, reader: user == Site.ada ? ada : bob, rights: TopicRights(of: user), topics: topics,
            limit: PageLimit(count: limit, contentBytes: bytes))
    }

    func read(_ queries: [LogQuery]) async throws -> [LogReading] {
        let readings = try await storage.log(queries)
        try requireEqual(readings.count, queries.count, "one reading for each query")
        for (query, reading) in zip(queries, readings) {
            if case .page(let page) = reading { try Self.check(page, after: query.cursor, query.limit.count) }
        }
        return readings
    }

    private static func check(_ page: LogPage, after cursor: LogCursor, _ limit: Int) throws {
        try require(page.entries.count <= limit, "more records than the limit")
        let subjects = page.entries.map { Pair(topic: $0.change.topic, subject: $0.change.subject) }
        try requireEqual(Set(subjects).count, subjects.count, "records of a page, each once")
        try require(
            page.entries.allSatisfy { !page.crowded.contains($0.change.topic) }, "an entry of a crowded topic")
        try require(page.isUpToDate || page.cursor.position > cursor.position, "a page moves the cursor")
        for entry in page.entries {
            switch entry.state {
            case .deleted: try require(entry.change.isDeleted, "a deleted record")
            case .message, .record: try require(!entry.change.isDeleted, "a record that exists")
            }
        }
    }

    /// The states of a page, or of all pages up to the end, by topic and record.
    func states(
        after cursor: LogCursor, for user: UserID = Site.ada, limit: Int = 1000, bytes: Int = .max
    ) async throws -> [Pair: LogPage.State] {
        var states: [Pair: LogPage.State] = [:]
        var versions: [Pair: Int64] = [:]
        var cursor = cursor
        while true {
            let page = try await log(after: cursor, for: user, limit: limit, bytes: bytes)
            for entry in page.entries {
                let pair = Pair(topic: entry.change.topic, subject: entry.change.subject)
                try require(entry.change.version >= versions[pair] ?? 0, "the versions of a record ascend")
                versions[pair] = entry.change.version
                states[pair] = entry.state
            }
            if page.isUpToDate { return states }
            cursor = page.cursor
        }
    }

    struct Pair: Hashable {
        var topic: LogTopic
        var subject: LogChange.Subject
    }
}

extension LogPage {
    /// The messages by their numbers, and the records by their ids; a minus sign for a deleted one.
    var names: [String] {
        entries.map { entry in
            let sign = entry.change.isDeleted ? "-" : ""
            return switch entry.change.subject {
            case .message(let id): "\(sign)\(id.value.low & 0xFFFF)"
            case .record(let key): sign + key.id
            }
        }
    }
}
