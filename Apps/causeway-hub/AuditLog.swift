import CausewayHub
import Foundation

/// `audit.log` in the data folder: one line of JSON for each change that a command made, and for each backup, which
/// contains everything; with the command's user and origin. Readable by its owner only.
struct AuditLog {
    private let path: String

    private struct Line: Encodable {
        let time: String
        let event: String
        let name: String
        /// The user of the system, and the one behind `sudo`.
        let user: String
        let sudoUser: String?
        /// The address of the remote shell; `local` without one.
        let from: String
    }

    init(_ folder: DataFolder) { path = folder.path + "/audit.log" }

    /// Appends a line. A failure to append is reported and does not undo the command.
    func record(_ event: String, _ name: String) {
        let environment = ProcessInfo.processInfo.environment
        let shell = environment["SSH_CONNECTION"]?.split(separator: " ").first.map { String($0) }
        let line = Line(
            time: Date().formatted(.iso8601), event: event, name: name, user: NSUserName(),
            sudoUser: environment["SUDO_USER"], from: shell ?? "local")
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            try DataFolder.append(try encoder.encode(line) + Data("\n".utf8), to: path)
        } catch {
            try? FileHandle.standardError.write(contentsOf: Data("causeway-hub: not recorded: \(error)\n".utf8))
        }
    }
}
