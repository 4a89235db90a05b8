import CausewayTestSupport
import Foundation

/// A user's folders, for one test.
final class Home: Sendable {
    private let folder: TemporaryFolder
    private let storage: String?

    /// - Parameter storage: the kind of the store; `nil` for the usual one.
    init(storage: String? = nil) throws {
        folder = try TemporaryFolder(.short)
        self.storage = storage
    }

    var path: String { folder.path }
    var store: String { path + "/store" }
    var socket: String { store + "/run/control.sock" }
    var environment: [String: String] {
        var all = ["HOME": path, "PATH": "/usr/bin:/bin", "CAUSEWAY_STORE": store, "SWIFT_BACKTRACE": "enable=no"]
        all["CAUSEWAY_STORAGE"] = storage
        return all
    }

    /// Runs `causeway`.
    func causeway(_ arguments: String..., input: String? = nil) async throws -> Program.Outcome {
        try await Program.causeway.run(arguments, environment: environment, input: input.map { Data($0.utf8) })
    }

    /// Writes a file into the home folder, and returns its path.
    func write(_ text: String, to name: String, mode: Int = 0o600) throws -> String {
        try folder.write(text, to: name, mode: mode)
    }
}
