package import CausewayHubRules
package import CausewayHubStorage
internal import CausewayModels
internal import GRDB

extension SQLiteHubStorage {
    package func logEnd() async throws(HubStorageError) -> LogCursor {
        let opening = try servingOpening()
        return try await lookUp { db in opening.cursor(at: try LogRecorder.lastPosition(db)) }
    }

    package func log(_ queries: [LogQuery]) async throws(HubStorageError) -> [LogReading] {
        let opening = try servingOpening()
        return try await readIdly { [self] db in
            let snapshot = try LogSnapshot(of: self, opening, in: db)
            return try queries.map(snapshot.read)
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

    private func servingOpening() throws(HubStorageError) -> HubOpening {
        guard let opening else { throw .recovering(path: path) }
        return opening
    }
}
