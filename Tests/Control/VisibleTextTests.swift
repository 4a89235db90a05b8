import Causeway
import CausewayControl
import Foundation
import Logging
import Synchronization
import Testing

/// Text of other people, in lists and logs.
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

    @Test(arguments: [Settings.LogFormat.text, .json])
    func aLogEntryIsOneLine(format: Settings.LogFormat) throws {
        let written = Mutex("")
        var logger = Logger(label: "x") { _ in
            LineLogHandler(format: format, level: .info) { line in written.withLock { $0 += line } }
        }
        logger[metadataKey: "who"] = "a\nb"
        logger.info("hello\n\u{1B}", metadata: ["n": "1"])
        logger.debug("not this")
        let text = written.withLock { $0 }
        #expect(text.hasSuffix("\n"))
        #expect(text.dropLast().contains("\n") == false)
        #expect(text.contains("\u{1B}") == false)
        if format == .json {
            let members = try JSONDecoder().decode([String: String].self, from: Data(text.utf8))
            #expect(members["message"] == "hello\n\u{1B}")
            #expect(members["who"] == "a\nb")
            #expect(members["level"] == "info")
        }
    }
}
