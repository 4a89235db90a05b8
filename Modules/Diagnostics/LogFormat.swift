/// The form of a log: words for a person, or JSON for a machine.
package enum LogFormat: String, Sendable, Hashable, Codable, CaseIterable { case text, json }
