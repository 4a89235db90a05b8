/// The settings of a process, as JSON: each with its value and its source.
package struct SettingsResponse: Sendable, Hashable, Codable {
    package struct Entry: Sendable, Hashable, Codable {
        /// Absent when the setting has no value.
        package let value: String?
        package let source: String
    }

    /// Keyed by ``SettingKey``.
    package let entries: [String: Entry]

    package init(_ settings: Settings) {
        var entries: [String: Entry] = [:]
        for key in SettingKey.allCases {
            entries[key.rawValue] = Entry(
                value: settings.text(of: key), source: settings.source(of: key).description)
        }
        self.entries = entries
    }

    package init(from decoder: any Decoder) throws {
        entries = try decoder.singleValueContainer().decode([String: Entry].self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(entries)
    }
}
