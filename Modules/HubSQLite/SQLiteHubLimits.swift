/// The limits of the hub's database, with their units in their names.
package enum SQLiteHubLimits {
    /// Database connections for reading.
    package static let readersMax = 8
    /// Memory of the writer's page cache, which keeps the index of ids from being reread from the disk.
    static let writerCacheKibibytes = 32 * 1024
    /// Pages of 4 KiB in the write-ahead log before they are moved into the database.
    static let checkpointPages = 4000
    /// Bytes of the write-ahead log's file that are kept when it restarts: all that it usually has by then, because a
    /// sync costs more while the file grows. It is truncated when the hub is idle.
    static let logBytesKept = checkpointPages * 5 * 1024
    /// The size of the write-ahead log at which a commit is followed by copying it into the database and truncating it,
    /// which waits for the readers that use it. Below this size it is copied beside the readers, and restarted when no
    /// reader uses it, which overlapping readers prevent.
    package static let logBytesMax: Int64 = 64 << 20
    /// The growth of the log before truncating it is tried again after a reader did not finish.
    static let logRetryBytes: Int64 = 4 << 20
    /// Milliseconds that a commit waits for the readers that use the log before it is truncated.
    static let logBusyMillisecondsMax = 100
    /// Damaged messages and records that are counted and logged.
    static let damagedRowsMax = 1000
    /// How long a writer waits for another process that writes to the same database, such as `account add`.
    static let busySecondsMax = 5
    /// The pause after the first failed attempt to reopen the storage; each further one doubles it.
    static let recoverySecondsMin = 1
    /// How often that pause is doubled.
    static let recoveryDoublingsMax = 5
    /// The longest pause between two attempts.
    static let recoverySecondsMax = 30
}
