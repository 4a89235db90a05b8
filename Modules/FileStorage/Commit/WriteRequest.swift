import CausewayModels
import CausewayStorage

/// The writes of one call of ``Store``, or of one step of compaction.
struct WriteRequest: Sendable {
    enum Value: Sendable {
        case done
        case item(StoredItem)
        case outbox(OutboxSnapshot)
        /// Where the next step of compaction continues; `nil` after the last.
        case step(Compaction.Cursor?)
    }

    enum Work: Sendable {
        case write(@Sendable (inout MutationApplier<FileRows>) throws(StoreError) -> Value)
        /// Runs between two transactions, alone.
        case exclusive(@Sendable (inout JournalState) throws(StoreError) -> Void)
    }

    /// The size of the contents that it writes.
    var bytes = 0
    /// True for a write that changes nothing that a query can see: the feed does not report it.
    var isSilent = false
    /// Whether its caller waits for the disk, in a store that does.
    var durability = Durability.full
    var work: Work

    init(
        bytes: Int = 0, isSilent: Bool = false, durability: Durability = .full,
        _ write: @escaping @Sendable (inout MutationApplier<FileRows>) throws(StoreError) -> Value
    ) {
        self.bytes = bytes
        self.isSilent = isSilent
        self.durability = durability
        work = .write(write)
    }

    init(exclusive: @escaping @Sendable (inout JournalState) throws(StoreError) -> Void) {
        work = .exclusive(exclusive)
    }

    var isExclusive: Bool { if case .exclusive = work { true } else { false } }
}
