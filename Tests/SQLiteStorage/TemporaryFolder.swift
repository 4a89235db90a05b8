import CausewaySQLiteStorage
import CausewayStorage
import Foundation

/// A folder of a test's own; gone with it.
final class TemporaryFolder: Sendable {
    let path: String

    /// - Parameter inMemory: where the system has a disk in memory, take it: for thousands of stores whose durability
    ///   is not what is tested.
    init(inMemory: Bool = false) throws {
        let memory = "/dev/shm"
        let base =
            inMemory && FileManager.default.isWritableFile(atPath: memory)
            ? memory : FileManager.default.temporaryDirectory.path
        path = base + "/causeway-test-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a folder that is not there yet.
    func fresh() -> String { path + "/" + UUID().uuidString }
}
