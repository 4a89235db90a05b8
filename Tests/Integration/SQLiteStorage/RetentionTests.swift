import CausewayModels
import CausewaySQLiteChecksums
import CausewaySQLiteStorage
import CausewayStorage
import CausewayTestSupport
import Foundation
import GRDB
import Testing

/// Dropped messages give back their room.
struct RetentionTests {
    private static let count = 2_000

    private func session() throws -> Session {
        Session(
            id: SessionID(Sample.id(1, high: 0x7111).value), server: "https://chat.example",
            user: try #require(UserID("ada")), startedAt: Timestamp(milliseconds: 1))
    }

    private func remote(_ number: Int, bytes: Int) throws -> RemoteMessage {
        RemoteMessage(
            id: Sample.id(number), channel: try #require(ChannelID("general")), sender: try #require(UserID("grace")),
            content: .text(String(repeating: "x", count: bytes)), createdAt: Timestamp(milliseconds: 1),
            serverPosition: ServerPosition(position: Int64(number + 1), acceptedAt: Timestamp(milliseconds: 1)))
    }

    private func open(_ path: String) async throws -> SQLiteStore {
        let store = try await SQLiteStore.open(at: path, durability: .normal)
        _ = try await store.start(Sample.opening())
        return store
    }

    private func fill(_ store: SQLiteStore, _ range: Range<Int>, bytes: Int) async throws {
        try await store.commit([.saveSession(try session())])
        for first in stride(from: range.lowerBound, to: range.upperBound, by: 500) {
            let part = try (first..<min(first + 500, range.upperBound)).map { try remote($0, bytes: bytes) }
            try await store.commit(part.map { .merge($0, at: Timestamp(milliseconds: 1)) })
        }
    }

    private func prune(_ store: SQLiteStore, _ range: Range<Int>) async throws {
        try await store.commit([.prune(range.map { Sample.id($0) }, of: try session().account)], durability: .normal)
    }

    /// The bytes of the closed database, and its free pages.
    private func room(_ path: String) async throws -> (bytes: Int, free: Int) {
        let database = try DatabaseQueue(path: PageChecksums.address(of: path + "/store.sqlite"))
        let free = try await database.read { try Int.fetchOne($0, sql: "PRAGMA freelist_count") }
        try database.close()
        let attributes = try FileManager.default.attributesOfItem(atPath: path + "/store.sqlite")
        return (try #require(attributes[.size] as? Int), try #require(free))
    }

    @Test func theFileShrinks() async throws {
        let path = try TemporaryFolder(.memory).fresh()
        var store = try await open(path)
        try await fill(store, 0..<Self.count, bytes: 1000)
        await store.close()
        let before = try await room(path)
        store = try await open(path)
        for first in stride(from: 0, to: Self.count - 200, by: 100) { try await prune(store, first..<first + 100) }
        await store.close()
        let after = try await room(path)
        #expect(after.bytes < before.bytes / 4, "\(before) \(after)")
        #expect(after.free == 0)
        store = try await open(path)
        #expect(try await store.messages((0..<Self.count).map { Sample.id($0) }).count == 200)
        await store.close()
    }

    /// However much is dropped at once, one commit moves few pages.
    @Test func oneCommitGivesBackABoundedPart() async throws {
        let path = try TemporaryFolder(.memory).fresh()
        let store = try await open(path)
        try await fill(store, 0..<100, bytes: 60_000)
        let before = try await pages(path)
        try await prune(store, 0..<60)
        let after = try await pages(path)
        #expect(before.all - after.all == 256 && after.free > 500, "\(before) \(after)")
        for _ in 0..<4 { try await prune(store, 0..<1) }
        #expect(try await pages(path).free == 0)
        await store.close()
    }

    /// The pages as a reader of the open store sees them.
    private func pages(_ path: String) async throws -> (all: Int, free: Int) {
        let reader = try DatabaseQueue(path: PageChecksums.address(of: path + "/store.sqlite"))
        defer { try? reader.close() }
        return try await reader.read { db in
            (
                try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0,
                try Int.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0
            )
        }
    }

    /// Its free pages serve new messages; it can shrink once it was compacted.
    @Test func aDatabaseOfAnEarlierVersionShrinksOnceItWasCompacted() async throws {
        let path = try TemporaryFolder(.memory).fresh()
        var store = try await open(path)
        try await fill(store, 0..<600, bytes: 1000)
        await store.close()
        let database = try DatabaseQueue(path: PageChecksums.address(of: path + "/store.sqlite"))
        try await database.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA auto_vacuum = NONE")
            try db.execute(sql: "VACUUM")
        }
        try database.close()
        let before = try await room(path)
        store = try await open(path)
        try await prune(store, 0..<200)
        await store.close()
        let pruned = try await room(path)
        #expect(pruned.bytes >= before.bytes && pruned.free > 40, "\(before) \(pruned)")
        store = try await open(path)
        try await store.compact { _ in }
        try await prune(store, 200..<500)
        await store.close()
        let compacted = try await room(path)
        #expect(compacted.bytes < before.bytes / 3 && compacted.free == 0, "\(before) \(compacted)")
    }
}
