import CausewayFileStorage
import CausewayStorage
import CausewayStorageConformance
import CausewayStoreTorture
import Synchronization
import Testing

/// The file store on a disk that fails.
struct DiskConformanceTests {
    @Test(arguments: StoreConformance.diskRules)
    func keeps(_ rule: StoreConformance.DiskRule) async throws {
        try await rule.run(FileStoresOnFaultyDisks().factory(.full))
    }

    /// The control arms: each rule is violated by a store that does not wait for its syncs, or on a disk that ignores
    /// them.
    @Test(arguments: StoreConformance.diskRules)
    func aStoreThatDoesNotSyncBreaks(_ rule: StoreConformance.DiskRule) async throws {
        await #expect(throws: ConformanceFailure.self) {
            try await rule.run(FileStoresOnFaultyDisks().factory(.normal))
        }
        await #expect(throws: ConformanceFailure.self) {
            try await rule.run(FileStoresOnFaultyDisks(ignoring: [.sync]).factory(.full))
        }
    }
}

/// The stores under test, with the disk of each.
private final class FileStoresOnFaultyDisks: Sendable {
    private let ignored: Set<FaultyDisk.Call>
    private let disks = Mutex<[ObjectIdentifier: FaultyDisk]>([:])

    init(ignoring ignored: Set<FaultyDisk.Call> = []) { self.ignored = ignored }

    private func open(_ disk: FaultyDisk, _ durability: Durability) async throws -> any Store {
        let store = try await FileStore.open(on: disk, durability: durability, options: FileOptions())
        disks.withLock { $0[ObjectIdentifier(store)] = disk }
        return store
    }

    private func disk(of store: any Store) throws -> FaultyDisk {
        let store = try #require(store as? FileStore)
        return try #require(disks.withLock { $0[ObjectIdentifier(store)] })
    }

    func factory(_ durability: Durability) -> FailingStoreFactory {
        FailingStoreFactory(
            make: { try await self.open(FaultyDisk(ignoring: self.ignored), durability) },
            fail: { store, fault in try self.disk(of: store).fail(fault) },
            reopenAfterPowerFailure: { store in
                let rest = try self.disk(of: store).afterPowerFailure { false }
                await store.close()
                return try await self.open(rest, durability)
            })
    }
}
