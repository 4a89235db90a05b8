import Foundation

/// JSON for scripts.
enum JSONOutput {
    static func text(_ value: some Encodable) throws -> String { try text(value, [.prettyPrinted]) }

    /// Without line ends.
    static func line(_ value: some Encodable) throws -> String { try text(value, []) }

    private static func text(_ value: some Encodable, _ formatting: JSONEncoder.OutputFormatting) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting.union([.sortedKeys, .withoutEscapingSlashes])
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
