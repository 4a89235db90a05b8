import CausewaySQLiteStorage
import CausewayStorage
import Foundation

/// A folder for stores of a test's own; gone with it.
final class StoreFolder: Sendable {
    private let path: String

    /// Where the system has a disk in memory it lies there: durability is not what is tested here.
    init() throws {
        let memory = "/dev/shm"
        let base =
            FileManager.default.isWritableFile(atPath: memory)
            ? memory : FileManager.default.temporaryDirectory.path
        path = base + "/causeway-live-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// A new store that has not begun.
    func makeStore() async throws(StoreError) -> SQLiteStore {
        try await SQLiteStore.open(at: path + "/" + UUID().uuidString, durability: .normal)
    }
}
