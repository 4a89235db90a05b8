package import CausewayHubRules

/// Consecutive changes of readable topics.
package struct LogPage: Sendable, Equatable {
    /// The present state of a record.
    package enum State: Sendable, Equatable {
        case message(StoredMessage)
        case record(RecordRow)
        /// A message that was deleted, without its content; `nil` for another record.
        case deleted(StoredMessage?)

        /// True for a record that is no more.
        package var isDeleted: Bool { if case .deleted = self { true } else { false } }
    }

    package struct Entry: Sendable, Equatable {
        package var change: LogChange
        package var state: State

        package init(_ topic: LogTopic, _ subject: LogChange.Subject, version: Int64, _ state: State) {
            change = LogChange(
                topic: topic, subject: subject, version: version, isNew: false, isDeleted: state.isDeleted)
            self.state = state
        }
    }

    /// In the order of the log; each record once in each topic, at its last change before the cursor.
    package var entries: [Entry]
    /// Topics with more than ``HubStorageLimits/logEntriesPerTopicMax`` entries after the requested cursor, of which
    /// none is listed; never the account's own.
    package var crowded: [LogTopic]
    /// The position up to which everything is listed.
    package var cursor: LogCursor
    /// Whether the cursor is the end of the log.
    package var isUpToDate: Bool

    package init(entries: [Entry], crowded: [LogTopic], cursor: LogCursor, isUpToDate: Bool) {
        self.entries = entries
        self.crowded = crowded
        self.cursor = cursor
        self.isUpToDate = isUpToDate
    }
}
