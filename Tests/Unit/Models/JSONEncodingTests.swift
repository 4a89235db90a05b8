import CausewayModels
import Foundation
import Testing

/// Compares the encoder with Foundation's, which produces the same text for the same value.
@Suite struct JSONEncodingTests {
    private static func foundation(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private static func text(_ value: some Encodable) throws -> String {
        String(decoding: try JSONCoding.encode(value), as: UTF8.self)
    }

    private struct Sample: Codable, Equatable {
        enum Kind: String, Codable { case one, two }

        struct Part: Codable, Equatable {
            var small: Int8
            var double: Double
            var id: MessageID
        }

        var kind = Kind.two
        var flag = true
        var present: Int64? = .max
        var absent: String?
        var most = Int64.max
        var least = Int64.min
        var float: Float = 0.1
        var text = "a/b \"ä\" \\ \u{1} \n 🌊"
        var time = Timestamp(milliseconds: -7)
        var parts: [Part]
        var none: [Part] = []
        var names = ["b": 1, "a": 2, "ä": 3]
        var numbers: [Int: String] = [:]
        var free: JSONValue = .object(["z": .array([.null, .bool(true)]), "a": .double(1.5), "": .integer(-1)])
    }

    @Test func aValueHasTheTextThatItHasElsewhere() throws {
        let id = MessageID(UUIDv7(high: 1 << 12 | 0x7000, low: 1 << 63 | 5))
        let sample = Sample(parts: [
            .init(small: -128, double: 2.5, id: id), .init(small: 0, double: -0.001, id: id),
        ])
        #expect(try Self.text(sample) == Self.foundation(sample))
        #expect(try JSONCoding.decode(Sample.self, from: JSONCoding.encode(sample)) == sample)
    }

    @Test(arguments: ["a/b", "", "\u{7F}\u{2028}", "\"\\\u{8}\u{C}\r\n\t\u{0}\u{1F}", "👩‍👩‍👧é"])
    func aStringHasTheTextThatItHasElsewhere(string: String) throws {
        #expect(try Self.text(string) == Self.foundation(string))
        #expect(try Self.text([string: string]) == Self.foundation([string: string]))
    }

    /// Uses several containers at the same time, and finishes them in another order than it opened them.
    private struct Interleaved: Encodable {
        enum Key: String, CodingKey { case first, second, third, encoder, nothing, null }

        func encode(to encoder: any Encoder) throws {
            var root = encoder.container(keyedBy: Key.self)
            var first = root.nestedContainer(keyedBy: Key.self, forKey: .third)
            var second = root.nestedUnkeyedContainer(forKey: .first)
            let later = root.superEncoder(forKey: .encoder)
            let base = root.superEncoder()
            _ = root.nestedContainer(keyedBy: Key.self, forKey: .nothing)
            try second.encode(1)
            try first.encode(2, forKey: .second)
            try second.encodeNil()
            var inner = second.nestedUnkeyedContainer()
            try second.encode("after")
            try inner.encode(true)
            var member = second.nestedContainer(keyedBy: Key.self)
            try member.encodeNil(forKey: .null)
            let element = second.superEncoder()
            try "element".encode(to: element)
            try root.encodeIfPresent(String?.none, forKey: .null)
            var again = encoder.container(keyedBy: Key.self)
            try again.encode(UInt8(3), forKey: .second)
            try ["later"].encode(to: later)
            try ["base": 1].encode(to: base)
        }
    }

    @Test func containersMayBeUsedInAnyOrder() throws {
        #expect(try Self.text(Interleaved()) == Self.foundation(Interleaved()))
    }

    private struct Repeated: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Interleaved.Key.self)
            for number in 1...3 {
                try container.encode(number, forKey: .second)
                try container.encode(-number, forKey: .first)
            }
        }
    }

    @Test func theLastOfEqualNamesCounts() throws {
        #expect(try Self.text(Repeated()) == #"{"first":-3,"second":3}"#)
        #expect(try Self.text(Repeated()) == Self.foundation(Repeated()))
    }

    @Test func numbersHaveTheTextThatTheyHaveElsewhere() throws {
        let unsigned: [UInt64] = [0, 1 << 63, .max]
        #expect(try Self.text(unsigned) == Self.foundation(unsigned))
        let floats: [Float] = [0.1, -2.5, 3]
        #expect(try Self.text(floats) == Self.foundation(floats))
        let doubles = [0.1, -2.5, 3, 1.0 / 3]
        #expect(try Self.text(doubles) == Self.foundation(doubles))
    }

    @Test func whatJSONCannotRepresentIsRefused() {
        for number in [Double.nan, .infinity, -.infinity] {
            #expect(throws: EncodingError.self) { try JSONCoding.encode(["a": [number]]) }
            #expect(throws: EncodingError.self) { try JSONCoding.encode([JSONValue.double(number)]) }
            #expect(throws: EncodingError.self) { try JSONCoding.encode(Float(number)) }
        }
    }

    /// An application's record may have such fields. They have the form that they give themselves, which is what
    /// `JSONCoding` decodes.
    private struct FoundationFields: Codable, Equatable {
        var date = Date(timeIntervalSinceReferenceDate: 1.5)
        var data = Data([0, 255])
        var url = URL(string: "https://example.org/a?b")
        var decimal = Decimal(string: "0.1")
        var uuid = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
    }

    @Test func fieldsOfFoundationAreReadAgain() throws {
        let fields = FoundationFields()
        #expect(try JSONCoding.decode(FoundationFields.self, from: JSONCoding.encode(fields)) == fields)
    }

    private struct Located: Encodable {
        func encode(to encoder: any Encoder) throws {
            throw EncodingError.invalidValue(0, .init(codingPath: encoder.codingPath, debugDescription: ""))
        }
    }

    @Test func anErrorOfAValueNamesItsPlace() throws {
        let error = try #require(throws: EncodingError.self) { try JSONCoding.encode(["a": [["b": Located()]]]) }
        guard case .invalidValue(_, let context) = error else { throw error }
        #expect(context.codingPath.map { $0.intValue.map { "\($0)" } ?? $0.stringValue } == ["a", "0", "b"])
    }
}
