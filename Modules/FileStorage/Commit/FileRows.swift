import CausewayModels
import CausewayStorage
import Foundation

/// The rows of a file store, for ``MutationApplier``: every write is a record in the frames of the transaction and a
/// change of the index.
///
/// The changes are made on the index at once, so that the next call reads them, and taken back by ``rollback()`` before
/// the disk is written: until it has confirmed, no query may see them.
struct FileRows: StoreRows {
    typealias Failure = StoreError

    var index = FileIndex()
    var buffer: FrameBuffer
    var cache = RowCache()
    var hasStarted = false
    /// The changes of the transaction so far, and those that take them back.
    private(set) var changes: [IndexChange] = []
    private var inverse: [IndexChange] = []
    /// Content in a journal file below this number is repeated, because compaction is about to remove the file.
    let oldestKept: UInt32
    /// The counter as the journal has it.
    private var storedCounter: Int64
    let reader: RecordReader
    /// The synced items by ordinal, while ``page(of:after:)`` walks through them.
    let syncedWalk = SyncedWalk()

    /// - Parameter index: swapped in afterwards; its counter is `counter`.
    init(_ files: JournalFiles, _ buffer: FrameBuffer, counter: Int64, oldestKept: UInt32) {
        self.buffer = buffer
        self.oldestKept = oldestKept
        reader = RecordReader(files.all, files.names)
        storedCounter = counter
    }

    // MARK: Transactions

    struct Mark {
        fileprivate var buffer: FrameBuffer.Mark
        fileprivate var changes: Int
        fileprivate var counter: Int64
    }

    var mark: Mark { Mark(buffer: buffer.mark, changes: changes.count, counter: storedCounter) }

    /// Takes back what a failed call has done.
    mutating func revert(to mark: Mark) {
        while inverse.count > mark.changes, let last = inverse.popLast() { index.apply(last) }
        changes.removeSubrange(mark.changes...)
        buffer.revert(to: mark.buffer)
        storedCounter = mark.counter
        cache.forgetAll()
    }

    /// Takes back all changes of the index; ``changes`` applies them again.
    mutating func rollback() {
        while let last = inverse.popLast() { index.apply(last) }
    }

    /// Writes the counter, if it has changed.
    mutating func storeCounter() throws(StoreError) {
        guard index.nextSequence != storedCounter else { return }
        try RowCoding.write(counter: index.nextSequence, to: &buffer)
        storedCounter = index.nextSequence
    }

    mutating func apply(_ change: IndexChange) {
        inverse.append(index.apply(change))
        changes.append(change)
    }

    var accountNumber: Int { index.common.current }

    // MARK: Chains

    var nextSequence: Int64 {
        get { index.nextSequence }
        set { apply(.counter(newValue)) }
    }

    func entries() throws(StoreError) -> [OutboxEntry] { try OutboxParts(index).entries(fields(of:)) }

    func outboxSnapshot() throws(StoreError) -> OutboxSnapshot { try OutboxParts(index).snapshot(fields(of:)) }

    func marker(at sequence: Int64) -> ChainMarker? { index.current.markers[sequence] }

    mutating func setMarker(_ marker: ChainMarker?, at sequence: Int64) throws(StoreError) {
        try RowCoding.write(marker, at: sequence, accountNumber, to: &buffer)
        apply(.marker(account: accountNumber, sequence, marker))
    }

    mutating func setLastTransmitted(_ lane: LaneID, _ sequence: Int64) throws(StoreError) {
        try RowCoding.write(lane, sequence, accountNumber, to: &buffer)
        apply(.lane(account: accountNumber, lane, sequence))
    }

    mutating func removeChains() throws(StoreError) {
        let account = accountNumber
        _ = try buffer.append(.chainsRemoval) { bytes in bytes.append(1, Int64(account)) }
        apply(.chains(account: account, [:], [:]))
    }

    // MARK: The account

    var account: Account? { index.current.account }

    mutating func enter(_ account: Account, newOutboxID: OutboxID) throws(StoreError) {
        guard index.current.account != nil else {
            return try setAccount(accountNumber, account, index.current.outbox)
        }
        var number = index.newAccountNumber
        if let known = index.number(of: account) {
            number = known
            if index.accounts[number].outbox.id == nil {
                var outbox = index.accounts[number].outbox
                outbox.id = newOutboxID
                try setAccount(number, account, outbox)
            }
        } else {
            try setAccount(number, account, OutboxRecord(id: newOutboxID))
        }
        var common = index.common
        common.current = number
        try setCommon(common)
        cache.forgetAll()
    }

    private mutating func setAccount(
        _ number: Int, _ account: Account?, _ outbox: OutboxRecord
    ) throws(StoreError) {
        try RowCoding.write(account, outbox, number, to: &buffer)
        apply(.account(number, account, outbox))
    }

    private mutating func setCommon(_ common: StoreState) throws(StoreError) {
        try RowCoding.write(common, to: &buffer)
        apply(.common(common))
    }

    mutating func eraseAccount() throws(StoreError) {
        let items = index.current.items
        for slot in 0..<ItemTable.Slot(items.slotCount) where !items[slot].isFree {
            try remove(MessageID(items[slot].id))
        }
        // In a fixed order: the same calls give the same journal.
        let records = index.current.records.stored.sorted { $0.value.location.packed < $1.value.location.packed }
        for (identity, _) in records { try remove(identity) }
        for sequence in index.current.deletions.stored.keys.sorted() { try removeDeletion(sequence) }
        try removeChains()
        cache.forgetAll()
    }

    func session() -> Session? { index.common.session }

    mutating func setSession(_ session: Session) throws(StoreError) {
        var common = index.common
        common.session = session
        try setCommon(common)
    }

    var outbox: OutboxRecord { index.outbox }

    mutating func setOutbox(_ outbox: OutboxRecord) throws(StoreError) {
        var common = index.common
        common.epoch = outbox.epoch
        common.openedAt = outbox.lineage.openedAt
        common.sharedBelow = outbox.lineage.sharedBelow
        if common != index.common { try setCommon(common) }
        if outbox != self.outbox || index.current.outbox.id != outbox.id {
            try setAccount(accountNumber, index.current.account, outbox)
        }
    }
}

extension FileIndex {
    /// The outbox of the current account, with what is common to all accounts.
    var outbox: OutboxRecord {
        var outbox = current.outbox
        outbox.epoch = common.epoch
        outbox.lineage.openedAt = common.openedAt
        outbox.lineage.sharedBelow = common.sharedBelow
        return outbox
    }
}
