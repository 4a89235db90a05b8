import CausewayModels
import CausewaySQLiteStorage
import CausewayStorage
import Foundation

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
        let content = String(decoding: try ContentCoding.encode(.text(text)), as: UTF8.self)
        let seconds = try run([
            folder + "/store.sqlite", durability.rawValue, String(count), channel.value, "bench", content,
        ])
        try await opened(folder, durability) { store in try await check(store, count) }
        return seconds
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
