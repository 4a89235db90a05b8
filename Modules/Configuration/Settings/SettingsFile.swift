import CausewayControlAPI
import CausewayModels
import Foundation

/// A configuration file: one JSON object whose keys are those of ``SettingKey``.
struct SettingsFile: Sendable {
    let path: String
    let values: [SettingKey: String]

    /// Returns the named file, or the default one if it exists.
    static func find(named name: String?, folders: StandardFolders) throws(ControlError) -> SettingsFile? {
        if let name = name ?? folders.configFromEnvironment {
            return try read(StandardFolders.absolute(name), isRequired: true)
        }
        return try read(folders.defaultConfig, isRequired: false)
    }

    private static func read(_ path: String, isRequired: Bool) throws(ControlError) -> SettingsFile? {
        guard FileManager.default.fileExists(atPath: path) else {
            guard isRequired else { return nil }
            throw ControlError(.configuration, "there is no configuration file \(path)")
        }
        let data = try TextFile.read(path, bytesMax: ConfigurationLimits.configurationBytesMax, as: .configuration)
        let members: [String: JSONValue]
        do throws(ControlError) {
            members = try ControlJSON.decode([String: JSONValue].self, from: data, what: path)
        } catch {
            throw ControlError(.configuration, error.detail + "; it must be one JSON object")
        }
        var values: [SettingKey: String] = [:]
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            guard let key = SettingKey(rawValue: name) else {
                let known = SettingKey.allCases.map(\.rawValue).joined(separator: ", ")
                throw ControlError(.configuration, "\(path): unknown key `\(name)`; known are \(known)")
            }
            guard let text = text(value) else {
                throw ControlError(.configuration, "\(path): `\(name)` must be a string or a number")
            }
            values[key] = key.isPath ? pathText(text, besides: path) : text
        }
        return SettingsFile(path: path, values: values)
    }

    private static func text(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text): text
        case .integer(let number): String(number)
        case .double(let number): String(number)
        case .null, .bool, .array, .object: nil
        }
    }

    /// Resolves a path relative to the file's own folder.
    private static func pathText(_ text: String, besides file: String) -> String {
        guard !text.isEmpty, !text.hasPrefix("/"), !text.hasPrefix("~/") else { return text }
        return URL(fileURLWithPath: file).deletingLastPathComponent().appendingPathComponent(text).path
    }
}
