/// Makes text from other users safe to print: nothing in it can move the cursor, change colours, begin a line, or
/// reverse the reading direction.
package enum VisibleText {
    /// The text on one line: invisible characters are escaped, `\n`, `\u{1b}`.
    package static func oneLine(_ text: String) -> String { escaped(text, keepsLines: false) }

    /// The text with its line breaks and tabs, and all other invisible characters escaped.
    package static func lines(_ text: String) -> String { escaped(text, keepsLines: true) }

    private static func escaped(_ text: String, keepsLines: Bool) -> String {
        guard text.unicodeScalars.contains(where: isHidden) else { return text }
        var result = ""
        result.reserveCapacity(text.utf8.count + 16)
        for scalar in text.unicodeScalars {
            guard isHidden(scalar) else {
                result.unicodeScalars.append(scalar)
                continue
            }
            switch scalar {
            case "\n", "\t":
                if keepsLines {
                    result.unicodeScalars.append(scalar)
                } else {
                    result += scalar == "\n" ? "\\n" : "\\t"
                }
            case "\r": result += "\\r"
            default: result += "\\u{" + String(scalar.value, radix: 16) + "}"
            }
        }
        return result
    }

    /// True for control characters, and for those that control the direction or shape of the following text (UAX #9).
    package static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F: true
        case 0x061C, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x206F: true
        case 0xFFF9...0xFFFB, 0xE0000...0xE007F, 0xFEFF: true
        default: false
        }
    }
}
