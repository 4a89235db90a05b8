import CausewayHubStorage
import CausewayModels
import Foundation
import Logging
import Synchronization

/// The data of a hub without a disk: each opening continues with what the one before it stored.
final class MemoryHubData: Sendable {
    private let current = Mutex(
        MemoryHubStorage(
            hub: Array(repeating: 1, count: 16), sealKey: Array(repeating: 2, count: 32),
            history: Array(repeating: 3, count: 16)))

    /// Opens the data. A data folder is set up when it has a database, so that an empty file stands in for one.
    func open(path: String, isNew: Bool, logger: Logger?) async throws(HubStorageError) -> any HubStorage {
        if isNew { _ = FileManager.default.createFile(atPath: path, contents: nil) }
        return current.withLock { current in
            current = current.restarted()
            return current
        }
    }
}
