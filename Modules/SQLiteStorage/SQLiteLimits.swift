/// Every bound of the SQLite store, with its unit in its name.
enum SQLiteLimits {
    /// Calls that share one transaction.
    static let groupRequestsMax = 1024
    /// Bytes of contents in one transaction of more than one call, so that its writes fit into the log.
    static let groupBytesMax = 4 << 20
    /// Connections for concurrent reads.
    static let readersMax = 4
    /// Seconds that a connection waits for another one's lock.
    static let busySecondsMax = 5.0
    /// Files up to this size are checked completely when they are opened; larger ones only where they are read.
    static let openCheckBytesMax: Int64 = 64 << 20
    /// Pages that the writer keeps in memory, once it has used them: a long backlog is delivered without reading its
    /// indexes again for each message. SQLite's own 2 MiB hold the indexes of a few thousand messages.
    static let writerCacheKibibytesMax = 32 << 10
    /// The size of the write-ahead log at which a commit is followed by copying it into the database and truncating it,
    /// which waits for the readers that use it. Below this size, it is copied beside the readers, and restarted when no
    /// reader uses it.
    static let logBytesMax = 16 << 20
    /// Frames of the log at which a commit is followed by copying it into the database, beside the readers.
    static let checkpointFrames = 1000
    /// The growth of the log before truncating it is tried again after a reader did not finish.
    static let logRetryBytes = 256 << 10
    /// Milliseconds that a commit waits for the readers that use the log before it is truncated.
    static let logBusyMillisecondsMax = 100
    /// Sequences that are reserved on disk ahead of their use.
    static let sequencesReservedMax: Int64 = 256
    /// Messages that a commit that changes many of them reads at once.
    static let rowsReadMax = 128
    /// Messages in each of the two generations of the writer's cache.
    static let cachedRowsMax = 2048
    /// Bytes of content in each of the two generations of the writer's cache.
    static let cachedRowBytesMax = 4 << 20
    /// Free pages that a commit gives back after it has dropped messages.
    static let releasedPagesMax = 256
    /// Pages that a copy of the database takes over at once.
    static let copyPages: Int32 = 1024
}
