import CausewayHubSQLite
import CausewayHubStorage
import CausewayTestSupport
import Foundation
import Testing

/// A storage that is idle releases its memory, and stops nobody who begins to read meanwhile.
@Suite struct HubRestTests {
    /// A read holds a connection until a thread of the runtime continues it. One storage for each of these threads:
    /// if a rest blocked its thread until no read is under way, none would be left to continue one.
    @Test func aRestBlocksNoThread() async throws {
        let folder = try TemporaryFolder(.memory)
        let storages = try (1...ProcessInfo.processInfo.activeProcessorCount).map { number in
            try SQLiteHubStorage(path: "\(folder.path)/hub\(number).sqlite", creating: true)
        }
        let watch = RuntimeWatch()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for storage in storages {
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<200 {
                            _ = try await storage.changedTopics(after: 0, limit: 1)
                            watch.note()
                        }
                    }
                }
                group.addTask {
                    for _ in 0..<50 {
                        _ = await storage.rest()
                        watch.note()
                    }
                }
            }
            try await group.waitForAll()
        }
        watch.end()
        for storage in storages { storage.close() }
    }
}
