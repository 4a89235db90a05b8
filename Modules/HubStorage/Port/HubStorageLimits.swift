/// The limits that every storage of a hub keeps, with their units in their names.
package enum HubStorageLimits {
    /// Accounts of a hub, removed ones included.
    package static let accountsMax = 100_000
    /// Deletions of messages that have not arrived, remembered for each account; the oldest are dropped.
    package static let earlyDeletionsPerAccountMax = 2_000
    /// Changed messages of a channel, at any position, that are examined for one request; past it pages must be read.
    package static let changesScannedMax = 10_000
    /// Lanes of an outbox whose marks are returned.
    package static let marksMax = 10_000
    /// Openings that are remembered; claims and cursors of earlier ones are unknown.
    package static let openingsKeptMax = 10_000
}
