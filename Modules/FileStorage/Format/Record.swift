/// One row of the store in a frame: four bytes of length, four of CRC-32C over the body, and the body, which is a byte
/// for the kind followed by fields.
enum Record {
    static let headerBytes = 8

    /// The meaning of a number never changes.
    enum Kind: UInt8, CaseIterable {
        /// The first record of each journal file.
        case file = 1
        /// A message or an operation in its present state.
        case item = 2
        case itemRemoval = 3
        /// A control entry of a chain; without a kind it is removed.
        case marker = 4
        /// The sequence that was last transmitted in a lane.
        case lane = 5
        /// Removes all control entries and last sequences of an account.
        case chainsRemoval = 6
        case account = 7
        /// The state that all accounts have in common.
        case common = 8
        /// The next number of the store's counter.
        case counter = 9
        case record = 10
        case recordRemoval = 11
        /// Sets the versions of all records of an account to 0.
        case recordVersionsReset = 12
        case deletion = 13
        case deletionRemoval = 14

        // Only in snapshots.
        case snapshotStart = 32
        case snapshotChannels = 33
        case snapshotItems = 34
        case snapshotRelations = 35
        case snapshotRecord = 36
        case snapshotDeletion = 37
        case snapshotEnd = 38
    }
}

/// Where a record begins, and how many bytes it has with its header.
struct RecordLocation: Sendable, Hashable {
    var file: UInt32
    var offset: Int64
    var length: UInt32

    init(file: UInt32, offset: Int64, length: UInt32) {
        self.file = file
        self.offset = offset
        self.length = length
    }

    /// File and offset in one word.
    init(packed: UInt64, length: UInt32) {
        file = UInt32(truncatingIfNeeded: packed >> 40)
        offset = Int64(packed & (1 << 40 - 1))
        self.length = length
    }

    var packed: UInt64 { UInt64(file) << 40 | UInt64(bitPattern: offset) }
}
