import CausewayModels
import Foundation
import Testing

@Suite struct IdentifierTests {
    @Test func aUUIDv7HoldsItsTimeVersionAndVariant() {
        let id = UUIDv7(at: Timestamp(milliseconds: 0x0190_A6B2_1C3D), randomHigh: .max, randomLow: .max)
        #expect(id.description == "0190a6b2-1c3d-7fff-bfff-ffffffffffff")
        #expect(id.bytes.count == 16)
        #expect(UUIDv7(bytes: id.bytes) == id)
    }

    @Test func textAndBytesComeBackAsTheyWent() {
        var generator = SplitMix64(seed: 1)
        for _ in 0..<1000 {
            let id = UUIDv7(high: generator.next(), low: generator.next())
            #expect(UUIDv7(id.description) == id)
            #expect(UUIDv7(id.description.uppercased()) == id)
            #expect(UUIDv7(bytes: id.bytes) == id)
        }
    }

    @Test(arguments: [
        "", "0190a6b2-1c3d-7fff-bfff-fffffffffff", "0190a6b2-1c3d-7fff-bfff-fffffffffffff",
        "0190a6b21c3d-7fff-bfff-ffffffffffff-", "0190a6b2-1c3d-7fff-bfff-fffffffffffg",
        "0190a6b2 1c3d 7fff bfff ffffffffffff", "０190a6b2-1c3d-7fff-bfff-ffffffffff",
    ])
    func whatIsNoUUIDIsNone(text: String) {
        #expect(UUIDv7(text) == nil)
        #expect(MessageID(text) == nil)
    }

    @Test func sixteenBytesAndNoOtherNumber() {
        #expect(UUIDv7(bytes: [UInt8](repeating: 1, count: 15)) == nil)
        #expect(UUIDv7(bytes: [UInt8](repeating: 1, count: 17)) == nil)
    }

    @Test(arguments: [
        ("general", true), ("a", true), ("A.b_c-d@e:f", true), (String(repeating: "x", count: 128), true),
        (String(repeating: "x", count: 129), false), ("", false), (".", false), ("..", false), ("a b", false),
        ("a/b", false), ("ä", false), ("a\n", false), ("a\u{0}", false), ("a%2f", false),
    ])
    func namesAreHeldToTheirRule(text: String, isName: Bool) {
        #expect((ChannelID(text) != nil) == isName)
        #expect((UserID(text) != nil) == isName)
        #expect((Name.problem(with: text) == nil) == isName)
    }

    @Test func aNameThatIsNoneIsADecodingErrorThatSaysWhy() {
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([ChannelID].self, from: Data(#"["a b"]"#.utf8))
        }
        #expect("\(error.map { "\($0)" } ?? "")".contains("contains a character"))
    }

    @Test func aTokenPrintsAsDots() throws {
        let token = try #require(AccessToken("super-secret"))
        var dumped = ""
        dump(token, to: &dumped)
        for text in ["\(token)", String(reflecting: token), dumped, "\([token])"] {
            #expect(!text.contains("secret"))
        }
        for text in ["", " ", "a b", "a\n", "ä", String(repeating: "x", count: 4097)] {
            #expect(AccessToken(text) == nil)
        }
    }
}
