/// The members of an object, by name. Not generic over the keys, so that a lookup costs no more than a dictionary
/// access.
private struct JSONMembers {
    let members: [String: JSONValue]
    let path: JSONTreeDecoder.Path

    func decoder(_ key: any CodingKey) throws -> JSONTreeDecoder {
        guard let value = members[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key, .init(codingPath: path.keys, debugDescription: "“\(key.stringValue)” is missing"))
        }
        return JSONTreeDecoder(value, of: key, in: path)
    }

    /// Looks up a member that may be missing or null.
    func present(_ key: any CodingKey) -> JSONTreeDecoder? {
        guard let value = members[key.stringValue], !value.isNull else { return nil }
        return JSONTreeDecoder(value, of: key, in: path)
    }
}

/// A keyed container over an object.
struct JSONKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let object: JSONMembers

    init(members: [String: JSONValue], path: JSONTreeDecoder.Path) {
        object = JSONMembers(members: members, path: path)
    }

    var codingPath: [any CodingKey] { object.path.keys }
    var allKeys: [Key] { object.members.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { object.members[key.stringValue] != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try object.decoder(key).decodeNil() }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try object.decoder(key).decode(type) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try object.decoder(key).decode(type) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try object.decoder(key).decode(type) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try object.decoder(key).decode(type) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try object.decoder(key).decode(type) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try object.decoder(key).decode(type) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try object.decoder(key).decode(type) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try object.decoder(key).decode(type) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try object.decoder(key).decode(type) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try object.decoder(key).decode(type) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try object.decoder(key).decode(type) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try object.decoder(key).decode(type) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try object.decoder(key).decode(type) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try object.decoder(key).decode(type) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try Value(from: object.decoder(key))
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try object.present(key)?.decode(type) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try object.present(key)?.decode(type)
    }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try object.present(key)?.decode(type)
    }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try object.present(key)?.decode(type) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try object.present(key)?.decode(type) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try object.present(key)?.decode(type) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try object.present(key)?.decode(type) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try object.present(key)?.decode(type) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try object.present(key)?.decode(type) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try object.present(key)?.decode(type) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try object.present(key)?.decode(type) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        try object.present(key)?.decode(type)
    }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        try object.present(key)?.decode(type)
    }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        try object.present(key)?.decode(type)
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard let decoder = object.present(key) else { return nil }
        return try Value(from: decoder)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try object.decoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try object.decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { JSONTreeDecoder(.object(object.members), at: object.path) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try object.decoder(key) }
}

/// An unkeyed container over the elements of an array.
struct JSONUnkeyedContainer: UnkeyedDecodingContainer {
    let elements: [JSONValue]
    let path: JSONTreeDecoder.Path
    private(set) var currentIndex = 0

    init(elements: [JSONValue], path: JSONTreeDecoder.Path) {
        self.elements = elements
        self.path = path
    }

    var codingPath: [any CodingKey] { path.keys }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    private func element() throws -> JSONTreeDecoder {
        let index = JSONTreeDecoder.Index(currentIndex)
        guard !isAtEnd else {
            let here = JSONTreeDecoder.Path.member(path, index)
            throw DecodingError.valueNotFound(
                JSONValue.self, .init(codingPath: here.keys, debugDescription: "the array ends before this element"))
        }
        return JSONTreeDecoder(elements[currentIndex], of: index, in: path)
    }

    private mutating func decoded<Value>(_ decode: (JSONTreeDecoder) throws -> Value) throws -> Value {
        let value = try decode(element())
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        guard try element().decodeNil() else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try decoded { try $0.decode(type) } }
    mutating func decode(_ type: String.Type) throws -> String { try decoded { try $0.decode(type) } }
    mutating func decode(_ type: Double.Type) throws -> Double { try decoded { try $0.decode(type) } }
    mutating func decode(_ type: Float.Type) throws -> Float { try decoded { try $0.decode(type) } }
    mutating func decode(_ type: Int.Type) throws -> Int { try decoded { try $0.decode(type) } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try decoded { try $0.decode(type) } }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try decoded { try $0.decode(type) } }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try decoded { try $0.decode(type) } }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try decoded { try $0.decode(type) } }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try decoded { try $0.decode(type) } }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try decoded { try $0.decode(type) } }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try decoded { try $0.decode(type) } }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try decoded { try $0.decode(type) } }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try decoded { try $0.decode(type) } }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoded { try Value(from: $0) } }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested>
    { try decoded { try $0.container(keyedBy: type) } }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try decoded { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try decoded { $0 } }
}
