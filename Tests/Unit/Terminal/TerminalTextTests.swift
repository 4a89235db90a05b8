import CausewayTerminal
import Testing

@Suite struct TerminalTextTests {
    @Test func wideCharactersTakeTwoColumns() {
        #expect(TerminalText.width(of: "abc") == 3)
        #expect(TerminalText.width(of: "日本") == 4)
        #expect(TerminalText.width(of: "👋🏽") == 2)
        #expect(TerminalText.width(of: "é") == 1)
        #expect(TerminalText.cut("日本語", to: 5) == "日本…")
        #expect(TerminalText.cut("日本語", to: 4) == "日…")
        #expect(TerminalText.cut("abc", to: 3) == "abc")
        #expect(TerminalText.fitted("日", to: 4) == "日  ")
        #expect(TerminalText.suffix(of: "ab日本", within: 5) == "b日本")
    }

    @Test func aLineNeverObeysWhatItSays() {
        let line = TerminalLine("a\u{1B}[2Jb\r\n\u{202E}c\u{9B}1m")
        #expect(line.text == "a\u{FFFD}[2Jb\u{FFFD}\u{FFFD}\u{FFFD}c\u{FFFD}1m")
    }

    @Test func aLineIsCutAcrossItsPieces() {
        let line = TerminalLine("abc", .bold) + TerminalLine("def")
        #expect(line.fitted(to: 6).text == "abcdef")
        #expect(line.fitted(to: 5).text == "abcd…")
        #expect(line.fitted(to: 2).text == "a…")
        #expect(line.fitted(to: 8, fills: true).text == "abcdef  ")
        #expect(line.width == 6)
    }
}
