import CausewayModels
import CausewayStorage
import Foundation
import Testing

@Suite struct ContentCodingTests {
    /// Every character with a special meaning in JSON, the first and last code point of every length of UTF-8, and
    /// combining characters.
    static let texts: [String] =
        (0...0xFF).map { "a\(Character(Unicode.Scalar(UInt8($0))))b" } + [
            "", "\"", "\\", "\\u0041", "\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}", "\u{2028}\u{2029}\u{FEFF}",
            "e\u{301}👨‍👩‍👧‍👦", "</script>", "\r\n\t", "{\"v\":2}",
        ]

    @Test(arguments: texts) func `a text is coded as the coder of all contents codes it`(_ text: String) throws {
        let content = MessageContent.text(text)
        let coded = try ContentCoding.encode(content)
        #expect(ContentCoding.decode(coded) == content)
        let ours = try JSONDecoder().decode(JSONValue.self, from: coded)
        let theirs = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(content))
        #expect(ours == theirs)
        // Unicode comparison treats equivalent texts as equal; the decoded text must be identical.
        guard case .text(let back)? = ContentCoding.decode(coded) else { return }
        #expect(Array(back.utf8) == Array(text.utf8))
    }

    /// Any text that differs from the encoder's output is left to the general decoder.
    @Test(
        arguments: [
            (#"{"v":1,"type":"text","text":"a"}"#, "a"), (#"{"v":1,"type":"text","text":"a\u0041"}"#, "aA"),
            (#"{"v":1,"type":"text","text":"a","text":"b"}"#, nil), (#"{"v":1,"type":"text","text":""}"#, ""),
            (#"{"v":1,"type":"text","text":"a"}}"#, nil), (#"{"v":1,"type":"text","text":"}"#, nil),
            (#"{"v":1,"type":"text","text":"}"}"#, "}"), (#"{ "v":1,"type":"text","text":"a"}"#, "a"),
            ("{\"v\":1,\"type\":\"text\",\"text\":\"a\nb\"}", nil),
        ] as [(String, String?)])
    func `a text is read as the coder of all contents reads it`(_ coded: String, _ text: String?) {
        let content = ContentCoding.decode(Data(coded.utf8))
        let general = try? JSONDecoder().decode(MessageContent.self, from: Data(coded.utf8))
        #expect(content == general)
        if let text { #expect(content == .text(text)) }
    }

    @Test func `bytes that are no UTF-8 are no text`() {
        let head = Array(#"{"v":1,"type":"text","text":""#.utf8)
        for inner in [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80]] as [[UInt8]] {
            #expect(ContentCoding.decode(Data(head + inner + Array(#""}"#.utf8))) == nil)
        }
    }
}
