/// The settings of a process, as JSON: each with its value and its source.
package struct SettingsResponse: Sendable, Hashable, Codable {
    package struct Entry: Sendable, Hashable, Codable {
        /// Absent when the setting has no value.
        package let value: String?
        package let source: String

        package init(value: String?, source: String) {
            self.value = value
            self.source = source
        }
    }

    /// Keyed by the name of the setting in a configuration file.
    package let entries: [String: Entry]

    package init(entries: [String: Entry]) { self.entries = entries }

    package init(from decoder: any Decoder) throws {
        entries = try decoder.singleValueContainer().decode([String: Entry].self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(entries)
    }
}
