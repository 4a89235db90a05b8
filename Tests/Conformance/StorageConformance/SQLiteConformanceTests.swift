import CausewaySQLiteStorage
import CausewayStorage
import CausewayStorageConformance
import CausewayTestSupport
import Testing

struct SQLiteConformanceTests {
    @Test(arguments: StoreConformance.rules)
    func keeps(_ rule: StoreConformance.Rule) async throws {
        let folders = try TemporaryFolder(.memory)
        let factory = StoreFactory(
            histories: 30,
            make: { bounds in try await open(folders.fresh(), bounds) },
            reopen: { store in
                guard let store = store as? SQLiteStore else { throw StoreError.closed }
                await store.close()
                return try await open(store.folder, OutboxBounds())
            })
        try await rule.run(factory)
    }

    private func open(_ folder: String, _ bounds: OutboxBounds) async throws(StoreError) -> SQLiteStore {
        try await SQLiteStore.open(at: folder, durability: .normal, options: SQLiteOptions(bounds: bounds))
    }
}
