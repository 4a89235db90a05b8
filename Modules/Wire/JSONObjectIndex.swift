package import CausewayModels

/// The members of an object in a JSON text, found without reading their values: a large value is decoded once, by its
/// user, and not a second time for its surroundings.
///
/// Values are delimited by their quotes and brackets, and not checked otherwise. Of members with equal names the first
/// one wins.
///
/// - Complexity: O(bytes).
package struct JSONObjectIndex: Sendable {
    private let bytes: [UInt8]
    private let ranges: [String: Range<Int>]

    /// - Throws: `invalid` if the bytes are not an object, `tooManyValues` if it has more members.
    package init(_ bytes: [UInt8], membersMax: Int) throws(JSONProblem) {
        self.bytes = bytes
        var scanner = ValueScanner(bytes)
        ranges = try scanner.object(membersMax: membersMax)
    }

    /// The text of a member's value, to be decoded; `nil` if there is none.
    package subscript(name: String) -> ArraySlice<UInt8>? { ranges[name].map { bytes[$0] } }

    /// The bytes of all values except one.
    package func valueBytes(without name: String) -> Int {
        ranges.reduce(0) { $0 + ($1.key == name ? 0 : $1.value.count) }
    }
}

/// Finds the ends of values.
private struct ValueScanner {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private var invalid: JSONProblem { .invalid(offset: offset) }

    mutating func object(membersMax: Int) throws(JSONProblem) -> [String: Range<Int>] {
        var ranges: [String: Range<Int>] = [:]
        try consume("{")
        if try next() == UInt8(ascii: "}") {
            offset += 1
        } else {
            repeat {
                guard ranges.count < membersMax else { throw .tooManyValues(valuesMax: membersMax) }
                let name = try name()
                try consume(":")
                _ = try next()
                let start = offset
                try value()
                if ranges[name] == nil { ranges[name] = start..<offset }
            } while try goesOn()
        }
        skipSpace()
        guard offset == bytes.count else { throw invalid }
        return ranges
    }

    private mutating func name() throws(JSONProblem) -> String {
        guard try next() == UInt8(ascii: "\"") else { throw invalid }
        let start = offset
        try string()
        guard case .string(let name) = try JSONParser.parse(Array(bytes[start..<offset])) else { throw invalid }
        return name
    }

    /// Consumes a comma or the closing bracket; true after a comma.
    private mutating func goesOn() throws(JSONProblem) -> Bool {
        let byte = try next()
        guard byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") else { throw invalid }
        offset += 1
        return byte == UInt8(ascii: ",")
    }

    private mutating func value() throws(JSONProblem) {
        var depth = 0
        repeat {
            switch try next() {
            case UInt8(ascii: "\""): try string()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                offset += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard depth > 0 else { throw invalid }
                depth -= 1
                offset += 1
            case UInt8(ascii: ","), UInt8(ascii: ":"):
                guard depth > 0 else { throw invalid }
                offset += 1
            default: scalar()
            }
        } while depth > 0
    }

    /// Consumes a number or a word.
    private mutating func scalar() {
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: "\""),
                UInt8(ascii: "{"), UInt8(ascii: "["), 0x20, 0x0A, 0x0D, 0x09:
                return
            default: offset += 1
            }
        }
    }

    private mutating func string() throws(JSONProblem) {
        offset += 1
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                offset += 1
                return
            case UInt8(ascii: "\\"): offset += 2
            default: offset += 1
            }
        }
        offset = bytes.count
        throw invalid
    }

    private mutating func consume(_ character: Unicode.Scalar) throws(JSONProblem) {
        guard try next() == UInt8(ascii: character) else { throw invalid }
        offset += 1
    }

    private mutating func skipSpace() {
        while offset < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[offset]) { offset += 1 }
    }

    /// The next byte that is not white space, without consuming it.
    private mutating func next() throws(JSONProblem) -> UInt8 {
        skipSpace()
        guard offset < bytes.count else { throw invalid }
        return bytes[offset]
    }
}
