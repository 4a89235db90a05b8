/// The format of a log: text for people, or JSON for programs.
package enum LogFormat: String, Sendable, Hashable, Codable, CaseIterable { case text, json }
