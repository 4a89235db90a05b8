import Foundation

/// A folder of its own for one test, deleted with this object. Only its user can enter it.
package final class TemporaryFolder: Sendable {
    package enum Place: Sendable {
        /// On the disk.
        case disk
        /// On a memory disk if the system has one: for thousands of stores whose durability is not tested.
        case memory
        /// At a short path: the paths of sockets are bounded.
        case short
    }

    package let path: String

    package init(_ place: Place = .disk) throws {
        let memory = "/dev/shm"
        let base =
            switch place {
            case .memory where FileManager.default.isWritableFile(atPath: memory): memory
            case .short: "/tmp"
            case .disk, .memory: FileManager.default.temporaryDirectory.path
            }
        path = base + "/cw-" + UUID().uuidString.prefix(place == .short ? 8 : 36)
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a file or a folder that does not exist yet.
    package func fresh() -> String { path + "/" + UUID().uuidString }

    /// Writes a file, and returns its path.
    package func write(_ bytes: some Sequence<UInt8>, to name: String, mode: Int = 0o644) throws -> String {
        let file = path + "/" + name
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        return file
    }

    package func write(_ text: String, to name: String, mode: Int = 0o644) throws -> String {
        try write(text.utf8, to: name, mode: mode)
    }

    /// The permissions of a file.
    package static func mode(of path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.posixPermissions] as? Int) ?? -1
    }
}
