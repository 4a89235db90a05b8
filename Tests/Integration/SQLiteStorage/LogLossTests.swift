import CausewayModels
import CausewaySQLiteChecksums
import CausewaySQLiteStorage
import CausewayStorage
import CausewaySystem
import CausewayTestSupport
import Foundation
import GRDB
import Testing

/// A log that is lost or damaged is reported, and nothing else is.
struct LogLossTests {
    private let folder: TemporaryFolder
    private let path: String
    private var log: String { path + "/store.sqlite-wal" }
    private let files = FileManager.default

    init() throws {
        folder = try TemporaryFolder(.memory)
        path = folder.fresh()
    }

    /// Creates the folder of a killed process: copied while the store is open.
    ///
    /// - Returns: the log as it was before the last message.
    @discardableResult private func killed() async throws -> Data {
        let home = folder.fresh()
        let store = try await SQLiteStore.open(at: home, durability: .full)
        _ = try await store.start(Sample.opening())
        for number in 0..<3 { _ = try await store.enqueue(Sample.draft(number)) }
        let former = try Data(contentsOf: URL(filePath: home + "/store.sqlite-wal"))
        _ = try await store.enqueue(Sample.draft(3))
        try copy(home, to: path)
        await store.close()
        return former
    }

    private func copy(_ home: String, to place: String) throws {
        try files.createDirectory(
            atPath: place, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for name in ["store.sqlite", "store.sqlite-wal", "log-end"] {
            try? files.removeItem(atPath: place + "/" + name)
            try files.copyItem(atPath: home + "/" + name, toPath: place + "/" + name)
        }
    }

    private func lossOnOpening() async throws -> String? {
        let store = try await SQLiteStore.open(at: path, durability: .full)
        let loss = try await store.start(Sample.opening()).loss
        await store.close()
        return loss
    }

    @Test func aKilledProcessLosesNothing() async throws {
        try await killed()
        #expect(try await lossOnOpening() == nil)
        #expect(try await lossOnOpening() == nil)
    }

    @Test func aClosedStoreLosesNothing() async throws {
        for _ in 0..<3 {
            let store = try await SQLiteStore.open(at: path, durability: .full)
            #expect(try await store.start(Sample.opening()).loss == nil)
            await store.close()
        }
    }

    enum Harm: CaseIterable { case deleted, emptied, cut, head, middle, end, older }

    @Test(arguments: Harm.allCases) func whatTheLogLostIsTold(_ harm: Harm) async throws {
        let former = try await killed()
        let size = try #require(try files.attributesOfItem(atPath: log)[.size] as? Int)
        switch harm {
        case .deleted: try files.removeItem(atPath: log)
        case .emptied: try write { try $0.truncate(atOffset: 0) }
        case .cut: try write { try $0.truncate(atOffset: UInt64(size - 100)) }
        case .head: try damage(at: 17)
        case .middle: try damage(at: size / 2)
        case .end: try damage(at: size - 10)
        case .older: try former.write(to: URL(filePath: log))
        }
        let loss = try await lossOnOpening()
        #expect(loss?.contains("lost commits") == true, "\(loss ?? "nothing")")
        #expect(try await lossOnOpening() == nil, "told once")
    }

    /// The head of a log that was cut since, in place of the present log.
    @Test func aLogOfAnEarlierRoundIsTold() async throws {
        let home = folder.fresh()
        let store = try await SQLiteStore.open(
            at: home, durability: .normal, options: SQLiteOptions(logBytesMax: 100_000))
        _ = try await store.start(Sample.opening())
        let text = String(repeating: "x", count: 16_000)
        var former = Data()
        for number in 0..<40 {
            _ = try await store.enqueue(Sample.draft(number, text: text))
            let present = try Data(contentsOf: URL(filePath: home + "/store.sqlite-wal"))
            if !present.isEmpty, present.count < former.count { break }
            if !present.isEmpty { former = present }
        }
        try copy(home, to: path)
        await store.close()
        try #require(try Data(contentsOf: URL(filePath: log)).prefix(32) != former.prefix(32))
        try former.prefix(32).write(to: URL(filePath: log))
        #expect(try await lossOnOpening()?.contains("older one") == true)
    }

    /// The log of a copy of the store that went on by itself: of the same round, intact, and no shorter.
    @Test func theLogOfACopyIsTold() async throws {
        let (home, twin) = (folder.fresh(), folder.fresh())
        let store = try await SQLiteStore.open(at: home, durability: .full)
        _ = try await store.start(Sample.opening())
        try copy(home, to: twin)
        _ = try await store.enqueue(Sample.draft(1))
        try copy(home, to: path)
        await store.close()
        let queue = try DatabaseQueue(path: PageChecksums.address(of: twin + "/store.sqlite"))
        for _ in 0..<20 {
            try await queue.write { try $0.execute(sql: "UPDATE store SET verifications = verifications + 1") }
        }
        try files.removeItem(atPath: log)
        try files.copyItem(atPath: twin + "/store.sqlite-wal", toPath: log)
        try queue.close()
        #expect(try await lossOnOpening()?.contains("another one") == true)
    }

    /// Before each commit the folder is in the state that a process killed at that moment leaves; the log is restarted
    /// and cut meanwhile.
    @Test func nothingIsToldWhileTheLogGoesRound() async throws {
        let home = folder.fresh()
        let store = try await SQLiteStore.open(
            at: home, durability: .normal, options: SQLiteOptions(logBytesMax: 300_000))
        _ = try await store.start(Sample.opening())
        let text = String(repeating: "x", count: 16_000)
        var largest = 0
        for number in 0..<120 {
            _ = try await store.enqueue(Sample.draft(number, text: text))
            let size = try files.attributesOfItem(atPath: home + "/store.sqlite-wal")[.size] as? Int ?? 0
            defer { largest = max(largest, size) }
            guard number % 10 == 0 || size < largest else { continue }
            try copy(home, to: path)
            #expect(try await lossOnOpening() == nil, "after message \(number)")
        }
        await store.close()
    }

    /// Nothing else shows that there was a store. It is told also if no new store could be made at first.
    @Test(arguments: [false, true]) func aStoreOfWhichOnlyTheNoteIsLeftIsTold(failsFirst: Bool) async throws {
        try await killed()
        try files.removeItem(atPath: log)
        try files.removeItem(atPath: path + "/store.sqlite")
        if failsFirst {
            await #expect(throws: StoreError.self) {
                try await SQLiteStore.open(
                    at: path, durability: .full,
                    options: SQLiteOptions(beforeFolderAccess: { access in
                        if case .rename = access { return SystemError.broken }
                        return nil
                    })
                ).close()
            }
        }
        #expect(try await lossOnOpening()?.contains("so is the database") == true)
        #expect(try await lossOnOpening() == nil, "told once")
    }

