/// Any JSON value. Integers that fit are kept exact; other numbers are doubles.
public enum JSONValue: Sendable, Hashable {
    /// The literal `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A whole number that fits; read from text, also one written with a fraction or an exponent, such as `1.0`.
    case integer(Int64)
    /// Any other number, rounded to a double; never infinite when read from text.
    case double(Double)
    /// A string, without its quotes and escapes.
    case string(String)
    /// An array, in its order.
    case array([JSONValue])
    /// An object; its members have no order.
    case object([String: JSONValue])

    /// The nesting depth of arrays and objects: 0 for a plain value.
    public var depth: Int {
        switch self {
        case .array(let values): 1 + (values.map(\.depth).max() ?? 0)
        case .object(let members): 1 + (members.values.map(\.depth).max() ?? 0)
        default: 0
        }
    }

    /// The value as a write followed by a read returns it: JSON does not distinguish 1.0 from 1.
    ///
    /// - Complexity: O(values).
    package var normalized: JSONValue {
        switch self {
        case .double(let number): Int64(exactly: number).map(JSONValue.integer) ?? self
        case .array(let values): .array(values.map(\.normalized))
        case .object(let members): .object(members.mapValues(\.normalized))
        case .null, .bool, .integer, .string: self
        }
    }

    /// The member of an object; `nil` for anything else.
    public subscript(member: String) -> JSONValue? {
        if case .object(let members) = self { members[member] } else { nil }
    }

    /// The text of a string; `nil` for anything else.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }
}

extension JSONValue: Codable {
    /// Decodes a value from any decoder. A decoder without free-form JSON values finds the type by trial and error; use
    /// `JSONCoding` for bytes from outside.
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? JSONTreeDecoder {
            self = decoder.value
            return
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}
