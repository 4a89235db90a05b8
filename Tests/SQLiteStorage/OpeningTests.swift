import CausewayModels
import CausewaySQLiteStorage
import CausewayStorage
import Foundation
import GRDB
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
        _ = try await store.begin(Story.opening())
        _ = try await store.enqueue(Story.draft(1))
        #expect(try mode(nested) == 0o700)
        #expect(try mode(path) == 0o700)
        let names = try FileManager.default.contentsOfDirectory(atPath: nested)
        #expect(Set(names) == ["lock", "store.sqlite", "store.sqlite-wal", "store.sqlite-shm"])
        for name in names { #expect(try mode(nested + "/" + name) == 0o600, "\(name)") }
        await store.close()
    }

    @Test func aSecondOpeningNamesTheOwner() async throws {
        let store = try await SQLiteStore.open(at: path, durability: .full)
        await #expect(throws: StoreError.owned(pid: getpid(), path: path)) {
            try await SQLiteStore.open(at: path, durability: .full)
        }
        await store.close()
        await (try SQLiteStore.open(at: path, durability: .full)).close()
    }

    @Test func anotherProcessIsNamed() async throws {
        let owner = try StoreProcess([path, "hold"])
        #expect(owner.line() == "open")
        await #expect(throws: StoreError.owned(pid: owner.pid, path: path)) {
            try await SQLiteStore.open(at: path, durability: .full)
        }
        owner.kill()
        _ = owner.remainingLines()
        await (try SQLiteStore.open(at: path, durability: .full)).close()
    }

    @Test func aStoreFromTheFutureIsLeftAsItIs() async throws {
        try await makeStore()
        try await change { try $0.execute(sql: "PRAGMA user_version = 99") }
        let before = try Data(contentsOf: URL(fileURLWithPath: file))
        await #expect(throws: StoreError.fromTheFuture(version: "layout 99", path: file)) {
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

    enum Damage: CaseIterable, Sendable {
        case noDatabase, empty, cutInHalf, otherProgram, brokenPages

        func apply(to bytes: inout Data) async throws {
            switch self {
            case .noDatabase: bytes = Data("these are my notes\n".utf8)
            case .empty: bytes = Data()
            case .cutInHalf: bytes = bytes.prefix(bytes.count / 2 / 4096 * 4096)
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
        // GRDB sets its own level while it opens; ours must come after.
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
        _ = try await store.begin(Story.opening())
        for number in 0..<200 { _ = try await store.enqueue(Story.draft(number)) }
        await store.close()
    }

    private func change(_ body: @Sendable (Database) throws -> Void) async throws {
        let queue = try DatabaseQueue(path: file)
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
