import CausewaySystem

/// The width of text on a terminal.
public enum TerminalText {
    /// The number of columns of a text.
    public static func width(of text: String) -> Int { text.reduce(0) { $0 + width(of: $1) } }

    /// The number of columns of a character: two for the wide ones of East Asia and for emoji (UAX #11), none for marks
    /// without a base.
    public static func width(of character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        // U+FE0F selects the emoji presentation, which is wide.
        if character.unicodeScalars.contains("\u{FE0F}") { return 2 }
        switch first.value {
        case 0x0300...0x036F, 0x200B...0x200F, 0x2060...0x2064, 0xFE00...0xFE0E, 0xFEFF: return 0
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x231A...0x231B, 0x23E9...0x23EC, 0x2614...0x2615,
            0x2648...0x2653, 0x26AA...0x26AB, 0x26BD...0x26BE, 0x2705, 0x270A...0x270B, 0x2728, 0x274C, 0x2753...0x2755,
            0x2795...0x2797, 0x2B1B...0x2B1C, 0x2B50, 0x1F18E, 0x1F191...0x1F19A, 0x1F1E6...0x1F1FF, 0x1F200...0x1F320,
            0x1F32D...0x1F64F, 0x1F680...0x1F6FF, 0x1F7E0...0x1F7EB, 0x1F900...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }

    /// Cuts a text to the width, with an ellipsis in place of the rest.
    public static func cut(_ text: String, to columns: Int) -> String {
        guard width(of: text) > columns else { return text }
        guard columns > 0 else { return "" }
        return prefix(of: text, within: columns - 1) + "…"
    }

    /// A text in exactly this number of columns: cut, or filled with spaces.
    public static func fitted(_ text: String, to columns: Int) -> String {
        let text = cut(text, to: columns)
        return text + String(repeating: " ", count: max(0, columns - width(of: text)))
    }

    /// The longest prefix of a text that fits.
    static func prefix(of text: String, within columns: Int) -> String {
        var used = 0
        return String(
            text.prefix { character in
                used += width(of: character)
                return used <= columns
            })
    }

    /// The longest suffix of a text that fits, such as the visible part of a line that is being typed.
    public static func suffix(of text: String, within columns: Int) -> String {
        String(prefix(of: String(text.reversed()), within: columns).reversed())
    }

    /// Replaces every character that a terminal would interpret, or that would change the reading direction, by `�`.
    public static func harmless(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: VisibleText.isHidden) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { VisibleText.isHidden($0) ? "\u{FFFD}" : $0 }))
    }
}
