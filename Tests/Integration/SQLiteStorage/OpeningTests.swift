import CausewayModels
import CausewaySQLiteChecksums
import CausewaySQLiteStorage
import CausewayStorage
import CausewayTestSupport
import Foundation
import GRDB
import Synchronization
import Testing

struct OpeningTests {
    private let folder: TemporaryFolder
    private let path: String
    private var file: String { path + "/store.sqlite" }

    init() throws {
        folder = try TemporaryFolder()
        path = folder.fresh()
    }

    @Test func onlyTheOwnerMayRead() async throws {
        let nested = path + "/a/b"
        let store = try await SQLiteStore.open(at: nested, durability: .full)
        _ = try await store.start(Sample.opening())
        _ = try await store.enqueue(Sample.draft(1))
        #expect(try mode(nested) == 0o700)
        #expect(try mode(path) == 0o700)
        let names = try FileManager.default.contentsOfDirectory(atPath: nested)
        #expect(Set(names) == ["lock", "log-end", "store.sqlite", "store.sqlite-wal", "store.sqlite-shm"])
        for name in names { #expect(try mode(nested + "/" + name) == 0o600, "\(name)") }
        await store.close()
    }

    /// Otherwise a power cut could lose a new folder with everything in it.
    @Test func theFolderAboveEachNewOneIsSynced() async throws {
        let synced = Mutex<[String]>([])
        let store = try await SQLiteStore.open(
            at: path + "/a/b", durability: .full,
            options: SQLiteOptions(beforeFolderAccess: { access in
                if case .sync(let folder) = access { synced.withLock { $0.append(folder) } }
                return nil
            }))
        #expect(synced.withLock { $0 } == [folder.path, path, path + "/a", path + "/a/b"])
        await store.close()
    }

    @Test func aSecondOpeningNamesTheOwner() async throws {
        let store = try await SQLiteStore.open(at: path, durability: .full)
        await #expect(throws: StoreError.locked(by: getpid(), path: path)) {
            try await SQLiteStore.open(at: path, durability: .full)
        }
        await store.close()
        await (try SQLiteStore.open(at: path, durability: .full)).close()
    }

