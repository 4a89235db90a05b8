import Foundation

/// A user's folders, for one test.
final class Home: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/cw-XXXXXX".utf8CString)
        let isMade = unsafe template.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return false }
            return unsafe mkdtemp(start) != nil
        }
        guard isMade else { throw CocoaError(.fileWriteUnknown) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var store: String { path + "/store" }
    var socket: String { store + "/run/control.sock" }
    var environment: [String: String] {
        ["HOME": path, "PATH": "/usr/bin:/bin", "CAUSEWAY_STORE": store, "SWIFT_BACKTRACE": "enable=no"]
    }

    /// Runs `causeway`.
    func causeway(_ arguments: String..., input: String? = nil) async throws -> Program.Outcome {
        try await Program.causeway.run(arguments, environment, input: input.map { Data($0.utf8) })
    }

    /// Writes a file into the home folder, and returns its path.
    func write(_ text: String, to name: String, mode: Int = 0o600) throws -> String {
        let file = path + "/" + name
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        return file
    }
}
