import CausewayModels
import CausewayStorage

/// Compaction: everything that is still needed is written again at the end of the journal, a frame at a time between
/// the commits, and the files before it are removed after a snapshot.
///
/// A moved record is an ordinary record of the journal, so recovery knows nothing of compaction, and one that was
/// interrupted has only wasted room. A damaged record is replaced by what stands in for it, and stops nothing.
enum Compaction {
    /// Where the next step continues.
    struct Cursor: Sendable, Equatable {
        enum Phase: Sendable { case items, records, deletions }

        var account = 0
        var phase = Phase.items
        var slot = 0
    }

    /// Moves records out of the files before `oldestKept`, until a frame is full.
    ///
    /// - Returns: where to continue; `nil` if nothing is left.
    static func step(_ rows: inout FileRows, from cursor: Cursor) throws(StoreError) -> Cursor? {
        guard rows.index.accounts.indices.contains(cursor.account) else { return nil }
        var next = cursor
        let isDone =
            switch cursor.phase {
            case .items: try moveItems(&rows, &next)
            case .records: try moveRecords(&rows, cursor.account)
            case .deletions: try moveDeletions(&rows, cursor.account)
            }
        guard isDone else { return next }
        switch cursor.phase {
        case .items: return Cursor(account: cursor.account, phase: .records)
        case .records: return Cursor(account: cursor.account, phase: .deletions)
        case .deletions:
            let account = cursor.account + 1
            return rows.index.accounts.indices.contains(account) ? Cursor(account: account) : nil
        }
    }

    /// The part of the items that precede a cursor, from 0 to 1; records and deletions are few beside them.
    ///
    /// Cost: linear in the number of accounts.
    static func done(at cursor: Cursor, in index: FileIndex) -> Double {
        let counts = index.accounts.map { $0.items.slotCount }
        let passed = counts.prefix(cursor.account).reduce(0, +)
        let here = counts.indices.contains(cursor.account) ? counts[cursor.account] : 0
        let all = max(1, counts.reduce(0, +))
        return Double(passed + (cursor.phase == .items ? min(cursor.slot, here) : here)) / Double(all)
    }

    private static func isFull(_ rows: FileRows, since bytes: Int) -> Bool {
        rows.buffer.bytes.count - bytes >= FileLimits.compactionStepBytes
    }

    /// - Returns: true after the last item.
    private static func moveItems(_ rows: inout FileRows, _ cursor: inout Cursor) throws(StoreError) -> Bool {
        let before = rows.buffer.bytes.count
        let end = rows.index.accounts[cursor.account].items.slotCount
        let stop = min(end, cursor.slot + FileLimits.compactionStepItems)
        while cursor.slot < stop, !isFull(rows, since: before) {
            let entry = rows.index.accounts[cursor.account].items[ItemTable.Slot(cursor.slot)]
            if !entry.isFree, entry.location.file < rows.oldestKept { try rows.move(entry, in: cursor.account) }
            cursor.slot += 1
        }
        return cursor.slot >= end
    }

    private static func moveRecords(_ rows: inout FileRows, _ account: Int) throws(StoreError) -> Bool {
        let stored = rows.index.accounts[account].records.stored
        let (batch, isAll) = batch(of: stored, before: rows.oldestKept, \.value.location)
        for (identity, entry) in batch { try rows.move(identity, entry, in: account) }
        return isAll
    }

    private static func moveDeletions(_ rows: inout FileRows, _ account: Int) throws(StoreError) -> Bool {
        let stored = rows.index.accounts[account].deletions.stored
        let (batch, isAll) = batch(of: stored, before: rows.oldestKept, \.value.location)
        for (sequence, entry) in batch { try rows.move(sequence, entry, in: account) }
        return isAll
    }

    /// Entries with records in the files before `oldestKept`, as many as one step moves, in the order of their records:
    /// what fits into one step is always written in the same order.
    private static func batch<Entries: Sequence>(
        of entries: Entries, before oldestKept: UInt32, _ location: (Entries.Element) -> RecordLocation
    ) -> (batch: [Entries.Element], isAll: Bool) {
        var batch: [Entries.Element] = []
        var bytes = 0
        for entry in entries where location(entry).file < oldestKept {
            if bytes >= FileLimits.compactionStepBytes { return (batch.inOrder(location), false) }
            batch.append(entry)
            bytes += Int(location(entry).length)
        }
        return (batch.inOrder(location), true)
    }
}

extension Array {
    fileprivate func inOrder(_ location: (Element) -> RecordLocation) -> [Element] {
        sorted { location($0).packed < location($1).packed }
    }
}

extension FileRows {
    fileprivate mutating func move(
        _ identity: RecordIndex.Identity, _ entry: RecordIndex.Entry, in account: Int
    ) throws(StoreError) {
        let record = try reader.record(identity, entry)
        let location = try RowCoding.write(record, account, to: &buffer)
        apply(
            .record(
                account: account, identity, .init(version: record.version, entries: entry.entries, location: location)))
    }

    fileprivate mutating func move(
        _ sequence: Int64, _ entry: DeletionIndex.Entry, in account: Int
    ) throws(StoreError) {
        let action: DeleteAction?
        do throws(StoreError) { action = try reader.deletion(entry) } catch {
            guard case .damaged = error else { throw error }
            action = nil
        }
        let location: RecordLocation
        if let action {
            location = try RowCoding.write(action, account, to: &buffer)
        } else {
            // The message stays deleted; the details are lost.
            location = try RowCoding.write(deletion: sequence, of: entry.message, account, to: &buffer)
        }
        apply(.deletion(account: account, sequence, .init(message: entry.message, location: location)))
    }
}