    @Test func anotherProcessIsNamed() async throws {
        let owner = try Program.storeWriter.start([path, "hold"], input: .pipe)
        try await owner.says("open\n")
        await #expect(throws: StoreError.locked(by: owner.pid, path: path)) {
            try await SQLiteStore.open(at: path, durability: .full)
        }
        await owner.stop(SIGKILL)
        await (try SQLiteStore.open(at: path, durability: .full)).close()
    }

    @Test func aStoreOfTheFirstLayoutIsReadAndGoesOn() async throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let queue = try DatabaseQueue(path: PageChecksums.address(of: file))
        try await queue.writeWithoutTransaction { try $0.execute(sql: Layout1.sql) }
        try queue.close()

        let store = try await SQLiteStore.open(at: path, durability: .full)
        let snapshot = try await store.start(Sample.opening())
        #expect(snapshot.epoch == 4)
        #expect(snapshot.lastTransmitted == [.text: 3])
        #expect(snapshot.entries.map(\.sequence) == [2, 3, 4])
        #expect(snapshot.entries.map(\.queuedAt.milliseconds) == [0, 1_700_000_000_003, 1_700_000_000_004])
        let general = try #require(ChannelID("general"))
        let page = try await store.page(MessageQuery(scope: .channel(general))).messages
        #expect(page.map(\.content) == ["synced", "foreign", "failed", "syncing"].map(MessageContent.text))
        #expect(page.map(\.syncState) == [.synced, .synced, .error, .created])
        #expect(page.allSatisfy { $0.parent == nil && $0.confirmed == nil && $0.reactions.isEmpty })
        #expect(page[2].failure?.code == "forbidden")
        let draft = OperationDraft(
            id: OperationID(UUIDv7(high: 7, low: 7)), channel: general, sender: page[0].sender,
            payload: .edit(page[0].id, .text("edited")), createdAt: page[0].createdAt, lane: .operations)
        try await store.commit([.enqueue(draft)])
        #expect(try #require(try await store.operation(draft.id)).ordinal >= 257)
        #expect(try await store.message(page[0].id)?.content == .text("edited"))
        await store.close()
    }

    /// Existing data belongs to the account of the last session, except undelivered messages of another user.
    @Test(arguments: [2, 3, 4, 5]) func aStoreWithoutAccountsIsDividedAmongThem(_ layout: Int) async throws {
        let sql = [2: Layout2.sql, 3: Layout3.sql, 4: Layout4.sql, 5: Layout5.sql][layout] ?? ""
        let openings: [UInt64] = layout < 4 ? [] : [0xF2, 0xF1, 0xF0]
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let queue = try DatabaseQueue(path: PageChecksums.address(of: file))
        try await queue.writeWithoutTransaction { try $0.execute(sql: sql) }
        try queue.close()

        var store = try await SQLiteStore.open(at: path, durability: .full)
        let snapshot = try await store.start(Sample.opening())
        #expect(snapshot.outboxID.value.low == 0x8000_0000_0000_00AA)
        #expect(snapshot.lineage.ancestors.map(\.value.low) == openings.map { 0x8000_0000_0000_0000 | $0 })
        #expect(snapshot.lineage.sharedBelow == (layout < 4 ? 0 : 2))
        #expect(snapshot.history?.commit == (layout == 5 ? 7 : nil))
        #expect(snapshot.lastTransmitted == [.text: 3])
        #expect(snapshot.entries.map(\.sequence) == [2, 3, 4])
        let general = try #require(ChannelID("general"))
        let page = try await store.page(MessageQuery(scope: .channel(general))).messages
        #expect(page.map(\.content) == ["synced", "foreign", "syncing"].map(MessageContent.text))
        #expect(try await store.counts().undelivered == 2)
        #expect(try await store.deleteActions(before: nil, limit: 9).map(\.sequence) == [6])
        let session = try #require(try await store.session())
        let bob = try #require(UserID("bob"))
        try await store.commit([
            .endSession(Sample.opening().failure),
            .saveSession(
                Session(
                    id: SessionID(UUIDv7(high: 1, low: 2)), server: "https://hub", user: bob,
                    startedAt: session.startedAt)),
        ])
        let own = try await store.page(MessageQuery(scope: .undelivered)).messages
        #expect(own.map(\.content) == [.text("bob")])
        #expect(try await store.page(MessageQuery(scope: .channel(general))).messages == own)
        #expect(try await store.outbox().outboxID == OutboxID(UUIDv7(high: 1, low: 2)))
        await store.close()
        store = try await SQLiteStore.open(at: path, durability: .full)
        #expect(try await store.start(Sample.opening()).outboxID == OutboxID(UUIDv7(high: 1, low: 2)))
        try await store.commit([.saveSession(session)])
        #expect(try await store.outbox().outboxID == snapshot.outboxID)
        #expect(try await store.outbox().entries.map(\.sequence) == [2, 3])
        await store.close()
    }

    @Test func aStoreFromTheFutureIsLeftAsItIs() async throws {
        try await makeStore()
        try await change { try $0.execute(sql: "PRAGMA user_version = 99") }
        let before = try Data(contentsOf: URL(fileURLWithPath: file))
        await #expect(throws: StoreError.newerSchema(version: "layout 99", path: file)) {
            try await SQLiteStore.open(at: path, durability: .full)
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before)
    }

    @Test(arguments: Damage.allCases)
    func aDamagedFileIsLeftAsItIs(_ damage: Damage) async throws {
        try await makeStore()
        let url = URL(fileURLWithPath: file)
        var bytes = try Data(contentsOf: url)
        try await damage.apply(to: &bytes)
        try bytes.write(to: url)
        do {
            await (try SQLiteStore.open(at: path, durability: .full)).close()
            Issue.record("it was opened")
        } catch .damaged(let path, _) {
            #expect(path == file)
        }
        #expect(try Data(contentsOf: url) == bytes)
    }

    /// SQLite reads zeroes in place of a missing end, and its own check does not notice them inside a text. Behind the
    /// text is the checksum of the page.
    @Test func aTextWhoseEndIsMissingIsNoticed() async throws {
        try await makeStore()
        let url = URL(fileURLWithPath: file)
        let queue = try DatabaseQueue(path: PageChecksums.address(of: file))
        let isAtTheEnd = try await queue.writeWithoutTransaction { db in
            for count in stride(from: 16_000, to: 40_000, by: 500) {
                let text = String(repeating: "x", count: count)
                try db.execute(sql: "UPDATE message SET content = ? WHERE ordinal = 200", arguments: [text])
                _ = try Row.fetchAll(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
                if try Data(contentsOf: url).suffix(100).dropLast(8).allSatisfy({ $0 == UInt8(ascii: "x") }) {
                    return true
                }
            }
            return false
        }
        try queue.close()
        try #require(isAtTheEnd)
        let bytes = try Data(contentsOf: url).dropLast(100)
        try bytes.write(to: url)
        let detail = "100 bytes are missing at its end; restore it from a backup"
        await #expect(throws: StoreError.damaged(path: file, detail: detail)) {
            try await SQLiteStore.open(at: path, durability: .full)
        }
    }

    enum Damage: CaseIterable, Sendable {
        case noDatabase, empty, cutInHalf, cutByAFewBytes, otherProgram, brokenPages

        func apply(to bytes: inout Data) async throws {
            switch self {
            case .noDatabase: bytes = Data("these are my notes\n".utf8)
            case .empty: bytes = Data()
            case .cutInHalf: bytes = bytes.prefix(bytes.count / 2 / 4096 * 4096)
            case .cutByAFewBytes: bytes.removeLast(100)
            case .otherProgram: bytes.replaceSubrange(68..<72, with: [1, 2, 3, 4])
            case .brokenPages:
                for offset in stride(from: 4096, to: bytes.count, by: 4096) {
                    bytes.replaceSubrange(offset..<(offset + 64), with: repeatElement(0xA5, count: 64))
                }
            }
        }
    }

    @Test(arguments: [Durability.full, .normal])
    func theSettingIsTheOneInForce(_ durability: Durability) async throws {
        let seen = Statements()
        let store = try await SQLiteStore.open(
            at: path, durability: durability, options: SQLiteOptions(trace: seen.add))
        let settings = try store.settingsInForce()
        #expect(settings == .init(journal: "wal", synchronous: durability == .full ? 2 : 1))
        await store.close()
        // GRDB sets its own level while it opens; the store's setting must come after.
        let levels = seen.inOrder.filter { $0.hasPrefix("PRAGMA synchronous =") }
        #expect(levels.last == "PRAGMA synchronous = \(durability == .full ? 2 : 1)")
    }

    @Test(arguments: ["/dev/null/store", "/proc/store"])
    func aFolderThatCannotBeIsSaid(_ path: String) async throws {
        do {
            await (try SQLiteStore.open(at: path, durability: .full)).close()
            Issue.record("it was opened")
        } catch .notAccessible(let named, let detail) {
            #expect(path.hasPrefix(named) || named.hasPrefix(path))
            #expect(!detail.isEmpty)
        }
    }

    private func makeStore() async throws {
        let store = try await SQLiteStore.open(at: path, durability: .full)
        _ = try await store.start(Sample.opening())
        for number in 0..<200 { _ = try await store.enqueue(Sample.draft(number)) }
        await store.close()
    }

    private func change(_ body: @Sendable (Database) throws -> Void) async throws {
        let queue = try DatabaseQueue(path: PageChecksums.address(of: file))
        try await queue.writeWithoutTransaction { db in
            try body(db)
            _ = try Row.fetchAll(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        try queue.close()
    }

    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }
}
