/// Decides when a snapshot is written, and when the journal is compacted.
///
/// A snapshot is due when reading the journal after the last one would take longer than reading a snapshot; compaction
/// when more than half of the journal is no longer needed. So both cost a constant share of what is written.
struct MaintenancePolicy: Sendable, Equatable {
    enum Work: Sendable, Equatable { case snapshot, compaction }

    /// The size of the last snapshot; 0 if there is none.
    var snapshotBytes: Int64 = 0
    var snapshotJournalBytes = FileLimits.snapshotJournalBytes
    var compactionBytesMin = FileLimits.compactionBytesMin
    /// After a failure nothing is tried again below this size of the journal: so what fails again and again writes no
    /// more than the commits do.
    var retryAt: Int64 = 0

    func due(_ sizes: JournalSizes) -> Work? {
        if sizes.journalBytes < retryAt { return nil }
        if sizes.journalBytes >= compactionBytesMin, sizes.journalBytes > 2 * sizes.liveBytes { return .compaction }
        return sizes.bytesSinceSnapshot >= max(snapshotJournalBytes, snapshotBytes) ? .snapshot : nil
    }

    /// - Parameter sizes: after the failure: a compaction that failed may have written everything again by then.
    mutating func failed(_ sizes: JournalSizes) {
        retryAt = sizes.journalBytes + max(snapshotJournalBytes, sizes.liveBytes)
    }

    /// The journal is short again: what failed while it was long has no weight any more.
    mutating func compacted() { retryAt = 0 }
}
