/// The limits that every storage of a hub keeps, with their units in their names.
package enum HubStorageLimits {
    /// Accounts of a hub, removed ones included.
    package static let accountsMax = 100_000
    /// Deletions of messages that have not arrived, remembered for each account; the oldest are dropped.
    package static let earlyDeletionsPerAccountMax = 2_000
    /// Changed messages of a channel, at any position, that are examined for one request; past it pages must be read.
    package static let changesScannedMax = 10_000
    /// Messages that are examined for one page of those that satisfy a filter.
    package static let messagesExaminedMax = 2_000
    /// Lanes of an outbox whose marks are returned.
    package static let marksMax = 10_000
    /// Openings that are remembered; claims and cursors of earlier ones are unknown.
    package static let openingsKeptMax = 10_000
    /// Memberships of an account through which the right to read a blob is looked for; more only through a message.
    package static let membershipsScannedMax = 10_000

    // The log

    /// Entries of the log that are kept.
    package static let logEntriesMax: Int64 = 1_000_000
    /// How long they are kept.
    package static let logAgeSecondsMax: Int64 = 30 * 24 * 3600
    /// Entries that are dropped in one transaction.
    package static let logTrimmedMax = 1_000
    /// The shortest time between two positions of the log whose time is remembered.
    package static let logTimeSecondsMin: Int64 = 600
    /// Entries of one topic after a cursor; past it they are not listed, and pages must be read.
    package static let logEntriesPerTopicMax = 10_000
    /// Entries that are examined for one page, for each record of its limit.
    package static let logEntriesPerRecordMax = 8
    /// Bytes of an event in a response, apart from everything whose length varies.
    package static let eventHeadBytes = 384
    /// Changed topics that are looked up among the readable ones; when there are more, the readable ones are looked up.
    package static let logTopicsScannedMax = 256
}
