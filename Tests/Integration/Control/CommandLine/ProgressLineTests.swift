import CausewayCommandLine
import CausewayTerminal
import Synchronization
import Testing

/// The last line of a terminal, as a command uses it.
@Suite struct ProgressLineTests {
    private static let clearing = "\r\u{1B}[K"

    private func written(columns: Int?, _ body: (ProgressLine) -> Void) -> [String] {
        let written = Mutex<[String]>([])
        body(ProgressLine(columns: columns) { text in written.withLock { $0.append(text) } })
        return written.withLock { $0 }
    }

    @Test func aTextReplacesTheOneBeforeAndIsRemovedOnce() {
        let texts = written(columns: nil) { line in
            line.end()
            line.show("one\ntwo")
            line.show("three")
            line.end()
            line.end()
            line.show("four")
        }
        #expect(texts.count == 4)
        #expect(texts[0].hasPrefix(Self.clearing + "one"))
        #expect(!texts[0].contains("\n"))
        #expect(texts[1...] == [Self.clearing + "three", Self.clearing, Self.clearing + "four"])
    }

    /// Of a text in two rows only the second would be replaced.
    @Test func aTextHasOneRow() throws {
        let texts = written(columns: 20) { $0.show("waiting: " + String(repeating: "x", count: 100)) }
        let text = try #require(texts.first).dropFirst(Self.clearing.count)
        #expect(TerminalText.width(of: String(text)) == 19)
        #expect(text.hasSuffix("…"))
    }
}
