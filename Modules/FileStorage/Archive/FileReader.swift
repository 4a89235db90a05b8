import CausewayModels
import CausewayStorage
import CausewaySystem

/// Reads a whole file store, through a disk that changes nothing.
final class FileReader: StoreReader {
    /// Bytes between two reports of progress.
    static let progressBytes: Int64 = 1 << 20

    let findings: StoreFindings
    private let files: JournalFiles
    private let index: FileIndex
    private let end: JournalPosition
    private let hasSnapshot: Bool
    /// Commits that the journal has lost, as the note of its end shows; `nil` if it has lost none.
    private let loss: String?

    init(_ disk: any Disk, _ names: StoreFiles) throws(StoreError) {
        files = JournalFiles(names)
        let opening: JournalOpening
        do throws(StoreError) {
            opening = try JournalOpening(disk, files, .normal, newStore: 1)
        } catch .syncFailed {
            // A store of which nothing was ever acknowledged would be made anew.
            throw .notAccessible(path: names.folder, detail: "it contains no complete store")
        }
        index = opening.index
        end = opening.state.writer.end
        let report = opening.report
        hasSnapshot = report.hasSnapshot
        loss = report.loss
        var bytes = end.offset + opening.state.formerBytes + opening.snapshotBytes
        bytes += report.bytesCut
        findings = StoreFindings(
            version: "format \(FrameHeader.version)", tornBytes: report.bytesCut,
            tornAt: report.cutFile.map { "\(names.path($0)) at byte \(report.cutAt)" }, bytes: bytes)
    }

    func close() { files.removeAll() }

    // MARK: Verification

    /// Verifies every frame of the journal, and that the index agrees with the records that it names.
    func verify(
        progress: (_ bytes: Int64) -> Void, _ problem: (StoreProblem) throws(StoreError) -> Void
    ) throws(StoreError) {
        if let loss {
            try problem(StoreProblem("journal", at: files.names.path(StoreFiles.journal(end.file)), loss))
        }
        try verifyFrames(progress, problem)
        if hasSnapshot { try verifyIndex(problem) }
        try verifyReplaced(problem)
    }

    /// Reports the records that compaction found damaged, and replaced by others without their content: they stop
    /// nothing, and no entry is read of them.
    private func verifyReplaced(_ problem: (StoreProblem) throws(StoreError) -> Void) throws(StoreError) {
        let reader = RecordReader(files.all, files.names)
        var replaced: [(location: RecordLocation, what: String)] = []
        for account in index.accounts {
            for (identity, stored) in account.records.stored {
                let isReplaced = try ifReadable { () throws(StoreError) in try reader.stored(stored).value.isEmpty }
                if isReplaced == true { replaced.append((stored.location, "\(identity.kind.value) \(identity.id)")) }
            }
            for (sequence, stored) in account.deletions.stored {
                let isReplaced = try ifReadable { () throws(StoreError) in try reader.deletion(stored) == nil }
                if isReplaced == true { replaced.append((stored.location, "deletion \(sequence)")) }
            }
        }
        for (location, what) in replaced.sorted(by: { $0.location.packed < $1.location.packed }) {
            try problem(unreadable(location, what, "it was damaged, and its content is lost"))
        }
    }

    /// `nil` if the record is damaged, which reading the entries reports.
    private func ifReadable<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value? {
        do throws(StoreError) { return try body() } catch {
            guard case .damaged = error else { throw error }
            return nil
        }
    }

    private func verifyFrames(
        _ progress: (_ bytes: Int64) -> Void, _ problem: (StoreProblem) throws(StoreError) -> Void
    ) throws(StoreError) {
        var last: FrameHeader?
        var (done, reported): (Int64, Int64) = (0, 0)
        for (number, file) in files.all.sorted(by: { $0.key < $1.key }) where number <= end.file {
            let name = StoreFiles.journal(number)
            var scanner = try FrameScanner(file, files.names, name)
            var offset: Int64 = 0
            let size = number == end.file ? end.offset : scanner.size
            while offset < size {
                let place = "\(files.names.path(name)) at byte \(offset)"
                guard case .success(let frame) = try scanner.frame(at: offset) else {
                    try problem(StoreProblem("frame", at: place, "the frame is unreadable"))
                    // The frames behind it cannot be found without its length.
                    break
                }
                if let last, frame.header.number != last.number + 1 || frame.header.store != last.store {
                    try problem(StoreProblem("frame", at: place, "the frame is not in its place"))
                }
                last = frame.header
                var records = RecordScanner(frame)
                do throws(FieldReader.Malformed) {
                    while try records.next() != nil {}
                } catch {
                    try problem(StoreProblem("unreadable", at: place, error.detail))
                }
                done += frame.end - offset
                offset = frame.end
                if done - reported >= Self.progressBytes {
                    progress(done)
                    reported = done
                }
            }
        }
    }

