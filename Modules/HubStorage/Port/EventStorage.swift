package import CausewayHubRules
package import CausewayModels

/// The hub's log: which record of which topic changed, in the order of the commits. It is written by the transactions
/// that change records and messages, and only points: their state is read with it.
///
/// - Each message of ``DeliveryChanges`` that is new or changed is logged in the topic of its channel, each changed
///   record in the ``RecordChange/topics`` of its change: one entry for each record, topic and transaction.
/// - Positions ascend from 1 in the order of the commits; those of a transaction that failed may be assigned again.
/// - Entries below the retention are dropped by ``trimLog(_:at:)`` alone.
package protocol EventStorage: Sendable {
    /// Returns the end of the log.
    ///
    /// Cost: one look-up.
    func logEnd() async throws(HubStorageError) -> LogCursor

    /// Returns for each query the next changes that its account may read, with the state of their records, all as of
    /// one moment after the call.
    ///
    /// Cost: that of each query is the number of returned entries, and the smaller of two numbers: the topics of the
    /// hub that have changed since the cursor, and the topics of the query. Unchanged topics cost nothing more. Queries
    /// of one position share the changed topics, and the states that are the same for every reader.
    ///
    /// - Throws: for all of them when one cannot be read.
    func log(_ queries: [LogQuery]) async throws(HubStorageError) -> [LogReading]

    /// Returns the topics that have changed since a position, with the position of the last change of each: those that
    /// changed first, up to a limit. Not an activity: it is called from time to time on an idle storage.
    ///
    /// Cost: the number of returned topics.
    func changedTopics(after position: Int64, limit: Int) async throws(HubStorageError) -> [LogTopic: Int64]

    /// Drops entries beyond the retention, in transactions of at most ``HubStorageLimits/logTrimmedMax`` entries; ends
    /// early when the task is cancelled. Called from time to time: the age of an entry is known only as far as the
    /// calls lie apart, and is never overestimated.
    func trimLog(_ retention: LogRetention, at now: Timestamp) async throws(HubStorageError)
}

/// A request for the next changes.
package struct LogQuery: Sendable {
    package var cursor: LogCursor
    /// The number of the account whose own reactions are marked.
    package var reader: Int64
    /// The topics that the account may read; its own is always read.
    package var rights: TopicRights
    /// Further topics to read, those that the account may read of them; `nil` for all that it may read.
    package var topics: [LogTopic]?
    /// The number of records, and the bytes of their contents together: the changes end before the record that exceeds
    /// them. The first one is always included.
    package var limit: PageLimit

    package init(
        cursor: LogCursor, reader: Int64, rights: TopicRights, topics: [LogTopic]? = nil, limit: PageLimit
    ) {
        self.cursor = cursor
        self.reader = reader
        self.rights = rights
        self.topics = topics
        self.limit = limit
    }
}

package enum LogReading: Sendable, Equatable {
    case page(LogPage)
    /// The cursor is not valid (``LogCursor/isValid(in:last:floor:)``); this one is the end of the log.
    case reset(LogCursor)
}

/// How much of the log is kept at least.
package struct LogRetention: Sendable, Hashable {
    /// Entries; older ones are dropped.
    package var entriesMax: Int64
    /// Seconds; entries that are certainly older are dropped.
    package var ageSecondsMax: Int64

    package init(
        entriesMax: Int64 = HubStorageLimits.logEntriesMax, ageSecondsMax: Int64 = HubStorageLimits.logAgeSecondsMax
    ) {
        self.entriesMax = entriesMax
        self.ageSecondsMax = ageSecondsMax
    }
}
