#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// JSON as the hub reads and writes it: shortest form, keys sorted, so that equal values give equal text.
enum HubCoding {
    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()

    static func encode(_ value: some Encodable) throws -> [UInt8] { Array(try encoder.encode(value)) }

    static func decode<Value: Decodable>(_ type: Value.Type, from bytes: some Sequence<UInt8>) throws -> Value {
        try JSONDecoder().decode(type, from: Data(bytes))
    }

    /// Where and what is wrong with a body, for the client's developer; short, whatever the body holds.
    static func explanation(of error: any Error) -> String {
        guard let error = error as? DecodingError else { return "the JSON cannot be read" }
        let (path, text): ([any CodingKey], String) =
            switch error {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                (context.codingPath, context.debugDescription)
            case .keyNotFound(let key, let context):
                (context.codingPath, "“\(key.stringValue)” is missing")
            @unknown default:
                ([], "the JSON cannot be read")
            }
        let place = path.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }.joined()
        let whole = place.isEmpty ? text : "at \(place.hasPrefix(".") ? String(place.dropFirst()) : place): \(text)"
        return String(whole.prefix(HubLimits.detailCharactersMax))
    }

    /// How deep the arrays and objects of a JSON text are nested. Does not check that it is JSON.
    ///
    /// Asked before a body is decoded, because decoding recurses.
    static func depth(of bytes: [UInt8]) -> Int {
        var depth = 0
        var deepest = 0
        var isInString = false
        var isEscaped = false
        for byte in bytes {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                deepest = max(deepest, depth)
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: continue
            }
        }
        return deepest
    }
}
