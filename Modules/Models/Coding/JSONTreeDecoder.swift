/// Decodes values from JSON in time that is linear in its bytes.
///
/// The text is parsed to a ``JSONValue`` first, and the value is decoded from that tree; a free-form JSON value inside
/// it is used as it is. Foundation's decoder has no such value: there, every wrong guess of a type throws an error with
/// the whole coding path, which costs thousands of times as much as the parse.
package enum JSONCoding {
    /// - Throws: ``JSONProblem`` if the bytes are not JSON or exceed a limit, `DecodingError` if the JSON does not
    ///   match `Value`.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8], depthMax: Int = JSONParser.depthMaxDefault, valuesMax: Int = .max
    ) throws -> Value {
        let tree = try JSONParser.parse(bytes, depthMax: depthMax, valuesMax: valuesMax)
        return try Value(from: JSONTreeDecoder(tree))
    }

    /// Decodes a value from a part of a tree.
    ///
    /// - Throws: `DecodingError` if it does not match `Value`.
    package static func decode<Value: Decodable>(_ type: Value.Type, from tree: JSONValue) throws -> Value {
        try Value(from: JSONTreeDecoder(tree))
    }
}

/// A decoder over a tree that has already been parsed.
struct JSONTreeDecoder: Decoder {
    /// The path from the root to a value; turned into an array only for an error.
    indirect enum Path {
        case root
        case member(Path, any CodingKey)

        var keys: [any CodingKey] {
            var keys: [any CodingKey] = []
            var path = self
            while case .member(let parent, let key) = path {
                keys.append(key)
                path = parent
            }
            return keys.reversed()
        }
    }

    struct Index: CodingKey {
        let intValue: Int?
        var stringValue: String { "Index \(intValue ?? 0)" }

        init(_ index: Int) { intValue = index }
        init?(stringValue: String) { nil }
        init?(intValue: Int) { self.init(intValue) }
    }

    let value: JSONValue
    private let parent: Path
    private let key: (any CodingKey)?

    init(_ value: JSONValue, at path: Path = .root) {
        self.value = value
        parent = path
        key = nil
    }

    /// Creates a decoder for the member or element `key` of the value at `parent`. Most values never need their path:
    /// building it on demand saves an allocation for each of them.
    init(_ value: JSONValue, of key: any CodingKey, in parent: Path) {
        self.value = value
        self.parent = parent
        self.key = key
    }

    var path: Path { key.map { .member(parent, $0) } ?? parent }

    var codingPath: [any CodingKey] { path.keys }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = value else { throw mismatch([String: JSONValue].self, "an object") }
        return KeyedDecodingContainer(JSONKeyedContainer(members: members, path: path))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else { throw mismatch([JSONValue].self, "an array") }
        return JSONUnkeyedContainer(elements: elements, path: path)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func mismatch(_ type: any Any.Type, _ expected: String) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: codingPath, debugDescription: "expected \(expected), found \(value.kind)")
        return value.isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }
}

extension JSONTreeDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value.isNull }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard case .bool(let flag) = value else { throw mismatch(type, "true or false") }
        return flag
    }

    func decode(_ type: String.Type) throws -> String {
        guard case .string(let text) = value else { throw mismatch(type, "a string") }
        return text
    }

    func decode(_ type: Double.Type) throws -> Double {
        switch value {
        case .integer(let number): return Double(number)
        case .double(let number): return number
        default: throw mismatch(type, "a number")
        }
    }

    func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }
    func decode(_ type: Int.Type) throws -> Int { try integer() }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
    func decode(_ type: UInt.Type) throws -> UInt { try integer() }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: self) }

    private func integer<Number: FixedWidthInteger>() throws -> Number {
        switch value {
        case .integer(let number):
            guard let exact = Number(exactly: number) else { throw tooLarge(Number.self) }
            return exact
        case .double: throw tooLarge(Number.self)
        default: throw mismatch(Number.self, "a whole number")
        }
    }

    private func tooLarge(_ type: any Any.Type) -> DecodingError {
        .dataCorrupted(.init(codingPath: codingPath, debugDescription: "the number does not fit into \(type)"))
    }
}

extension JSONValue {
    var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The name of the type for error messages, never the value.
    fileprivate var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .integer, .double: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
