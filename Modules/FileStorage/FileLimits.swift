/// Every bound of the file store, with its unit in its name.
enum FileLimits {
    /// Calls that share one write and one sync.
    static let groupRequestsMax = 1024
    /// Bytes of contents in one group of more than one call.
    static let groupBytesMax = 4 << 20
    /// The size of a frame's payload at which the next record begins another frame.
    static let framePayloadBytes = 1 << 20
    /// Bytes of one record, the largest message included.
    static let recordBytesMax = 4 << 20
    /// Bytes of the payload of one frame: it may exceed ``framePayloadBytes`` by one record.
    static let framePayloadBytesMax = framePayloadBytes + recordBytesMax + Record.headerBytes
    /// The size of a journal file at which the next commit begins another file.
    static let journalBytesMax: Int64 = 256 << 20
    /// Zeros that are written behind the last frame at once, under `full`, to be overwritten by the next ones.
    static let journalBytesAhead = 256 << 10
    /// The offsets and the file numbers that a location can express.
    static let fileBytesMax: Int64 = 1 << 40
    static let fileNumberMax: UInt32 = 1 << 24 - 1
    /// Bytes of the journal after a snapshot before the next one is written, unless the snapshot is larger than that.
    static let snapshotJournalBytes: Int64 = 8 << 20
    /// Bytes of the journal below which it is not compacted.
    static let compactionBytesMin: Int64 = 32 << 20
    /// Bytes of records that compaction moves in one frame; every commit may come between two of them.
    static let compactionStepBytes = 256 << 10
    /// Items that one step of compaction looks at.
    static let compactionStepItems = 4096
    /// Bytes of the journal that are read at once, for records that follow one another.
    static let readWindowBytes = 64 << 10
    /// Items that a commit that changes many of them reads at once.
    static let rowsReadMax = 128
    /// Items in each of the two generations of the writer's cache.
    static let cachedRowsMax = 2048
    /// Bytes of content in each of the two generations of the writer's cache.
    static let cachedRowBytesMax = 4 << 20
    /// Contents up to this size are repeated in each state of their item; larger ones are written once.
    static let repeatedContentBytesMax = 128
    /// Bytes that a copy of the store reads and writes at once.
    static let copyPartBytes = 1 << 20
}
