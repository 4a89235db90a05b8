import CausewayModels
package import Foundation

/// The JSON of the control service: keys in alphabetical order, so that equal values give equal text.
package enum ControlJSON {
    /// Encodes one line of JSON, without a line end.
    package static func encode(_ value: some Encodable) throws(ControlError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return try encoder.encode(value)
        } catch {
            throw ControlError(.internalError, "a response could not be encoded as JSON")
        }
    }

    /// - Parameter what: names the input in the error: "the body", "line 3".
    package static func decode<Value: Decodable>(
        _ type: Value.Type, from data: Data, what: String
    ) throws(ControlError) -> Value {
        do {
            return try JSONCoding.decode(type, from: Array(data))
        } catch let error as DecodingError {
            throw ControlError(.badRequest, what + " " + words(for: error))
        } catch {
            throw ControlError(.badRequest, "\(what) is not valid JSON")
        }
    }

    /// Describes the error and its location; never a value, which may be a secret.
    private static func words(for error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, let context):
            return "lacks the key `\(path(context.codingPath + [key]))`"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            return context.codingPath.isEmpty
                ? "has an unexpected structure" : "has the wrong kind of value at `\(path(context.codingPath))`"
        case .dataCorrupted(let context):
            guard !context.codingPath.isEmpty else { return "is not valid JSON" }
            return "is wrong at `\(path(context.codingPath))`: \(context.debugDescription)"
        @unknown default:
            return "is not valid JSON"
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.map { key in key.intValue.map { "[\($0)]" } ?? key.stringValue }.joined(separator: ".")
    }
}