    /// A new database would take the log for its own.
    @Test func aLogWithoutItsDatabaseIsRefused() async throws {
        try await killed()
        let before = try Data(contentsOf: URL(filePath: log))
        try files.removeItem(atPath: path + "/store.sqlite")
        do throws(StoreError) {
            await (try SQLiteStore.open(at: path, durability: .full)).close()
            Issue.record("it was opened")
        } catch {
            guard case .damaged(let place, _) = error, place == path + "/store.sqlite" else { throw error }
        }
        #expect(try Data(contentsOf: URL(filePath: log)) == before)
        #expect(!files.fileExists(atPath: path + "/store.sqlite"))
    }

    /// A compaction copies the log into the database, and empties it on purpose.
    @Test func aProcessKilledAfterACompactionLosesNothing() async throws {
        let home = folder.fresh()
        let store = try await SQLiteStore.open(at: home, durability: .full)
        _ = try await store.start(Sample.opening())
        for number in 0..<3 { _ = try await store.enqueue(Sample.draft(number)) }
        try await store.compact { _ in }
        try copy(home, to: path)
        await store.close()
        #expect(try await lossOnOpening() == nil)
    }

    /// A power cut takes back what no caller waited for: that is no loss, and nothing else is gone.
    @Test func whatNobodyWaitedForIsNoLoss() async throws {
        let home = folder.fresh()
        let seen = Statements()
        let store = try await SQLiteStore.open(
            at: home, durability: .full, options: SQLiteOptions(trace: seen.add))
        _ = try await store.start(Sample.opening())
        let first = try await store.enqueue(Sample.draft(1))
        let confirmed = try Data(contentsOf: URL(filePath: home + "/store.sqlite-wal"))
        let start = seen.inOrder.count
        for number in 1...3 {
            try await store.commit([.setEventCursor(EventCursor(rawValue: "\(number)"))], durability: .normal)
        }
        try copy(home, to: path)
        try confirmed.write(to: URL(filePath: log))
        #expect(try await found() == Found(cursor: nil, messages: [first.id]))

        // One that changes nothing makes them durable, so it must write.
        try await store.commit([])
        let settings = seen.inOrder.dropFirst(start).filter { $0.hasPrefix("PRAGMA") || $0.contains("verifications") }
        #expect(
            settings == [
                "PRAGMA synchronous = 1", "PRAGMA synchronous = 2",
                "UPDATE store SET verifications = verifications + 1 WHERE id = 1",
            ])
        try copy(home, to: path)
        #expect(try await found() == Found(cursor: "3", messages: [first.id]))
        try copy(home, to: path)
        try confirmed.write(to: URL(filePath: log))
        #expect(try await lossOnOpening()?.contains("lost commits") == true)
        await store.close()
    }

    private struct Found: Equatable {
        var cursor: String?
        var messages: [MessageID]
    }

    private func found() async throws -> Found {
        let store = try await SQLiteStore.open(at: path, durability: .full)
        let snapshot = try await store.start(Sample.opening())
        #expect(snapshot.loss == nil)
        await store.close()
        return Found(cursor: snapshot.eventCursor?.rawValue, messages: snapshot.entries.map(\.message))
    }

    private func write(_ body: (FileHandle) throws -> Void) throws {
        let handle = try #require(FileHandle(forUpdatingAtPath: log))
        try body(handle)
        try handle.close()
    }

    private func damage(at offset: Int) throws {
        try write { handle in
            try handle.seek(toOffset: UInt64(offset))
            let byte = try #require(try handle.read(upToCount: 1)?.first)
            try handle.seek(toOffset: UInt64(offset))
            try handle.write(contentsOf: Data([byte ^ 0xFF]))
        }
    }
}
