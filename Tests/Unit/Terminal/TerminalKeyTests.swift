import CausewayTerminal
import Testing

@Suite struct TerminalKeyTests {
    private static let cases: [([UInt8], [TerminalKey])] = [
        (Array("aB1".utf8), [.character("a"), .character("B"), .character("1")]),
        (Array("é日👋".utf8), [.character("é"), .character("日"), .character("👋")]),
        ([0x0D, 0x0A, 0x09, 0x7F, 0x08], [.enter, .enter, .tab, .backspace, .backspace]),
        ([0x04, 0x12, 0x15], [.control("d"), .control("r"), .control("u")]),
        ([0x1B], [.escape]),
        (Array("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D".utf8), [.up, .down, .right, .left]),
        (Array("\u{1B}OA\u{1B}OB\u{1B}OH\u{1B}OF".utf8), [.up, .down, .home, .end]),
        (
            Array("\u{1B}[5~\u{1B}[6~\u{1B}[1~\u{1B}[4~\u{1B}[7~\u{1B}[8~".utf8),
            [.pageUp, .pageDown, .home, .end, .home, .end]
        ),
        // Unknown sequences: a key with modifiers, a function key, Alt with a letter, meaningless bytes.
        (Array("\u{1B}[1;5Ax\u{1B}[15~y\u{1B}qz".utf8), [.character("x"), .character("y"), .character("z")]),
        // Alt with an arrow on some terminals, which is unknown as well; and Escape, pressed more than once.
        (Array("\u{1B}\u{1B}[Ax\u{1B}\u{1B}[5~\u{1B}\u{1B}OBy".utf8), [.character("x"), .character("y")]),
        ([0x1B, 0x1B], [.escape, .escape]), (Array("\u{1B}\u{1B}\u{1B}[Ax".utf8), [.escape, .character("x")]),
        ([0x00, 0x1C, 0x61], [.character("a")]),
        ([0x80, 0xFF, 0x61], [.character("a")]),
        ([0xC3, 0x28], [.character("(")]), ([0xF0, 0x9F, 0x61], [.character("a")]),
    ]

    @Test(arguments: cases)
    func whatATerminalSendsIsKeys(_ bytes: [UInt8], _ keys: [TerminalKey]) {
        var reader = TerminalKeyReader()
        #expect(reader.keys(in: bytes) == keys)
    }

    /// Wherever a read ends, except after an escape, which would be a key.
    @Test(arguments: cases)
    func itMayComeInPieces(_ bytes: [UInt8], _ keys: [TerminalKey]) {
        for cut in bytes.indices where cut == 0 || bytes[cut - 1] != 0x1B {
            var reader = TerminalKeyReader()
            let first = reader.keys(in: bytes[..<cut])
            #expect(first + reader.keys(in: bytes[cut...]) == keys, "cut at \(cut)")
        }
    }

    @Test func aSequenceWithoutEndIsThrownAway() {
        var reader = TerminalKeyReader()
        #expect(reader.keys(in: Array("\u{1B}[".utf8) + Array(repeating: UInt8(ascii: "1"), count: 100)) == [])
        #expect(reader.keys(in: Array("a".utf8)) == [.character("a")])
        #expect(reader.keys(in: Array("\u{1B}\u{1B}[".utf8) + Array(repeating: UInt8(ascii: "1"), count: 100)) == [])
        #expect(reader.keys(in: Array("a".utf8)) == [.character("a")])
    }
}
