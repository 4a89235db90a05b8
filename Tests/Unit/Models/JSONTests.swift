import CausewayModels
import Foundation
import Testing

/// Compares the JSON reader and writer with Foundation's, which accept the same texts for the same values.
@Suite struct JSONTests {
    private static let texts = [
        "null", "true", " false ", "0", "-0", "-0.0", "1", "-12", "9223372036854775807", "-9223372036854775808",
        "9223372036854775808", "-9223372036854775809", "1.0", "1.5", "-2.25e-3", "1e2", "1E+2", "1e20", "1e-400",
        "123456789012345678901234567890", #""""#, #""a""#, #""\"\\\/\b\f\n\r\t\u0041\u00e9\u2028\ud83c\udf0a""#,
        #""ä 🌊 \u0000""#, "[]", "[ ]", "[1]", "[1,[2,[3]],{}]", "{}", "{ }", #"{"a":1}"#, #"{"a":{"b":[null,true]}}"#,
        " { \"a\" : [ 1 , 2 ] ,\n\t\"b\":\r\"c\" } ", "\u{FEFF}[1]",
    ]

    private static let broken = [
        "", " ", "nul", "nulll", "TRUE", "+1", "01", "-", "1.", ".5", "1e", "1e+", "0x1", "NaN", "1e999", "[", "]",
        "[1", "[1,]", "[,1]", "[1 2]", "{", "}", "{1:2}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{,}"#, "1 2", "\"",
        "\"a", #""\"#, #""\x""#, #""\u12""#, #""\u12g4""#, #""\ud800""#, #""\ud800\u0041""#, #""\udc00""#,
        "\"\n\"", "\"\u{1}\"", "[1]x", "\u{0}",
    ]

