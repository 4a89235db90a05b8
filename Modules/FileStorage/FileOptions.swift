package import CausewayStorage

/// Options that only tests set.
package struct FileOptions: Sendable {
    package var bounds: OutboxBounds
    /// The bytes of the journal after which a snapshot is written.
    package var snapshotJournalBytes: Int64
    /// The size of the journal from which it is compacted.
    package var compactionBytesMin: Int64
    /// The size of a journal file at which the next commit begins another file.
    package var journalBytesMax: Int64
    /// The zeros that are written ahead at once; 0 for none.
    package var journalBytesAhead: Int
    /// The identity of a new store; drawn if `nil`.
    package var newStore: UInt64?
    /// Performs the steps of snapshots and compaction beside the commits, one after the other; `nil` for a queue of the
    /// store's own.
    package var perform: (@Sendable (_ work: @escaping @Sendable () -> Void) -> Void)?

    package init(
        bounds: OutboxBounds = OutboxBounds(), snapshotJournalBytes: Int64? = nil, compactionBytesMin: Int64? = nil,
        journalBytesMax: Int64? = nil, journalBytesAhead: Int? = nil, newStore: UInt64? = nil,
        perform: (@Sendable (_ work: @escaping @Sendable () -> Void) -> Void)? = nil
    ) {
        self.bounds = bounds
        self.snapshotJournalBytes = snapshotJournalBytes ?? FileLimits.snapshotJournalBytes
        self.compactionBytesMin = compactionBytesMin ?? FileLimits.compactionBytesMin
        self.journalBytesMax = journalBytesMax ?? FileLimits.journalBytesMax
        self.journalBytesAhead = journalBytesAhead ?? FileLimits.journalBytesAhead
        self.newStore = newStore
        self.perform = perform
    }
}
