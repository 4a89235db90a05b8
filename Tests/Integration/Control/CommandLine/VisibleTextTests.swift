import Causeway
import CausewayCommandLine
import CausewaySystem
import CausewayTerminal
import Testing

/// Text of other users, in lists and logs.
@Suite struct VisibleTextTests {
    @Test(
        arguments: [
            ("plain äöü 日本 🙂", "plain äöü 日本 🙂"), ("a\nb\tc\rd", "a\\nb\\tc\\rd"),
            ("\u{1B}[31mred\u{1B}[0m", "\\u{1b}[31mred\\u{1b}[0m"), ("\u{202E}gpj.exe", "\\u{202e}gpj.exe"),
            ("\u{2066}x\u{2069}", "\\u{2066}x\\u{2069}"), ("\u{9B}2J", "\\u{9b}2J"), ("\0\u{7F}", "\\u{0}\\u{7f}"),
            ("\u{2028}", "\\u{2028}"), ("\u{E0041}", "\\u{e0041}"),
        ])
    func whatCannotBeSeenIsWrittenOut(text: String, shown: String) {
        #expect(VisibleText.oneLine(text) == shown)
    }

    @Test func linesKeepTheirBreaks() { #expect(VisibleText.lines("a\n\tb\u{1B}") == "a\n\tb\\u{1b}") }

    @Test func columnsAreAligned() {
        var table = TextTable(["A", "B"])
        table.add([TextTable.Cell("日本"), TextTable.Cell("x\ny")], note: TextTable.Cell("why\u{1B}"))
        table.add([TextTable.Cell("long one"), TextTable.Cell("z", .red)])
        #expect(
            table.lines(for: Terminal(environment: ["NO_COLOR": "1"])) == [
                "A         B", "日本      x\\ny", "    why\\u{1b}", "long one  z",
            ])
    }

    /// One rule for tables and screens: a character that a terminal displays in two columns takes two in a table.
    @Test(arguments: [("✅", 2), ("🟢", 2), ("❤️", 2), ("⌚", 2), ("🇩🇪", 2), ("日", 2), ("é", 1), ("e\u{301}", 1)])
    func aTableMeasuresAsATerminalDoes(text: String, width: Int) {
        #expect(TerminalText.width(of: text) == width)
        var table = TextTable(["FROM", "B"])
        table.add([TextTable.Cell(text), TextTable.Cell("x")])
        let row = table.lines(for: Terminal(environment: ["NO_COLOR": "1"]))[1]
        #expect(row == text + String(repeating: " ", count: 4 - width) + "  x")
    }
}
