import CausewaySQLiteStorage
import CausewayStorage
import CausewayStorageConformance
import CausewayStoreTorture
import CausewayTestSupport
import Foundation
import Synchronization
import Testing

/// SQLite on a disk that fails.
struct DiskConformanceTests {
    private let folder: TemporaryFolder

    /// Durability is decided by the disk beside the files.
    init() throws { folder = try TemporaryFolder(.memory) }

    @Test(arguments: StoreConformance.diskRules)
    func keeps(_ rule: StoreConformance.DiskRule) async throws {
        let stores = SQLiteStoresOnFaultyDisks(folder)
        defer { stores.detach() }
        try await rule.run(stores.factory(.full))
    }

    /// The control arms: each rule is violated by a store that does not wait for its syncs, or on a disk that ignores
    /// them.
    @Test(arguments: StoreConformance.diskRules)
    func aStoreThatDoesNotSyncBreaks(_ rule: StoreConformance.DiskRule) async throws {
        let (lazy, ignored) = (SQLiteStoresOnFaultyDisks(folder), SQLiteStoresOnFaultyDisks(folder, ignoring: [.sync]))
        defer { lazy.detach() }
        defer { ignored.detach() }
        await #expect(throws: ConformanceFailure.self) { try await rule.run(lazy.factory(.normal)) }
        await #expect(throws: ConformanceFailure.self) { try await rule.run(ignored.factory(.full)) }
    }
}

/// The stores under test, with the disk of each folder.
private final class SQLiteStoresOnFaultyDisks: Sendable {
    private let folder: TemporaryFolder
    private let ignored: Set<FaultyDisk.Call>
    private let disks = Mutex<[String: FaultyDisk]>([:])

    init(_ folder: TemporaryFolder, ignoring ignored: Set<FaultyDisk.Call> = []) {
        self.folder = folder
        self.ignored = ignored
    }

    func detach() {
        for path in disks.withLock({ $0.keys }) { FaultyFiles.detach(path) }
    }

    private func make(_ durability: Durability) async throws -> any Store {
        let path = folder.fresh()
        let disk = FaultyDisk(ignoring: ignored)
        FaultyFiles.attach(disk, to: path)
        disks.withLock { $0[path] = disk }
        let options = SQLiteOptions(beforeFolderAccess: FaultyFiles.change)
        return try await SQLiteStore.open(at: path, durability: durability, options: options)
    }

    private func disk(of store: any Store) throws -> (path: String, disk: FaultyDisk) {
        let path = try #require(store as? SQLiteStore).folder
        return (path, try #require(disks.withLock { $0[path] }))
    }

    /// Opens the files that the disk still has, and the note of the log's end.
    private func reopen(_ store: any Store, _ durability: Durability) async throws -> any Store {
        let (path, disk) = try disk(of: store)
        let (rest, copy) = (disk.afterPowerFailure { false }, folder.fresh())
        try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false)
        for (name, bytes) in rest.files { try Data(bytes).write(to: URL(fileURLWithPath: copy + "/" + name)) }
        try? FileManager.default.copyItem(atPath: path + "/log-end", toPath: copy + "/log-end")
        await store.close()
        return try await SQLiteStore.open(at: copy, durability: durability)
    }

    func factory(_ durability: Durability) -> FailingStoreFactory {
        FailingStoreFactory(
            make: { try await self.make(durability) },
            fail: { store, fault in try self.disk(of: store).disk.fail(fault) },
            reopenAfterPowerFailure: { try await self.reopen($0, durability) })
    }
}