    private static func foundation(_ text: String) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    }

    @Test(arguments: texts) func aTextIsTheValueThatItIsElsewhere(text: String) throws {
        #expect(try JSONParser.parse(Array(text.utf8)) == Self.foundation(text))
        #expect(try JSONCoding.decode(JSONValue.self, from: Array(text.utf8)) == Self.foundation(text))
    }

    @Test(arguments: broken) func whatIsNoJSONIsRefused(text: String) {
        #expect(throws: JSONProblem.self) { try JSONParser.parse(Array(text.utf8)) }
    }

    @Test(arguments: [
        [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xC0, 0x80, 0x22],
    ])
    func whatIsNoUTF8IsRefused(bytes: [UInt8]) {
        #expect(throws: JSONProblem.self) { try JSONParser.parse(bytes) }
    }

    @Test func theFirstOfEqualNamesCounts() throws {
        #expect(try JSONParser.parse(Array(#"{"a":1,"a":2}"#.utf8)) == .object(["a": .integer(1)]))
    }

    @Test(
        arguments: [
            (.double(1), .integer(1)), (.double(1.5), .double(1.5)), (.double(-0.0), .integer(0)),
            (.double(1e18), .integer(1_000_000_000_000_000_000)), (.double(0x1p63), .double(0x1p63)),
            (.double(-0x1p63), .integer(.min)), (.double(1e300), .double(1e300)),
            (
                .object(["a": .array([.double(2), .string("2.0")])]),
                .object(["a": .array([.integer(2), .string("2.0")])])
            ),
        ] as [(JSONValue, JSONValue)])
    func aNormalizedValueIsWhatIsReadAgain(value: JSONValue, expected: JSONValue) throws {
        #expect(value.normalized == expected)
        #expect(try JSONParser.parse(#require(JSONWriter.text(of: value))) == expected)
    }

    private static func value(_ random: inout SplitMix64, depth: Int) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &random) {
        case 0: .null
        case 1: .bool(.random(using: &random))
        case 2: .integer(.random(in: .min ... .max, using: &random))
        case 3: .double(.random(in: -1e6...1e6, using: &random))
        case 4: .double(Double.random(in: 1...10, using: &random) * 1e300)
        case 5: .string(text(&random))
        case 6: .array((0..<Int.random(in: 0..<5, using: &random)).map { _ in value(&random, depth: depth - 1) })
        default:
            .object(
                Dictionary(
                    (0..<Int.random(in: 0..<5, using: &random)).map { _ in
                        (text(&random), value(&random, depth: depth - 1))
                    }, uniquingKeysWith: { first, _ in first }))
        }
    }

    private static func text(_ random: inout SplitMix64) -> String {
        let alphabet = Array("abc \"\\/\n\u{0}\u{1F}\u{7F}äé\u{2028}🌊👩‍👩‍👧".unicodeScalars)
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0..<12, using: &random) {
            text.append(alphabet.randomElement(using: &random) ?? "x")
        }
        return String(text)
    }

    @Test func whatIsWrittenIsReadHereAndElsewhere() throws {
        var random = SplitMix64(seed: 11)
        for _ in 0..<500 {
            let value = Self.value(&random, depth: 4)
            let text = try #require(JSONWriter.text(of: value))
            #expect(try JSONParser.parse(text) == value)
            #expect(try Self.foundation(String(decoding: text, as: UTF8.self)) == value)
            let encoder = JSONEncoder()
            encoder.outputFormatting = .withoutEscapingSlashes
            #expect(try encoder.encode(value).count == text.count)
            #expect(try JSONParser.parse(Array(encoder.encode(value))) == value)
        }
        #expect(JSONWriter.text(of: .array([.double(.nan)])) == nil)
    }

    @Test func depthAndValuesAreBounded() throws {
        let nested = Array((String(repeating: "[", count: 4) + String(repeating: "]", count: 4)).utf8)
        #expect(throws: Never.self) { try JSONParser.parse(nested, depthMax: 4, valuesMax: 4) }
        #expect(throws: JSONProblem.tooDeep(depthMax: 3)) { try JSONParser.parse(nested, depthMax: 3) }
        #expect(throws: JSONProblem.tooManyValues(valuesMax: 3)) { try JSONParser.parse(nested, valuesMax: 3) }
        let members = Array(#"{"a":1,"b":[2,3]}"#.utf8)
        #expect(throws: Never.self) { try JSONParser.parse(members, valuesMax: 5) }
        #expect(throws: JSONProblem.tooManyValues(valuesMax: 4)) { try JSONParser.parse(members, valuesMax: 4) }
        // Bounded, regardless of the nesting of the text itself.
        let endless = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
        #expect(throws: JSONProblem.tooDeep(depthMax: 512)) { try JSONParser.parse(endless) }
    }

    private struct Sample: Codable, Equatable {
        enum Kind: String, Codable { case one, two }
        struct Part: Codable, Equatable {
            var small: UInt8
            var double: Double
        }

        var kind: Kind
        var flag: Bool
        var number: Int64?
        var parts: [Part]
        var names: [String: Int]
        var tags: Set<String>
        var free: JSONValue
        var absent: String?
    }

    @Test func typedValuesAreDecodedAsElsewhere() throws {
        let text =
            #"{"kind":"two","flag":true,"number":null,"parts":[{"small":7,"double":1},{"small":0,"double":2.5}],"#
            + #""names":{"a":1,"b":2},"tags":["x","y"],"free":[{"a":null},1.5],"unknown":{}}"#
        let sample = try JSONCoding.decode(Sample.self, from: Array(text.utf8))
        #expect(sample == (try JSONDecoder().decode(Sample.self, from: Data(text.utf8))))
        #expect(sample.free == .array([.object(["a": .null]), .double(1.5)]))
        #expect(sample.parts.map(\.small) == [7, 0])
    }

    @Test(arguments: [
        (#"{"small":256,"double":1}"#, ["small"]), (#"{"small":-1,"double":1}"#, ["small"]),
        (#"{"small":1.5,"double":1}"#, ["small"]), (#"{"small":"1","double":1}"#, ["small"]),
        (#"{"small":1,"double":null}"#, ["double"]), (#"{"small":1,"double":[]}"#, ["double"]),
    ])
    func aWrongTypeIsNamedWithItsPlace(text: String, path: [String]) throws {
        do {
            _ = try JSONCoding.decode([Sample.Part].self, from: Array("[\(text)]".utf8))
            Issue.record("decoded \(text)")
        } catch let error as DecodingError {
            switch error {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                #expect(context.codingPath.map { $0.intValue.map { "\($0)" } ?? $0.stringValue } == ["0"] + path)
            default: Issue.record("\(error)")
            }
        }
        #expect(throws: DecodingError.self) { try JSONCoding.decode([Sample.Part].self, from: Array("[{}]".utf8)) }
        #expect(throws: DecodingError.self) { try JSONCoding.decode([Sample.Part].self, from: Array("{}".utf8)) }
    }

    /// A decoder that guesses the types of free values by thrown errors takes thousands of times as long as a parse;
    /// the bound is far from both.
    @Test func aFreeValueCostsAboutWhatItsParseCosts() throws {
        let deep = (0..<24).reduce("1") { text, _ in "[\(text),{}]" }
        let text =
            "{\"v\":1,\"type\":\"custom\",\"data\":{\"a\":["
            + [String](repeating: deep, count: 150).joined(separator: ",") + "]}}"
        let clock = ContinuousClock()
        let data = Data(text.utf8)
        var parsed = Duration.seconds(1000)
        var decoded = parsed
        for _ in 0..<3 {
            parsed = min(parsed, try clock.measure { _ = try JSONSerialization.jsonObject(with: data) })
            decoded = min(
                decoded, try clock.measure { _ = try JSONCoding.decode(MessageContent.self, from: Array(data)) })
        }
        #expect(decoded < parsed * 300, "\(decoded) against \(parsed) for the parse")
    }
}
