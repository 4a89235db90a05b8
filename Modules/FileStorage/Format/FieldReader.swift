import CausewayModels

/// Writing the fields of a record: each is a key, `tag << 1` or `tag << 1 | 1`, followed by a number in the first case,
/// and by a length and as many bytes in the second.
extension [UInt8] {
    /// Seven bits to a byte, the lowest first; the high bit says that another byte follows.
    mutating func append(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    /// A signed number: 0, -1, 1, -2 … as 0, 1, 2, 3 …
    mutating func append(signed value: Int64) {
        append(varint: UInt64(bitPattern: value << 1 ^ value >> 63))
    }

    mutating func append(_ tag: UInt8, _ number: Int64) {
        append(varint: UInt64(tag) << 1)
        append(signed: number)
    }

    mutating func append(_ tag: UInt8, _ number: Int64?) {
        if let number { append(tag, number) }
    }

    mutating func append(_ tag: UInt8, bytes: some Collection<UInt8>) {
        append(varint: UInt64(tag) << 1 | 1)
        append(varint: UInt64(bytes.count))
        append(contentsOf: bytes)
    }

    mutating func append(_ tag: UInt8, text: String) { append(tag, bytes: text.utf8) }

    mutating func append(_ tag: UInt8, _ id: UUIDv7) {
        append(varint: UInt64(tag) << 1 | 1)
        append(varint: 16)
        append(bigEndian: id.high)
        append(bigEndian: id.low)
    }

    mutating func append(bigEndian word: UInt64) {
        for shift in stride(from: 56, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: word >> UInt64(shift))) }
    }

    mutating func append<Word: FixedWidthInteger>(littleEndian word: Word) {
        for shift in stride(from: 0, to: Word.bitWidth, by: 8) {
            append(UInt8(truncatingIfNeeded: word >> Word(shift)))
        }
    }

    mutating func put<Word: FixedWidthInteger>(littleEndian word: Word, at offset: Int) {
        for index in 0..<Word.bitWidth / 8 { self[offset + index] = UInt8(truncatingIfNeeded: word >> Word(index * 8)) }
    }

    /// - Precondition: the bytes are there.
    func littleEndian<Word: FixedWidthInteger & UnsignedInteger>(_ type: Word.Type, at offset: Int) -> Word {
        var word: Word = 0
        for index in 0..<Word.bitWidth / 8 { word |= Word(self[offset + index]) << Word(index * 8) }
        return word
    }
}

/// Reading the fields of a record. Bytes that no writer produces are reported by ``Malformed``, never trapped on.
struct FieldReader {
    struct Malformed: Error {
        var detail: String
    }

    enum Value {
        case number(Int64)
        case bytes(ArraySlice<UInt8>)
    }

    private let bytes: [UInt8]
    private var offset: Int
    private let end: Int

    init(_ bytes: [UInt8], in range: Range<Int>) {
        self.bytes = bytes
        offset = range.lowerBound
        end = range.upperBound
    }

    init(_ slice: ArraySlice<UInt8>) { self.init(Array(slice), in: 0..<slice.count) }

    var isAtEnd: Bool { offset == end }

    /// The next field; `nil` at the end.
    mutating func next() throws(Malformed) -> (tag: UInt8, value: Value)? {
        if isAtEnd { return nil }
        let key = try varint()
        guard let tag = UInt8(exactly: key >> 1) else { throw Malformed(detail: "field \(key >> 1)") }
        if key & 1 == 0 { return (tag, .number(try signed())) }
        return (tag, .bytes(try raw(count: try varint())))
    }

    /// Bytes without a key.
    mutating func raw(count: UInt64) throws(Malformed) -> ArraySlice<UInt8> {
        guard count <= UInt64(end - offset) else { throw Malformed(detail: "a field is cut") }
        defer { offset += Int(count) }
        return bytes[offset..<offset + Int(count)]
    }

    mutating func varint() throws(Malformed) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while offset < end, shift < 64 {
            let byte = bytes[offset]
            offset += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw Malformed(detail: "a number is cut")
    }

    mutating func signed() throws(Malformed) -> Int64 {
        let value = try varint()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }
}

/// The fields of a record by their tags, for records of which every field is needed.
struct Fields {
    private var numbers: [UInt8: Int64] = [:]
    private var byteFields: [UInt8: ArraySlice<UInt8>] = [:]

    init(_ reader: FieldReader) throws(FieldReader.Malformed) {
        var reader = reader
        while let (tag, value) = try reader.next() {
            switch value {
            case .number(let number): numbers[tag] = number
            case .bytes(let bytes): byteFields[tag] = bytes
            }
        }
    }

    func number(_ tag: UInt8) -> Int64? { numbers[tag] }

    func required(_ tag: UInt8) throws(FieldReader.Malformed) -> Int64 {
        guard let number = numbers[tag] else { throw FieldReader.Malformed(detail: "field \(tag) is missing") }
        return number
    }

    func bytes(_ tag: UInt8) -> ArraySlice<UInt8>? { byteFields[tag] }

    /// A text; `nil` if there is none, or it is not UTF-8.
    func text(_ tag: UInt8) -> String? { byteFields[tag].flatMap { String(validating: $0, as: UTF8.self) } }

    func requiredText(_ tag: UInt8) throws(FieldReader.Malformed) -> String {
        guard let text = text(tag) else { throw FieldReader.Malformed(detail: "field \(tag) is missing") }
        return text
    }

    func id(_ tag: UInt8) -> UUIDv7? { byteFields[tag].flatMap { UUIDv7(bytes: $0) } }

    func requiredID(_ tag: UInt8) throws(FieldReader.Malformed) -> UUIDv7 {
        guard let id = id(tag) else { throw FieldReader.Malformed(detail: "field \(tag) is missing") }
        return id
    }
}
