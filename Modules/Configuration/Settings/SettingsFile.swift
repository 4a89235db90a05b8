package import CausewayControlAPI
import CausewayModels
import Foundation

/// A configuration file of a program: one JSON object whose keys are those of its settings.
package struct SettingsFile<Key: ProgramSettingKey>: Sendable {
    package let path: String
    let values: [Key: String]

    /// Reads a file that the user named, or the default one if it exists.
    ///
    /// Throws ``ControlError/Code/configuration`` when a named file is missing, and for a file that cannot be read, has
    /// an unknown key, or a value of the wrong kind.
    package static func find(
        named name: String?, otherwise usual: String
    ) throws(ControlError) -> SettingsFile? {
        if let name { return try SettingsFile(StandardFolders.absolute(name)) }
        return FileManager.default.fileExists(atPath: usual) ? try SettingsFile(usual) : nil
    }

    private init(_ path: String) throws(ControlError) {
        guard FileManager.default.fileExists(atPath: path) else {
            throw ControlError(.configuration, "there is no configuration file \(path)")
        }
        let data = try TextFile.read(path, bytesMax: ConfigurationLimits.configurationBytesMax, as: .configuration)
        let members: [String: JSONValue]
        do throws(ControlError) {
            members = try ControlJSON.decode([String: JSONValue].self, from: data, what: path)
        } catch {
            throw ControlError(.configuration, error.detail + "; it must be one JSON object")
        }
        var values: [Key: String] = [:]
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            guard let key = Key(rawValue: name) else {
                let known = Key.allCases.map(\.rawValue).joined(separator: ", ")
                throw ControlError(.configuration, "\(path): unknown key `\(name)`; known are \(known)")
            }
            guard let text = key.form.text(value) else {
                throw ControlError(.configuration, "\(path): `\(name)` must be \(key.form.words)")
            }
            values[key] = key.form == .path ? Self.path(text, besides: path) : text
        }
        self.path = path
        self.values = values
    }

    /// Resolves a path relative to the file's own folder.
    private static func path(_ text: String, besides file: String) -> String {
        guard !text.isEmpty, !text.hasPrefix("/"), !text.hasPrefix("~/") else { return text }
        return URL(fileURLWithPath: file).deletingLastPathComponent().appendingPathComponent(text).path
    }
}

extension SettingForm {
    /// The value as text; `nil` when it has another form.
    fileprivate func text(_ value: JSONValue) -> String? {
        switch (self, value) {
        case (_, .string(let text)): return text
        case (.text, .integer(let number)), (.path, .integer(let number)): return String(number)
        case (.text, .double(let number)), (.path, .double(let number)): return String(number)
        case (.onOff, .bool(let isOn)): return isOn ? "true" : "false"
        case (.list, .array(let parts)):
            let texts = parts.compactMap { part in
                if case .string(let text) = part { text } else { nil }
            }
            return texts.count == parts.count ? texts.joined(separator: ",") : nil
        default: return nil
        }
    }

    fileprivate var words: String {
        switch self {
        case .text, .path: "a string or a number"
        case .onOff: "true or false"
        case .list: "a list of strings"
        }
    }
}
