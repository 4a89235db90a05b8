import CausewayFileStorage
import CausewayStorage
import CausewayStorageConformance
import CausewayTestSupport
import Testing

/// The file store passes the same rules as the others: with the limits of production, and with limits so low that
/// snapshots and compaction run all the time.
struct FileConformanceTests {
    @Test(arguments: StoreConformance.rules)
    func keeps(_ rule: StoreConformance.Rule) async throws {
        try await rule.run(factory(try TemporaryFolder(.memory), histories: 30) { FileOptions(bounds: $0) })
    }

    @Test(arguments: StoreConformance.rules)
    func keepsUnderMaintenance(_ rule: StoreConformance.Rule) async throws {
        let factory = factory(try TemporaryFolder(.memory), histories: 20) { bounds in
            FileOptions(bounds: bounds, snapshotJournalBytes: 1500, compactionBytesMin: 4000)
        }
        try await rule.run(factory)
    }

    private func factory(
        _ folders: TemporaryFolder, histories: Int, _ options: @escaping @Sendable (OutboxBounds) -> FileOptions
    ) -> StoreFactory {
        StoreFactory(
            histories: histories,
            make: { bounds in
                try await FileStore.open(at: folders.fresh(), durability: .normal, options: options(bounds))
            },
            reopen: { store in
                guard let store = store as? FileStore else { throw StoreError.closed }
                await store.close()
                return try await FileStore.open(
                    at: store.folder, durability: .normal, options: options(OutboxBounds()))
            })
    }
}
