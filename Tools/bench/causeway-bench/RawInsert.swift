import CausewayModels
import CausewaySQLiteStorage
import CausewayStorage
import Foundation
import GRDB

/// The C program that does the store's work for a single creator.
struct RawInsert {
    let program: String
    let channel: ChannelID
    let text: String

    /// Inserts `count` messages into the new store in `folder`, and checks that the store accepts them as its own.
    ///
    /// - Returns: seconds, without the start of the program.
    func seconds(toInsert count: Int, in folder: String, _ durability: Durability) async throws -> Double {
        // The store creates its own tables and indexes.
        try await opened(folder, durability) { _ in }
        try await removeChecksums(of: folder + "/store.sqlite")
        let content = String(decoding: try ContentCoding.encode(.text(text)), as: UTF8.self)
        let seconds = try run([
            folder + "/store.sqlite", durability.rawValue, String(count), channel.value, "bench", content,
        ])
        try await opened(folder, durability) { store in try await check(store, count) }
        return seconds
    }

    /// Replaces a new store by one without checksums of its pages, which a plain program does not write: the store adds
    /// them when it opens it.
    private func removeChecksums(of path: String) async throws {
        let plain = path + ".plain"
        let queue = try DatabaseQueue(path: plain)
        try await queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
            try db.execute(sql: "ATTACH ? AS store", arguments: [path])
            for name in ["application_id", "user_version"] {
                let value = try Int.fetchOne(db, sql: "PRAGMA store.\(name)") ?? 0
                try db.execute(sql: "PRAGMA main.\(name) = \(value)")
            }
            let own = "FROM store.sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"
            for sql in try String.fetchAll(db, sql: "SELECT sql \(own) ORDER BY type = 'index'") {
                try db.execute(sql: sql)
            }
            for table in try String.fetchAll(db, sql: "SELECT name \(own) AND type = 'table'") {
                try db.execute(sql: "INSERT INTO main.\"\(table)\" SELECT * FROM store.\"\(table)\"")
            }
            try db.execute(sql: "DETACH store")
        }
        try queue.close()
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: plain, toPath: path)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    private func opened(
        _ folder: String, _ durability: Durability, _ body: (SQLiteStore) async throws -> Void
    ) async throws {
        let store = try await SQLiteStore.open(at: folder, durability: durability)
        do {
            try await body(store)
            await store.close()
        } catch {
            await store.close()
            throw error
        }
    }

    private func check(_ store: SQLiteStore, _ count: Int) async throws {
        let failure = Failure(reason: .sessionEnded, code: "", detail: "", at: Timestamp(milliseconds: 0))
        let outbox = try await store.start(
            StartOptions(restart: .resume, failure: failure, newOutboxID: OutboxID(UUIDv7(high: 1, low: 1))))
        let page = try await store.page(MessageQuery(scope: .undelivered, direction: .descending, limit: 1))
        guard outbox.entries.count == count, Set(outbox.entries.map(\.message)).count == count,
            let last = page.messages.first, last.content == .text(text), last.channel == channel, last.lane == .text,
            last.syncState == .created, last.ordinal == count, last.laneSequence == count, last.serverPosition == nil
        else { throw BenchError("raw-insert.c does not write what the store would: its schema has changed") }
    }

    private func run(_ arguments: [String]) throws -> Double {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
        let printed = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let text = String(decoding: printed, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard process.terminationStatus == 0, let seconds = Double(text) else {
            throw BenchError("\(program) failed")
        }
        return seconds
    }
}
