/// Every bound of the SQLite store, with its unit in its name.
enum SQLiteLimits {
    /// Calls that share one transaction.
    static let groupCallsMax = 1024
    /// Bytes of contents in one transaction of more than one call: what it writes has room in the log.
    static let groupBytesMax = 4 << 20
    /// Connections that read at the same time.
    static let readersMax = 4
    /// How long a connection waits for another one's lock.
    static let busySecondsMax = 5.0
    /// Files up to this size are checked as a whole when they are opened; larger ones where they are read.
    static let openCheckBytesMax: Int64 = 64 << 20
    /// Pages that the writer keeps in memory, once it has used them: a long backlog is worked off without reading its
    /// indexes again for each message. SQLite's own 2 MiB hold the indexes of a few thousand.
    static let writerCacheKibibytesMax = 32 << 10
    /// The size of the write-ahead log from which on a commit is followed by copying it into the database and cutting
    /// it, which waits for the readers that use it. Below, it is copied beside the readers, and begun anew when none
    /// uses it.
    static let logBytesMax = 16 << 20
    /// How much the log grows before cutting it is tried again when a reader would not end.
    static let logRetryBytes = 256 << 10
    /// How long a commit waits for the readers that use the log before it is cut.
    static let logBusyMillisecondsMax = 100
    /// Sequences that are written down as handed out ahead of their use.
    static let sequencesReservedMax: Int64 = 256
    /// Messages that the writer remembers in one generation, of two.
    static let recentMessagesMax = 2048
    /// Bytes of content that the writer remembers in one generation, of two.
    static let recentBytesMax = 4 << 20
}
