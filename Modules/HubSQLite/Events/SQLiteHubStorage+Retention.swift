package import CausewayHubStorage
package import CausewayModels
internal import GRDB

/// Dropping the oldest entries of the log. Their cursors end at once, the rows are removed afterwards, in small steps
/// that let deliveries through.
extension SQLiteHubStorage {
    package func trimLog(_ retention: LogRetention, at now: Timestamp) async throws(HubStorageError) {
        guard let dropped = try await write({ db in try Self.drop(retention, at: now, db) }) else { return }
        var topic: Int64? = 0
        while let present = topic {
            guard !Task.isCancelled else { return }
            topic = try await write { db in try Self.removeEvents(upTo: dropped, fromTopic: present, db) }
        }
        try await write { db in
            var update = try SQLStatement("UPDATE event_log SET removed = ?", db)
            update.bind(dropped)
            try update.run()
        }
    }

    /// Notes the time of the log's end, and moves the last dropped position.
    ///
    /// - Returns: the last dropped position; `nil` if all rows up to it have been removed.
    private static func drop(_ retention: LogRetention, at now: Timestamp, _ db: Database) throws -> Int64? {
        let last = try LogRecorder.lastPosition(db)
        try note(last, at: now, db)
        let old = Timestamp(milliseconds: now.milliseconds - retention.ageSecondsMax * 1000)
        var update = try SQLStatement(
            """
            UPDATE event_log SET dropped =
                max(dropped, ?, coalesce((SELECT max(position) FROM event_time WHERE at <= ?), 0))
            RETURNING dropped, removed
            """, db)
        update.bind(last - retention.entriesMax)
        update.bind(old)
        guard try update.step() else { return nil }
        let dropped = update.number(0)
        let removed = update.number(1)
        try update.run()
        var removal = try SQLStatement("DELETE FROM event_time WHERE position < ?", db)
        removal.bind(dropped)
        try removal.run()
        return removed < dropped ? dropped : nil
    }

    private static func note(_ position: Int64, at now: Timestamp, _ db: Database) throws {
        var newest = try SQLStatement("SELECT max(at) FROM event_time", db)
        let step = HubStorageLimits.logTimeSecondsMin * 1000
        if try newest.step(), !newest.isNull(0), now.milliseconds - newest.number(0) < step { return }
        // A position that was noted before was reached at that time.
        var insertion = try SQLStatement(
            "INSERT INTO event_time (position, at) VALUES (?, ?) ON CONFLICT DO NOTHING", db)
        insertion.bind(position)
        insertion.bind(now)
        try insertion.run()
    }

    /// Removes rows of some topics, up to a limit of rows and of topics.
    ///
    /// - Returns: the number of the topic that comes next; `nil` at the end.
    private static func removeEvents(upTo position: Int64, fromTopic first: Int64, _ db: Database) throws -> Int64? {
        var topics: [Int64] = []
        var row = try SQLStatement("SELECT number FROM event_topic WHERE number >= ? ORDER BY number LIMIT ?", db)
        row.bind(first)
        row.bind(HubStorageLimits.logTopicsScannedMax + 1)
        while try row.step() { topics.append(row.number(0)) }
        var rest = HubStorageLimits.logTrimmedMax
        var removal = try SQLStatement(
            """
            DELETE FROM event WHERE topic = ?1 AND position IN (
                SELECT position FROM event WHERE topic = ?1 AND position <= ?2 ORDER BY position LIMIT ?3)
            """, db)
        for topic in topics.prefix(HubStorageLimits.logTopicsScannedMax) {
            removal.bind(topic)
            removal.bind(position)
            removal.bind(rest)
            try removal.run()
            rest -= db.changesCount
            if rest <= 0 { return topic }
        }
        return topics.count > HubStorageLimits.logTopicsScannedMax ? topics.last : nil
    }
}
