import Foundation

/// A temporary folder, deleted with this object.
package final class TemporaryFolder: Sendable {
    package let path: String

    /// - Parameter inMemory: uses a memory disk if the system has one, for thousands of stores whose durability is not
    ///   tested.
    package init(inMemory: Bool = false) throws {
        let memory = "/dev/shm"
        let base =
            inMemory && FileManager.default.isWritableFile(atPath: memory)
            ? memory : FileManager.default.temporaryDirectory.path
        path = base + "/causeway-test-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a folder that does not exist yet.
    package func fresh() -> String { path + "/" + UUID().uuidString }
}
