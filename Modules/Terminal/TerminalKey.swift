/// A key that was pressed.
public enum TerminalKey: Sendable, Hashable {
    /// A printable character, also one of several bytes.
    case character(Character)
    /// Return or line feed.
    case enter
    /// The tabulator.
    case tab
    /// Backspace or delete.
    case backspace
    /// Escape alone, not as the start of a sequence.
    case escape
    /// The arrow up.
    case up
    /// The arrow down.
    case down
    /// The arrow to the left.
    case left
    /// The arrow to the right.
    case right
    /// Page up.
    case pageUp
    /// Page down.
    case pageDown
    /// Home, usually the start of a line.
    case home
    /// End, usually the end of a line.
    case end
    /// A letter pressed together with Control, in lower case; combinations that the terminal turns into signals are not
    /// included.
    case control(Character)
}

/// An incremental parser of a terminal's input. Skips unknown sequences. Bounded.
package struct TerminalKeyReader: Sendable {
    private var rest: [UInt8] = []
    private static let sequenceBytesMax = 16
    /// The bytes that follow an escape at the begin of a sequence.
    private static let introducers = [UInt8(ascii: "["), UInt8(ascii: "O")]

    package init() {}

    package mutating func keys(in bytes: some Sequence<UInt8>) -> [TerminalKey] {
        rest += bytes
        var keys: [TerminalKey] = []
        while !rest.isEmpty {
            guard let (key, length) = first() else { break }
            if let key { keys.append(key) }
            rest.removeFirst(length)
        }
        return keys
    }

    /// Returns the first key and its length in bytes; `nil` when it is incomplete.
    private func first() -> (key: TerminalKey?, length: Int)? {
        switch rest[0] {
        case 0x1B: return escape()
        case 0x0D, 0x0A: return (.enter, 1)
        case 0x09: return (.tab, 1)
        case 0x7F, 0x08: return (.backspace, 1)
        case 0x01...0x1A: return (.control(Character(Unicode.Scalar(rest[0] + 0x60))), 1)
        case 0x00..<0x20: return (nil, 1)
        case 0x20..<0x80: return (.character(Character(Unicode.Scalar(rest[0]))), 1)
        default: return character()
        }
    }

    private func character() -> (TerminalKey?, Int)? {
        let length =
            switch rest[0] {
            case 0xC0..<0xE0: 2
            case 0xE0..<0xF0: 3
            case 0xF0..<0xF8: 4
            default: 1
            }
        // An invalid sequence is skipped at once, not waited for.
        guard rest.prefix(length).dropFirst().allSatisfy({ $0 & 0xC0 == 0x80 }) else { return (nil, 1) }
        guard rest.count >= length else { return nil }
        guard let text = String(validating: rest.prefix(length), as: UTF8.self), let one = text.first else {
            return (nil, 1)
        }
        return (.character(one), length)
    }

    /// Parses what begins with an escape: a sequence, a key together with Alt, or the key alone when nothing came with
    /// it.
    private func escape() -> (key: TerminalKey?, length: Int)? {
        guard rest.count > 1 else { return (.escape, 1) }
        if Self.introducers.contains(rest[1]) { return sequence(at: 0) }
        guard rest[1] == 0x1B else { return (nil, 2) }
        // Some terminals send the sequence of a key with Alt like this; otherwise the escape is a key of its own.
        guard rest.count > 2, Self.introducers.contains(rest[2]) else { return (.escape, 1) }
        return sequence(at: 1).map { (nil, $0.length) }
    }

    /// Parses `ESC [ … letter` or `ESC O letter`; the length counts the bytes before it, too.
    private func sequence(at start: Int) -> (key: TerminalKey?, length: Int)? {
        let parameters = start + 2
        guard let end = rest.indices.dropFirst(parameters).first(where: { (0x40...0x7E).contains(rest[$0]) }) else {
            return rest.count > Self.sequenceBytesMax ? (nil, rest.count) : nil
        }
        let key: TerminalKey? =
            switch String(decoding: rest[parameters...end], as: UTF8.self) {
            case "A": .up
            case "B": .down
            case "C": .right
            case "D": .left
            case "H", "1~", "7~": .home
            case "F", "4~", "8~": .end
            case "5~": .pageUp
            case "6~": .pageDown
            default: nil
            }
        return (key, end + 1)
    }
}
