import Foundation

/// The default locations of files (XDG Base Directory Specification).
package struct StandardFolders: Sendable {
    private let environment: [String: String]

    package init(environment: [String: String]) { self.environment = environment }

    var defaultStore: String { base("XDG_STATE_HOME", orHome: ".local/state") + "/causeway" }
    package var hubData: String { base("XDG_DATA_HOME", orHome: ".local/share") + "/causeway-hub" }

    /// The default path of a program's configuration file.
    package func config(_ name: String) -> String {
        base("XDG_CONFIG_HOME", orHome: ".config") + "/causeway/" + name
    }

    /// The path of the configuration file that a variable names; `nil` if it names none.
    package func configFromEnvironment(_ variable: String) -> String? {
        environment[variable].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The socket of the default store is in the runtime folder; every other store has its own daemon and socket.
    func defaultSocket(forStore store: String) -> String {
        if store == defaultStore, let runtime = folder("XDG_RUNTIME_DIR") {
            return runtime + "/causeway/control.sock"
        }
        return store + "/run/control.sock"
    }

    private func base(_ variable: String, orHome rest: String) -> String {
        folder(variable) ?? (folder("HOME") ?? NSHomeDirectory()) + "/" + rest
    }

    /// The specification requires relative paths to be ignored.
    private func folder(_ variable: String) -> String? {
        guard let path = environment[variable], path.hasPrefix("/") else { return nil }
        return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    /// Returns the absolute path without `.`, `..` and a trailing `/`.
    package static func absolute(_ path: String) -> String {
        let expanded = path.hasPrefix("~/") ? NSHomeDirectory() + path.dropFirst() : path
        let standardized = URL(fileURLWithPath: expanded).standardizedFileURL.path
        return standardized.count > 1 && standardized.hasSuffix("/") ? String(standardized.dropLast()) : standardized
    }
}
