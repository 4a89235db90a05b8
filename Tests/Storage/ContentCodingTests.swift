import CausewayModels
import CausewayStorage
import Foundation
import Testing

@Suite struct ContentCodingTests {
    /// Every character that JSON treats in its own way, the ends of every length of UTF-8, and what joins others.
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
        // Unicode compares what is equivalent as equal; what was written must come back as it was.
        guard case .text(let back)? = ContentCoding.decode(coded) else { return }
        #expect(Array(back.utf8) == Array(text.utf8))
    }
}
