/// A keyed container that adds members to an object.
struct JSONKeyedEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let members: JSONNode.Members
    let path: JSONTreeDecoder.Path

    var codingPath: [any CodingKey] { path.keys }

    private func add(_ key: Key, _ node: JSONNode) { members.add(key.stringValue, node) }

    func encodeNil(forKey key: Key) { add(key, .null) }
    func encode(_ value: Bool, forKey key: Key) { add(key, .bool(value)) }
    func encode(_ value: String, forKey key: Key) { add(key, .string(value)) }
    func encode(_ value: Double, forKey key: Key) { add(key, .double(value)) }
    func encode(_ value: Float, forKey key: Key) { add(key, .init(value)) }
    func encode(_ value: Int, forKey key: Key) { add(key, .init(value)) }
    func encode(_ value: Int8, forKey key: Key) { add(key, .init(value)) }
    func encode(_ value: Int16, forKey key: Key) { add(key, .init(value)) }
    func encode(_ value: Int32, forKey key: Key) { add(key, .init(value)) }
    func encode(_ value: Int64, forKey key: Key) { add(key, .init(value)) }
    func encode(_ value: UInt, forKey key: Key) { add(key, .init(value)) }
    func encode(_ value: UInt8, forKey key: Key) { add(key, .init(value)) }
    func encode(_ value: UInt16, forKey key: Key) { add(key, .init(value)) }
    func encode(_ value: UInt32, forKey key: Key) { add(key, .init(value)) }
    func encode(_ value: UInt64, forKey key: Key) { add(key, .init(value)) }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        add(key, try .init(encoding: value, with: JSONTreeEncoder(of: key, in: path)))
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        let members = JSONNode.Members()
        add(key, .object(members))
        return KeyedEncodingContainer(
            JSONKeyedEncodingContainer<Nested>(members: members, path: .member(path, key)))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        let elements = JSONNode.Elements()
        add(key, .array(elements))
        return JSONUnkeyedEncodingContainer(elements: elements, path: .member(path, key))
    }

    func superEncoder() -> any Encoder { superEncoder(of: JSONSuperKey()) }
    func superEncoder(forKey key: Key) -> any Encoder { superEncoder(of: key) }

    private func superEncoder(of key: any CodingKey) -> any Encoder {
        let encoder = JSONTreeEncoder(of: key, in: path)
        members.add(key.stringValue, .encoder(encoder))
        return encoder
    }
}

/// An unkeyed container that appends to an array.
struct JSONUnkeyedEncodingContainer: UnkeyedEncodingContainer {
    let elements: JSONNode.Elements
    let path: JSONTreeDecoder.Path

    var codingPath: [any CodingKey] { path.keys }
    var count: Int { elements.nodes.count }

    private func add(_ node: JSONNode) { elements.nodes.append(node) }
    private var next: JSONTreeDecoder.Index { JSONTreeDecoder.Index(count) }

    func encodeNil() { add(.null) }
    func encode(_ value: Bool) { add(.bool(value)) }
    func encode(_ value: String) { add(.string(value)) }
    func encode(_ value: Double) { add(.double(value)) }
    func encode(_ value: Float) { add(.init(value)) }
    func encode(_ value: Int) { add(.init(value)) }
    func encode(_ value: Int8) { add(.init(value)) }
    func encode(_ value: Int16) { add(.init(value)) }
    func encode(_ value: Int32) { add(.init(value)) }
    func encode(_ value: Int64) { add(.init(value)) }
    func encode(_ value: UInt) { add(.init(value)) }
    func encode(_ value: UInt8) { add(.init(value)) }
    func encode(_ value: UInt16) { add(.init(value)) }
    func encode(_ value: UInt32) { add(.init(value)) }
    func encode(_ value: UInt64) { add(.init(value)) }
    func encode(_ value: some Encodable) throws {
        add(try .init(encoding: value, with: JSONTreeEncoder(of: next, in: path)))
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        let path = JSONTreeDecoder.Path.member(path, next)
        let members = JSONNode.Members()
        add(.object(members))
        return KeyedEncodingContainer(JSONKeyedEncodingContainer<Nested>(members: members, path: path))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        let path = JSONTreeDecoder.Path.member(path, next)
        let nested = JSONNode.Elements()
        add(.array(nested))
        return JSONUnkeyedEncodingContainer(elements: nested, path: path)
    }

    func superEncoder() -> any Encoder {
        let encoder = JSONTreeEncoder(of: next, in: path)
        add(.encoder(encoder))
        return encoder
    }
}

/// The member that holds what a superclass encodes without a key of its own.
private struct JSONSuperKey: CodingKey {
    var stringValue: String { "super" }
    var intValue: Int? { nil }

    init() {}
    init?(stringValue: String) { nil }
    init?(intValue: Int) { nil }
}
