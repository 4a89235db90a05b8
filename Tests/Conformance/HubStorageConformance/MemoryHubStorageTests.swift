import CausewayHubStorage
import CausewayHubStorageConformance
import Testing

struct MemoryHubStorageTests {
    static let factory = HubStorageFactory(
        make: {
            MemoryHubStorage(
                hub: Array(repeating: 1, count: 16), sealKey: Array(repeating: 2, count: 32),
                history: Array(repeating: 3, count: 16))
        },
        reopen: { storage in
            guard let storage = storage as? MemoryHubStorage else { throw HubStorageError.recovering(path: "memory") }
            return storage.restarted()
        })

    @Test(arguments: HubStorageConformance.rules)
    func keeps(_ rule: HubStorageConformance.Rule) async throws { try await rule.run(Self.factory) }
}
