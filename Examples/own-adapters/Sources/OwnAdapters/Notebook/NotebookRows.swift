package import Causeway
internal import Foundation

/// The rows of a small store of its own: everything in memory, and in one file of JSON lines.
///
/// ```swift
/// let store = RowStore(try NotebookRows(path: "notebook.jsonl"))
/// ```
///
/// Cost: a commit writes the whole file anew, and most lookups look at every row, so it is for some hundred messages.
/// That is deliberate: one atomic replacement needs no journal, no repair after a torn write and no compaction, which
/// are most of a store that appends. A store for more messages appends the rows that a commit changed.
/// It keeps what it acknowledged over the end of the process, as ``Durability/normal`` says; it does not wait for the
/// disk, and nothing keeps a second process from the file.
package struct NotebookRows: CommittingRows {
    /// The rows of one account.
    struct Section {
        var account: Account?
        var outbox = OutboxRecord()
        var items: [OperationID: ItemRow] = [:]
        var markers: [Int64: ChainMarker] = [:]
        var lastTransmitted: [LaneID: Int64] = [:]
        /// By ascending sequence.
        var deletions: [DeleteAction] = []
        var records: [RecordName: StoredRecord] = [:]
    }

    struct RecordName: Hashable {
        var kind: RecordKind
        var id: String
    }

    struct Contents {
        /// The section of the current account.
        var section = Section()
        var others: [Account: Section] = [:]
        var nextSequence: Int64 = 1
        var session: Session?
    }

    package let path: String
    var contents = Contents()
    /// The contents of the file.
    private var committed = Contents()

    /// Reads the file; one that does not exist yet is empty.
    package init(path: String) throws(StoreError) {
        self.path = path
        guard FileManager.default.fileExists(atPath: path) else { return }
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw .notAccessible(path: path, detail: "it cannot be read")
        }
        var restorer = EntryRestorer()
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
            guard let entry = StoreEntry(line: line) else {
                throw .damaged(path: path, detail: "line \(index + 1) is no entry")
            }
            try restorer.restore(entry, to: &self)
        }
        try restorer.finish(&self)
        committed = contents
    }

    /// Replaces the file by another one, which happens as a whole or not at all.
    package mutating func commit(_ durability: Durability) throws(StoreError) {
        var lines = Data()
        for entry in contents.entries {
            lines += try entry.encodedLine()
            lines.append(UInt8(ascii: "\n"))
        }
        do {
            try lines.write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw .notAccessible(path: path, detail: "\(error)")
        }
        committed = contents
    }

    package mutating func rollBack() { contents = committed }
}

extension NotebookRows.Contents {
    /// Everything as a stream: the common values, then account after account.
    fileprivate var entries: [StoreEntry] {
        let outbox = section.outbox
        let header = StoreHeader(
            epoch: outbox.epoch, nextSequence: nextSequence, sharedBelow: outbox.lineage.sharedBelow, session: session,
            current: section.account)
        return [.header(header)] + ([section] + others.values).flatMap(\.entries)
    }
}

extension NotebookRows.Section {
    fileprivate var entries: [StoreEntry] {
        var entries: [StoreEntry] = [.account(AccountEntry(account, outbox))]
        entries += lastTransmitted.map { .lane($0.key, lastTransmitted: $0.value) }
        entries += markers.values.map { .marker($0) }
        entries += items.values.map { .item($0.item) }
        entries += records.values.map { .record($0) }
        entries += deletions.map { .deletion($0) }
        return entries
    }
}
