/// Writes a ``JSONValue`` as text without white space and with members sorted by name, so that equal values produce
/// equal text.
///
/// - Complexity: O(bytes), plus a sort of the names of each object.
package struct JSONWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// The text of a value; `nil` if it contains a number that JSON cannot represent.
    package static func text(of value: JSONValue) -> [UInt8]? {
        var writer = JSONWriter()
        return writer.write(value) ? writer.bytes : nil
    }

    /// - Returns: false if the value contains a number that JSON cannot represent.
    package mutating func write(_ value: JSONValue) -> Bool {
        switch value {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let flag): bytes.append(contentsOf: (flag ? "true" : "false").utf8)
        case .integer(let number): bytes.append(contentsOf: String(number).utf8)
        case .double(let number):
            guard number.isFinite else { return false }
            let text = number.description
            bytes.append(contentsOf: (text.hasSuffix(".0") ? text.dropLast(2) : text[...]).utf8)
        case .string(let text): write(text)
        case .array(let elements): return writeArray(elements) { $0.write($1) }
        case .object(let members): return writeObject(members.sorted { $0.key < $1.key }) { $0.write($1) }
        }
        return true
    }

    /// - Parameter write: writes an element; returns false if it contains a number that JSON cannot represent.
    mutating func writeArray<Element>(_ elements: [Element], _ write: (inout JSONWriter, Element) -> Bool) -> Bool {
        bytes.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            guard write(&self, element) else { return false }
        }
        bytes.append(UInt8(ascii: "]"))
        return true
    }

    /// - Parameters:
    ///   - members: in the order in which they are written.
    ///   - write: writes a value; returns false if it contains a number that JSON cannot represent.
    mutating func writeObject<Value>(
        _ members: [(String, Value)], _ write: (inout JSONWriter, Value) -> Bool
    ) -> Bool {
        bytes.append(UInt8(ascii: "{"))
        for (index, member) in members.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            self.write(member.0)
            bytes.append(UInt8(ascii: ":"))
            guard write(&self, member.1) else { return false }
        }
        bytes.append(UInt8(ascii: "}"))
        return true
    }

    mutating func append(_ json: String) { bytes.append(contentsOf: json.utf8) }

    private mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        // Nearly all texts need no escape.
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
            bytes.append(contentsOf: text.utf8)
        } else {
            escape(text)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(contentsOf: [UInt8(ascii: "\\"), byte])
            case 0x08: bytes.append(contentsOf: #"\b"#.utf8)
            case 0x09: bytes.append(contentsOf: #"\t"#.utf8)
            case 0x0A: bytes.append(contentsOf: #"\n"#.utf8)
            case 0x0C: bytes.append(contentsOf: #"\f"#.utf8)
            case 0x0D: bytes.append(contentsOf: #"\r"#.utf8)
            case 0..<0x20:
                bytes.append(contentsOf: (byte < 0x10 ? #"\u000"# : #"\u00"#).utf8)
                bytes.append(contentsOf: String(byte, radix: 16).utf8)
            default: bytes.append(byte)
            }
        }
    }
}