    private func verifyIndex(_ problem: (StoreProblem) throws(StoreError) -> Void) throws(StoreError) {
        let reader = RecordReader(files.all, files.names)
        for account in index.accounts {
            for slot in account.slots {
                let entry = account.expanded(slot)
                let location = account.items[slot].location
                let found: ItemEntry?
                do throws(StoreError) {
                    found = try Self.entry(try reader.fields(at: location), at: location)
                } catch {
                    // Reading the entries reports it.
                    continue
                }
                // Compared as far as the index keeps it.
                let kept = found.map { ItemEntry($0.compact(0), $0.channel, related: $0.related) }
                if kept != entry {
                    try problem(
                        StoreProblem(
                            "index", at: "\(files.names.path(StoreFiles.snapshot)), item \(MessageID(entry.id))",
                            "the index contradicts the item's record"))
                }
            }
        }
    }

    private static func entry(_ fields: ItemFields, at location: RecordLocation) throws(StoreError) -> ItemEntry? {
        do throws(FieldReader.Malformed) { return try ItemEntry(fields, at: location) } catch { return nil }
    }

    // MARK: Reading

    func read(
        _ entry: (StoreEntry) throws(StoreError) -> Void, problem: (StoreProblem) throws(StoreError) -> Void
    ) throws(StoreError) {
        let common = index.common
        try entry(
            .header(
                StoreHeader(
                    epoch: common.epoch, nextSequence: index.nextSequence, sharedBelow: common.sharedBelow,
                    session: common.session, current: index.current.account)))
        let accounts = index.accounts.enumerated()
            // An account that was never used: a store has a first one without a name.
            .filter { $0.offset == common.current || $0.element.account != nil }
            .sorted { AccountEntry.precedes($0.element.account, $1.element.account) }
        for (_, account) in accounts {
            try entry(.account(AccountEntry(account.account, account.outbox)))
            let lanes = account.lastTransmitted.sorted { left, right in
                left.key.rawValue.utf8.lexicographicallyPrecedes(right.key.rawValue.utf8)
            }
            for (lane, last) in lanes { try entry(.lane(lane, lastTransmitted: last)) }
            for (_, marker) in account.markers.sorted(by: { $0.key < $1.key }) { try entry(.marker(marker)) }
            try readItems(account, entry, problem)
            try readRecords(account, entry, problem)
        }
    }

    private func readItems(
        _ account: AccountIndex, _ entry: (StoreEntry) throws(StoreError) -> Void,
        _ problem: (StoreProblem) throws(StoreError) -> Void
    ) throws(StoreError) {
        let reader = RecordReader(files.all, files.names)
        let slots = account.slots.sorted { account.items[$0].ordinal < account.items[$1].ordinal }
        for wantsOperations in [false, true] {
            for slot in slots where account.items[slot].isOperation == wantsOperations {
                let found = account.items[slot]
                let row: ItemRow
                do throws(StoreError) {
                    row = try reader.row(at: found.location).row
                } catch {
                    guard case .damaged = error else { throw error }
                    try problem(unreadable(found.location, "item \(MessageID(found.id))", error))
                    continue
                }
                guard row.item.id.value == found.id else {
                    try problem(unreadable(found.location, "item \(MessageID(found.id))", nil))
                    continue
                }
                try entry(.item(row.item))
            }
        }
    }

    private func readRecords(
        _ account: AccountIndex, _ entry: (StoreEntry) throws(StoreError) -> Void,
        _ problem: (StoreProblem) throws(StoreError) -> Void
    ) throws(StoreError) {
        let reader = RecordReader(files.all, files.names)
        let records = account.records.stored.sorted { left, right in
            if left.key.kind == right.key.kind { return left.key.id.utf8.lexicographicallyPrecedes(right.key.id.utf8) }
            return left.key.kind.value.utf8.lexicographicallyPrecedes(right.key.kind.value.utf8)
        }
        for (identity, stored) in records {
            let place = "\(identity.kind.value) \(identity.id)"
            let record: StoredRecord
            do throws(StoreError) { record = try reader.stored(stored) } catch {
                guard case .damaged = error else { throw error }
                try problem(unreadable(stored.location, place, error))
                continue
            }
            guard record.kind == identity.kind, record.id == identity.id else {
                try problem(unreadable(stored.location, place, nil))
                continue
            }
            // Nothing of a record that compaction has replaced could be copied: see `verifyReplaced`.
            if !record.value.isEmpty { try entry(.record(record)) }
        }
        for (sequence, stored) in account.deletions.stored.sorted(by: { $0.key < $1.key }) {
            let action: DeleteAction?
            do throws(StoreError) { action = try reader.deletion(stored) } catch {
                guard case .damaged = error else { throw error }
                try problem(unreadable(stored.location, "deletion \(sequence)", error))
                continue
            }
            if let action { try entry(.deletion(action)) }
        }
    }

    private func unreadable(_ location: RecordLocation, _ what: String, _ error: StoreError?) -> StoreProblem {
        var detail = "the record is of another item"
        if case .damaged(_, let found)? = error { detail = found }
        return unreadable(location, what, detail)
    }

    private func unreadable(_ location: RecordLocation, _ what: String, _ detail: String) -> StoreProblem {
        let name = files.names.path(StoreFiles.journal(location.file))
        return StoreProblem("unreadable", at: "\(name) at byte \(location.offset), \(what)", detail)
    }
}

extension AccountIndex {
    /// The slots in use.
    fileprivate var slots: [ItemTable.Slot] {
        (0..<ItemTable.Slot(items.slotCount)).filter { !items[$0].isFree }
    }
}
