import CausewayModels
import CausewaySQLiteChecksums
import CausewaySQLiteStorage
import CausewayStorage
import CausewayTestSupport
import Foundation
import GRDB
import Synchronization
import Testing

struct LogTests {
    /// Each reader begins before the previous one ends: without being cut, the log would hold everything that was
    /// written. An attempt may fail if a reader is not scheduled; there are several more before the log is much longer.
    @Test func theLogIsBoundedWhileReadersOverlap() async throws {
        let folder = try TemporaryFolder(.memory)
        let path = folder.fresh()
        let bound = 1 << 20
        let store = try await SQLiteStore.open(
            at: path, durability: .normal, options: SQLiteOptions(logBytesMax: bound))
        _ = try await store.start(Sample.opening())
        let isOver = Mutex(false)
        let readers = Thread { Self.overlap(path + "/store.sqlite") { isOver.withLock { $0 } } }
        readers.start()
        let text = String(repeating: "x", count: 16_000)
        var (largest, written, last) = (0, 0, 0)
        for number in 0..<1000 {
            _ = try await store.enqueue(Sample.draft(number, text: text))
            let size = try FileManager.default.attributesOfItem(atPath: path + "/store.sqlite-wal")[.size] as? Int
            largest = max(largest, try #require(size))
            written += max(0, (size ?? 0) - last)
            last = size ?? 0
        }
        isOver.withLock { $0 = true }
        #expect(written > 16 * bound)
        #expect(largest < 8 * bound)
        await store.close()
    }

    /// While a reader does not end, the log cannot be cut: trying it again for each commit would delay each of them.
    @Test func aReaderThatDoesNotEndDelaysFewCommits() async throws {
        let folder = try TemporaryFolder(.memory)
        let path = folder.fresh()
        let seen = Statements()
        let store = try await SQLiteStore.open(
            at: path, durability: .normal, options: SQLiteOptions(logBytesMax: 100_000, trace: seen.add))
        _ = try await store.start(Sample.opening())
        let reader = try await Self.reader(of: path)
        let text = String(repeating: "x", count: 16_000)
        for number in 0..<60 { _ = try await store.enqueue(Sample.draft(number, text: text)) }
        let tries = seen.inOrder.count { $0.contains("wal_checkpoint(TRUNCATE)") }
        let bytes = try FileManager.default.attributesOfItem(atPath: path + "/store.sqlite-wal")[.size] as? Int
        let size = try #require(bytes)
        #expect(tries > 1 && tries <= size / (256 << 10) + 1, "\(tries) of 60 commits")
        try await reader.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
        try reader.close()
        await store.close()
    }

    /// Another connection, in the middle of a transaction that reads the store.
    private static func reader(of path: String) async throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.allowsUnsafeTransactions = true
        let reader = try DatabaseQueue(
            path: PageChecksums.address(of: path + "/store.sqlite"), configuration: configuration)
        try await reader.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN")
            _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM message")
        }
        return reader
    }

    /// The log is copied into the database after 1,000 pages and restarted; it need not be truncated for that.
    @Test func theLogIsBegunAnewWhenNobodyReads() async throws {
        let folder = try TemporaryFolder(.memory)
        let path = folder.fresh()
        let store = try await SQLiteStore.open(at: path, durability: .normal)
        _ = try await store.start(Sample.opening())
        let text = String(repeating: "x", count: 16_000)
        for number in 0..<600 { _ = try await store.enqueue(Sample.draft(number, text: text)) }
        let size = try FileManager.default.attributesOfItem(atPath: path + "/store.sqlite-wal")[.size] as? Int
        #expect(try #require(size) < 6 << 20, "600 messages of four pages and more, and copied every 1,000 pages")
        await store.close()
    }

    /// Otherwise the commits in a log that gets lost later would be missing without a word.
    @Test(arguments: Durability.allCases) func aStoreThatIsClosedNeedsNoLog(durability: Durability) async throws {
        let folder = try TemporaryFolder(.memory)
        let path = folder.fresh()
        for round in 0..<3 {
            let store = try await SQLiteStore.open(at: path, durability: durability)
            #expect(try await store.start(Sample.opening()).loss == nil)
            _ = try await store.enqueue(Sample.draft(round))
            // A reader's connection is closed after the writer's.
            #expect(try await store.messages((0...round).map { Sample.id($0) }).count == round + 1)
            await store.close()
            let log = try? FileManager.default.attributesOfItem(atPath: path + "/store.sqlite-wal")[.size] as? Int
            #expect(log ?? 0 == 0)
            try? FileManager.default.removeItem(atPath: path + "/store.sqlite-wal")
            try? FileManager.default.removeItem(atPath: path + "/store.sqlite-shm")
        }
    }

    /// A program that reads the store while it is closed keeps the log in use.
    @Test(arguments: Durability.allCases) func aLogThatIsLeftKeepsItsNote(durability: Durability) async throws {
        let folder = try TemporaryFolder(.memory)
        let path = folder.fresh()
        let store = try await SQLiteStore.open(at: path, durability: durability)
        _ = try await store.start(Sample.opening())
        _ = try await store.enqueue(Sample.draft(1))
        let reader = try await Self.reader(of: path)
        _ = try await store.enqueue(Sample.draft(2))
        await store.close()
        try await reader.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
        try reader.close()
        let kept = folder.fresh()
        try FileManager.default.copyItem(atPath: path, toPath: kept)
        for (path, isWhole) in [(kept, true), (path, false)] {
            if !isWhole { try FileManager.default.removeItem(atPath: path + "/store.sqlite-wal") }
            let store = try await SQLiteStore.open(at: path, durability: durability)
            let loss = try await store.start(Sample.opening()).loss
            #expect(loss?.contains("lost commits") == (isWhole ? nil : true), "\(loss ?? "nothing")")
            #expect(try await store.messages([Sample.id(2)]).count == (isWhole ? 1 : 0))
            await store.close()
        }
    }

    /// The note of how far the log reached takes one read, however many pages a commit writes.
    @Test(arguments: [1, 100_000]) func aCommitCostsOneReadForItsNote(textBytes: Int) async throws {
        let folder = try TemporaryFolder(.memory)
        let seen = Mutex<[LogEndAccess]>([])
        let store = try await SQLiteStore.open(
            at: folder.fresh(), durability: .normal,
            options: SQLiteOptions(traceLogEnd: { access in seen.withLock { $0.append(access) } }))
        _ = try await store.start(Sample.opening())
        let text = String(repeating: "x", count: textBytes)
        for number in 0..<20 {
            seen.withLock { $0 = [] }
            _ = try await store.enqueue(Sample.draft(number, text: text))
            #expect(seen.withLock { $0 } == [.readsLog])
        }
        await store.close()
    }

    private static func overlap(_ file: String, until isOver: () -> Bool) {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.allowsUnsafeTransactions = true
        guard let first = try? DatabaseQueue(path: PageChecksums.address(of: file), configuration: configuration),
            let second = try? DatabaseQueue(path: PageChecksums.address(of: file), configuration: configuration)
        else { return }
        var current = first
        var next = second
        func begin(_ queue: DatabaseQueue) {
            try? queue.inDatabase { db in
                try db.execute(sql: "BEGIN")
                _ = try Int.fetchOne(db, sql: "SELECT max(ordinal) FROM message")
            }
        }
        begin(current)
        while !isOver() {
            begin(next)
            try? current.inDatabase { try $0.execute(sql: "COMMIT") }
            swap(&current, &next)
        }
        try? current.inDatabase { try $0.execute(sql: "COMMIT") }
    }

    /// The bytes in one group are bounded, however many calls are waiting.
    @Test func aGroupHasABoundOfBytes() async throws {
        let folder = try TemporaryFolder(.memory)
        let seen = Statements()
        let store = try await SQLiteStore.open(
            at: folder.fresh(), durability: .normal, options: SQLiteOptions(groupBytesMax: 1, trace: seen.add))
        _ = try await store.start(Sample.opening())
        let before = seen.inOrder.count
        store.gather(200)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 { group.addTask { _ = try await store.enqueue(Sample.draft(number)) } }
            try await group.waitForAll()
        }
        #expect(seen.inOrder.dropFirst(before).filter { $0.hasPrefix("COMMIT") }.count == 200)
        await store.close()
    }

    /// A disk that failed and cannot be used yet is reported differently from a closed store, and the first reader
    /// recovers it.
    @Test func readersRecoverWhenTheDiskIsWell() async throws {
        let folder = try TemporaryFolder()
        let path = folder.fresh()
        let store = try await SQLiteStore.open(at: path, durability: .full)
        _ = try await store.start(Sample.opening())
        let message = try await store.enqueue(Sample.draft(1))
        let files = FileManager.default
        store.requireVerification()
        for name in ["", "-wal"] {
            try files.moveItem(atPath: path + "/store.sqlite\(name)", toPath: path + "/away\(name)")
        }
        await #expect(throws: StoreError.self) { try await store.enqueue(Sample.draft(3)) }
        for _ in 0..<2 {
            do {
                _ = try await store.message(message.id)
                Issue.record("it was read")
            } catch {
                #expect(error != .closed)
            }
        }
        for name in ["-shm", "-wal"] { try? files.removeItem(atPath: path + "/store.sqlite\(name)") }
        for name in ["-wal", ""] where files.fileExists(atPath: path + "/away\(name)") {
            try files.moveItem(atPath: path + "/away\(name)", toPath: path + "/store.sqlite\(name)")
        }
        #expect(try await store.message(message.id) == message)
        #expect(try await store.counts().created == 1)
        _ = try await store.enqueue(Sample.draft(2))
        await store.close()
    }
}
