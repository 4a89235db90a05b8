import CausewayModels
import CausewaySQLiteChecksums
import CausewayStorage
import CausewaySystem
import Foundation
import GRDB

/// Fills a new store in SQLite. Nothing of it is durable before ``finish()``.
final class SQLiteWriter: StoreWriter {
    private let folder: StoreFolder
    private let queue: DatabaseQueue
    private var counters = CommitCounters()
    private var restorer = EntryRestorer()
    private var nextSequence: Int64 = 1

    init(_ folder: StoreFolder) throws(StoreError) {
        self.folder = folder
        try folder.create()
        guard try folder.size(of: folder.database) == nil else {
            throw .notAccessible(path: folder.path, detail: "it contains a store already")
        }
        try StoreSchema.create(folder)
        let path = folder.database
        let opened = try StoreError.catching(path) {
            let queue = try DatabaseQueue(path: PageChecksums.address(of: path))
            try queue.writeWithoutTransaction { db in
                // A crash leaves an incomplete store, which is made anew: only the end has to be durable.
                try db.execute(sql: "PRAGMA synchronous = OFF")
                try db.execute(sql: "PRAGMA cache_size = -\(SQLiteLimits.writerCacheKibibytesMax)")
            }
            let counters = try queue.write { db in
                var rows = SQLiteRows(db, CommitCounters())
                try rows.load()
                return rows.counters
            }
            return (queue: queue, counters: counters)
        }
        queue = opened.queue
        counters = opened.counters
    }

    func append(_ entries: [StoreEntry]) throws(StoreError) {
        try write { rows, restorer in
            for entry in entries { try restorer.restore(entry, to: &rows) }
        }
    }

    func finish() throws(StoreError) {
        try write { rows, restorer in
            try restorer.finish(&rows)
            // Exactly what the stream names: another copy of it has the same numbers.
            try rows.execute("UPDATE store SET next_sequence = ? WHERE id = 1", [rows.counters.nextSequence])
        }
        try StoreError.catching(folder.database) {
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA synchronous = FULL")
                _ = try Row.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            }
            try queue.close()
        }
        do throws(SystemError) {
            try OpenFile(folder.database, for: .readingAndWriting).sync()
            try FileSystem.syncFolder(folder.path)
        } catch {
            throw .syncFailed(detail: "\(folder.database): \(error)")
        }
    }

    private func write(_ body: (inout SQLiteRows, inout EntryRestorer) throws -> Void) throws(StoreError) {
        let (counters, restorer) = (counters, restorer)
        let done = try StoreError.catching(folder.database) {
            try queue.write { db in
                var rows = SQLiteRows(db, counters)
                var restorer = restorer
                try body(&rows, &restorer)
                return (counters: rows.counters, restorer: restorer)
            }
        }
        self.counters = done.counters
        self.restorer = done.restorer
    }
}

extension SQLiteRows {
    /// The insertion writes the columns that a new item has; the others follow as changes.
    mutating func restore(_ item: StoredItem, content: Data) throws {
        try insert(item, content: content)
        guard case .message(var old) = item else { return }
        // Anything that differs makes the update write it.
        if old.confirmed != nil {
            old.displayed = MessageBody(content: item.sentContent)
            old.confirmed = nil
        }
        let isPlain =
            old.confirmed == nil && item.message?.confirmed == nil && item.delivery.history.isEmpty
            && item.queuedAt == item.createdAt
        if !isPlain { _ = try update(ItemRow(item: .message(old), bytes: content.count), to: item, content: content) }
    }
}
