package import CausewayControlAPI
import Foundation

/// The settings of one program. Each has one name that yields the flag (`--retry-interval`), the environment variable
/// (`CAUSEWAY_RETRY_INTERVAL`) and the key in the file (`retryInterval`).
package protocol ProgramSettingKey: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
    /// The beginning of the environment variables: `CAUSEWAY_`.
    static var environmentPrefix: String { get }
    /// The values that a file may have for it.
    var form: SettingForm { get }
}

/// The form of a setting's value.
package enum SettingForm: Sendable {
    case text, path, onOff, list
}

extension ProgramSettingKey {
    package var flag: String { "--" + words("-").lowercased() }
    package var environmentName: String { Self.environmentPrefix + words("_").uppercased() }

    private func words(_ separator: Character) -> String {
        rawValue.reduce(into: "") { text, letter in
            if letter.isUppercase { text.append(separator) }
            text.append(letter)
        }
    }
}

/// The source of a value.
package enum SettingSource: Sendable, Hashable, CustomStringConvertible {
    case flag(String)
    case environment(String)
    case file(String)
    case byDefault

    package var description: String {
        switch self {
        case .flag(let name): "flag \(name)"
        case .environment(let name): "environment \(name)"
        case .file(let path): "file \(path)"
        case .byDefault: "default"
        }
    }
}

/// The settings of a program as texts, in the one precedence of all programs: flags, then the environment, then a file.
/// A setting that none of them has keeps its default.
package struct SettingLayers<Key: ProgramSettingKey>: Sendable {
    private let flags: [Key: String]
    private let environment: [String: String]
    private let file: SettingsFile<Key>?

    /// - Parameters:
    ///   - flags: the values of the command line; `true` for a switch, the parts of a list separated by commas.
    ///   - environment: the environment of the process. An empty variable counts as none.
    ///   - file: the file, if there is one.
    package init(flags: [Key: String], environment: [String: String], file: SettingsFile<Key>?) {
        self.flags = flags
        self.environment = environment
        self.file = file
    }

    /// The value that takes precedence, and its source; `nil` when the setting keeps its default.
    package func value(of key: Key) -> SettingValue<Key>? {
        if let text = flags[key] { return SettingValue(key: key, text: text, source: .flag(key.flag)) }
        if let text = environment[key.environmentName], !text.isEmpty {
            return SettingValue(key: key, text: text, source: .environment(key.environmentName))
        }
        if let file, let text = file.values[key] {
            return SettingValue(key: key, text: text, source: .file(file.path))
        }
        return nil
    }
}

/// The value of a setting as text, and where it was found.
package struct SettingValue<Key: ProgramSettingKey>: Sendable {
    package let key: Key
    package let text: String
    package let source: SettingSource

    /// True if it was named on the command line.
    package var isFlag: Bool {
        if case .flag = source { true } else { false }
    }

    /// The value as one of a list of words.
    ///
    /// Throws ``ControlError/Code/configuration`` with the words when it is none of them.
    package func choice<Choice: RawRepresentable<String> & CaseIterable>() throws(ControlError) -> Choice {
        guard let choice = Choice(rawValue: text) else {
            throw wrong("must be one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }

    /// The value as an absolute path.
    ///
    /// Throws ``ControlError/Code/configuration`` when it is empty.
    package func path() throws(ControlError) -> String {
        guard !text.isEmpty else { throw wrong("is empty") }
        return StandardFolders.absolute(text)
    }

    /// The value as a switch.
    ///
    /// Throws ``ControlError/Code/configuration`` when it is neither on nor off.
    package func isOn() throws(ControlError) -> Bool {
        switch text {
        case "true", "1", "yes": true
        case "false", "0", "no": false
        default: throw wrong("must be true or false")
        }
    }

    /// The error for a value that cannot be used: it names the key, the value and its source.
    ///
    /// - Parameter problem: the end of a sentence that begins with the value.
    package func wrong(_ problem: String) -> ControlError {
        ControlError(.configuration, "\(key.rawValue) is '\(text.prefix(256))' (\(source)); it \(problem)")
    }
}
