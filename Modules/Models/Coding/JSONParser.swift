/// The reason why bytes were rejected as JSON text.
package enum JSONProblem: Error, Sendable, Hashable {
    /// Not JSON (RFC 8259) in UTF-8; `offset` is the first invalid byte.
    case invalid(offset: Int)
    /// Arrays and objects are nested deeper than the parser accepts.
    case tooDeep(depthMax: Int)
    /// More values than the parser accepts; every element, member, array and object counts as one.
    case tooManyValues(valuesMax: Int)
}

extension JSONProblem: CustomStringConvertible {
    package var description: String {
        switch self {
        case .invalid(let offset): "invalid JSON at byte \(offset)"
        case .tooDeep(let depthMax): "the JSON is nested deeper than \(depthMax) levels"
        case .tooManyValues(let valuesMax): "the JSON holds more than \(valuesMax) values"
        }
    }
}

/// Reads one JSON text into a ``JSONValue``.
///
/// The first byte of a value determines its type; nothing is found by attempts that fail. Values are counted while they
/// are read, so that a short text that would need much memory is rejected before that memory is allocated. Of members
/// with equal names the first one wins, as in Foundation's decoder.
///
/// - Complexity: O(bytes).
package struct JSONParser {
    /// Deep enough for all content ever stored; the parser recurses once for each level.
    package static let depthMaxDefault = 512

    private let bytes: [UInt8]
    private let depthMax: Int
    private let valuesMax: Int
    private var offset = 0
    private var values = 0
    private var depth = 0

    private init(_ bytes: [UInt8], depthMax: Int, valuesMax: Int) {
        self.bytes = bytes
        self.depthMax = depthMax
        self.valuesMax = valuesMax
    }

    package static func parse(
        _ bytes: [UInt8], depthMax: Int = depthMaxDefault, valuesMax: Int = .max
    ) throws(JSONProblem) -> JSONValue {
        var parser = JSONParser(bytes, depthMax: depthMax, valuesMax: valuesMax)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { parser.offset = 3 }
        let value = try parser.value()
        guard parser.next() == nil else { throw parser.invalid }
        return value
    }

    private var invalid: JSONProblem { .invalid(offset: offset) }

    /// The next byte that is not white space, without consuming it.
    private mutating func next() -> UInt8? {
        while offset < bytes.count {
            switch bytes[offset] {
            case 0x20, 0x0A, 0x0D, 0x09: offset += 1
            case let byte: return byte
            }
        }
        return nil
    }

    private mutating func value() throws(JSONProblem) -> JSONValue {
        values += 1
        guard values <= valuesMax else { throw .tooManyValues(valuesMax: valuesMax) }
        switch next() {
        case UInt8(ascii: "\""): return .string(try text())
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        default: return try number()
        }
    }

    private mutating func literal(_ word: String, _ value: JSONValue) throws(JSONProblem) -> JSONValue {
        for byte in word.utf8 {
            guard offset < bytes.count, bytes[offset] == byte else { throw invalid }
            offset += 1
        }
        return value
    }

    // MARK: - Arrays and objects

    private mutating func array() throws(JSONProblem) -> JSONValue {
        try descend()
        var elements: [JSONValue] = []
        if next() == UInt8(ascii: "]") {
            offset += 1
        } else {
            repeat { elements.append(try value()) } while try goesOn(until: UInt8(ascii: "]"))
        }
        depth -= 1
        return .array(elements)
    }

    private mutating func object() throws(JSONProblem) -> JSONValue {
        try descend()
        // A dictionary that grows with each member would hash all names several times.
        var members: [(String, JSONValue)] = []
        if next() == UInt8(ascii: "}") {
            offset += 1
        } else {
            repeat {
                guard next() == UInt8(ascii: "\"") else { throw invalid }
                let name = try text()
                guard next() == UInt8(ascii: ":") else { throw invalid }
                offset += 1
                members.append((name, try value()))
            } while try goesOn(until: UInt8(ascii: "}"))
        }
        depth -= 1
        return .object(Dictionary(members) { first, _ in first })
    }

    /// Consumes the opening bracket.
    private mutating func descend() throws(JSONProblem) {
        depth += 1
        guard depth <= depthMax else { throw .tooDeep(depthMax: depthMax) }
        offset += 1
    }

    /// Consumes a comma or the closing bracket; true after a comma.
    private mutating func goesOn(until end: UInt8) throws(JSONProblem) -> Bool {
        let byte = next()
        guard byte == UInt8(ascii: ",") || byte == end else { throw invalid }
        offset += 1
        return byte != end
    }

    // MARK: - Strings

    private mutating func text() throws(JSONProblem) -> String {
        offset += 1
        let start = offset
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                guard let text = String(validating: bytes[start..<offset], as: UTF8.self) else { throw invalid }
                offset += 1
                return text
            case UInt8(ascii: "\\"): return try escapedText(from: start)
            case 0..<0x20: throw invalid
            default: offset += 1
            }
        }
        throw invalid
    }

    /// Reads the rest of a string whose first escape is at `offset`.
    private mutating func escapedText(from start: Int) throws(JSONProblem) -> String {
        var unescaped = Array(bytes[start..<offset])
        while offset < bytes.count {
            let byte = bytes[offset]
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: unescaped, as: UTF8.self) else { throw invalid }
                offset += 1
                return text
            case UInt8(ascii: "\\"):
                offset += 1
                try escape(into: &unescaped)
            case 0..<0x20: throw invalid
            default:
                unescaped.append(byte)
                offset += 1
            }
        }
        throw invalid
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONProblem) {
        guard offset < bytes.count else { throw invalid }
        let byte = bytes[offset]
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "u"): text.append(contentsOf: Character(try scalar()).utf8)
        default: throw invalid
        }
    }

    /// Reads the scalar of `\uXXXX`, or of two of them that form a surrogate pair; a lone surrogate is invalid.
    private mutating func scalar() throws(JSONProblem) -> Unicode.Scalar {
        let unit = try hexadecimal()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard unit < 0xDC00, offset + 1 < bytes.count, bytes[offset] == UInt8(ascii: "\\"),
            bytes[offset + 1] == UInt8(ascii: "u")
        else { throw invalid }
        offset += 2
        let low = try hexadecimal()
        guard (0xDC00...0xDFFF).contains(low),
            let scalar = Unicode.Scalar(0x1_0000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        else { throw invalid }
        return scalar
    }

    private mutating func hexadecimal() throws(JSONProblem) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard offset < bytes.count else { throw invalid }
            let digit: UInt8
            switch bytes[offset] {
            case let byte where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte): digit = byte - 0x30
            case let byte where (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte): digit = byte - 0x61 + 10
            case let byte where (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte): digit = byte - 0x41 + 10
            default: throw invalid
            }
            value = value << 4 | UInt32(digit)
            offset += 1
        }
        return value
    }

    // MARK: - Numbers

    private mutating func number() throws(JSONProblem) -> JSONValue {
        let start = offset
        let isNegative = offset < bytes.count && bytes[offset] == UInt8(ascii: "-")
        if isNegative { offset += 1 }
        let whole = try digits()
        guard whole.count == 1 || bytes[whole.lowerBound] != UInt8(ascii: "0") else { throw invalid }
        var isWhole = true
        if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
            isWhole = false
            offset += 1
            _ = try digits()
        }
        if offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            offset += 1
            if offset < bytes.count, bytes[offset] == UInt8(ascii: "+") || bytes[offset] == UInt8(ascii: "-") {
                offset += 1
            }
            _ = try digits()
        }
        if isWhole, let integer = integer(whole, isNegative: isNegative) { return .integer(integer) }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        guard let double = Double(text), double.isFinite else { throw .invalid(offset: start) }
        // A whole number that does not fit was rounded, so it is no longer an exact integer.
        guard !isWhole, let integer = Int64(exactly: double) else { return .double(double) }
        return .integer(integer)
    }

    /// Reads at least one digit.
    private mutating func digits() throws(JSONProblem) -> Range<Int> {
        let start = offset
        while offset < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[offset]) { offset += 1 }
        guard offset > start else { throw invalid }
        return start..<offset
    }

    /// - Returns: `nil` if the value does not fit.
    private func integer(_ digits: Range<Int>, isNegative: Bool) -> Int64? {
        var value: Int64 = 0
        for index in digits {
            let digit = Int64(bytes[index] - 0x30)
            let (product, overflows) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflowsToo) =
                isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
            guard !overflows, !overflowsToo else { return nil }
            value = sum
        }
        return value
    }
}
