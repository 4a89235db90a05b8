import CausewaySQLiteStorage
import CausewayStorage
import Foundation

/// A folder of a test's own; gone with it.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/causeway-test-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a folder that is not there yet.
    func fresh() -> String { path + "/" + UUID().uuidString }
}
