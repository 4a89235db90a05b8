extension JSONCoding {
    /// Encodes a value as compact JSON with members sorted by name, so that equal values give equal text. Slashes are
    /// not escaped.
    ///
    /// The counterpart of ``decode(_:from:depthMax:valuesMax:)``: fields of Foundation's types have the form that they
    /// give themselves, not the special one of Foundation's encoder, which `decode` could not read.
    ///
    /// - Throws: `EncodingError` for a number that JSON cannot represent, or an error of the value itself.
    /// - Complexity: O(bytes), plus a sort of the names of each object.
    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        var writer = JSONWriter()
        let node = try JSONNode(encoding: value, with: JSONTreeEncoder(at: .root))
        guard writer.write(node) else {
            throw EncodingError.invalidValue(
                value, .init(codingPath: [], debugDescription: "a number that JSON cannot represent"))
        }
        return writer.bytes
    }
}

/// A value on its way from an `Encodable` to text. Unlike a ``JSONValue``, it can still grow, and costs no hashing.
enum JSONNode {
    case null
    case bool(Bool)
    case integer(Int64)
    /// Beyond the range of `integer`.
    case unsigned(UInt64)
    case double(Double)
    case string(String)
    case value(JSONValue)
    case array(Elements)
    case object(Members)
    /// A value that is encoded later, by whoever holds its encoder.
    case encoder(JSONTreeEncoder)

    /// An array that its containers append to.
    final class Elements {
        var nodes: [JSONNode] = []
    }

    /// An object that its containers add members to. Of members with equal names the last one wins.
    final class Members {
        private(set) var members: [(name: String, node: JSONNode)] = []

        func add(_ name: String, _ node: JSONNode) { members.append((name, node)) }

        /// - Complexity: O(members), and O(members × log members) unless they were added in this order.
        var sorted: [(name: String, node: JSONNode)] {
            var sorted = members
            sorted.sort { $0.name < $1.name }
            guard zip(sorted, sorted.dropFirst()).contains(where: { $0.name == $1.name }) else { return sorted }
            let last = Dictionary(members) { _, last in last }
            return last.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        }
    }

    init(_ number: some BinaryInteger) {
        self = Int64(exactly: number).map(JSONNode.integer) ?? .unsigned(UInt64(clamping: number))
    }

    /// - Parameter number: one that a double of its own text stands for: 0.1, and not the nearest `Float` to it.
    init(_ number: Float) { self = .double(Double(number.description) ?? Double(number)) }

    init<Value: Encodable>(encoding value: Value, with encoder: @autoclosure () -> JSONTreeEncoder) throws {
        if Value.self == JSONValue.self, let value = value as? JSONValue {
            self = .value(value)
            return
        }
        let encoder = encoder()
        try value.encode(to: encoder)
        self = encoder.finished
    }
}

extension JSONWriter {
    /// - Returns: false if the node contains a number that JSON cannot represent.
    fileprivate mutating func write(_ node: JSONNode) -> Bool {
        switch node {
        case .null: return write(JSONValue.null)
        case .bool(let flag): return write(JSONValue.bool(flag))
        case .integer(let number): return write(JSONValue.integer(number))
        case .unsigned(let number): append(String(number))
        case .double(let number): return write(JSONValue.double(number))
        case .string(let text): return write(JSONValue.string(text))
        case .value(let value): return write(value)
        case .array(let elements): return writeArray(elements.nodes) { $0.write($1) }
        case .object(let members): return writeObject(members.sorted) { $0.write($1) }
        case .encoder(let encoder): return write(encoder.finished)
        }
        return true
    }
}

/// The encoder of one value: whatever container it asks for first determines its type.
final class JSONTreeEncoder: Encoder {
    private var node: JSONNode?
    private let parent: JSONTreeDecoder.Path
    private let key: (any CodingKey)?

    init(at path: JSONTreeDecoder.Path) {
        parent = path
        key = nil
    }

    /// Creates an encoder for the member or element `key` of the value at `parent`; most never need their path.
    init(of key: any CodingKey, in parent: JSONTreeDecoder.Path) {
        self.parent = parent
        self.key = key
    }

    /// A value that encoded nothing is an empty object.
    var finished: JSONNode { node ?? .object(JSONNode.Members()) }

    private var path: JSONTreeDecoder.Path { key.map { .member(parent, $0) } ?? parent }

    var codingPath: [any CodingKey] { path.keys }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .object(let members) = node {
            return KeyedEncodingContainer(JSONKeyedEncodingContainer(members: members, path: path))
        }
        precondition(node == nil, "A value asked for two containers of different types.")
        let members = JSONNode.Members()
        node = .object(members)
        return KeyedEncodingContainer(JSONKeyedEncodingContainer(members: members, path: path))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .array(let elements) = node { return JSONUnkeyedEncodingContainer(elements: elements, path: path) }
        precondition(node == nil, "A value asked for two containers of different types.")
        let elements = JSONNode.Elements()
        node = .array(elements)
        return JSONUnkeyedEncodingContainer(elements: elements, path: path)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension JSONTreeEncoder: SingleValueEncodingContainer {
    func encodeNil() { node = .null }
    func encode(_ value: Bool) { node = .bool(value) }
    func encode(_ value: String) { node = .string(value) }
    func encode(_ value: Double) { node = .double(value) }
    func encode(_ value: Float) { node = .init(value) }
    func encode(_ value: Int) { node = .init(value) }
    func encode(_ value: Int8) { node = .init(value) }
    func encode(_ value: Int16) { node = .init(value) }
    func encode(_ value: Int32) { node = .init(value) }
    func encode(_ value: Int64) { node = .init(value) }
    func encode(_ value: UInt) { node = .init(value) }
    func encode(_ value: UInt8) { node = .init(value) }
    func encode(_ value: UInt16) { node = .init(value) }
    func encode(_ value: UInt32) { node = .init(value) }
    func encode(_ value: UInt64) { node = .init(value) }
    func encode(_ value: some Encodable) throws { node = try .init(encoding: value, with: JSONTreeEncoder(at: path)) }
}
