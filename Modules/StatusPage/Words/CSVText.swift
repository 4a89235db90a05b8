import CausewayControl
import CausewaySystem

/// Comma-separated values (RFC 4180) that a spreadsheet cannot take for a formula.
package enum CSVText {
    package static func row(_ cells: [String]) -> String { cells.map(cell).joined(separator: ",") + "\r\n" }

    /// One value. What cannot be seen or turns the reading direction around is written out, line breaks and tabs apart.
    package static func cell(_ text: String) -> String {
        let visible = VisibleText.lines(text)
        let isFormula = visible.unicodeScalars.first.map { formula.contains($0) } ?? false
        let text = isFormula ? "'" + visible : visible
        guard text.unicodeScalars.contains(where: { "\",\r\n".unicodeScalars.contains($0) }) else { return text }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" { quoted += "\"" }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }

    /// What a formula begins with, the full-width forms that some spreadsheets take, and what they skip before one.
    private static let formula: Set<Unicode.Scalar> = [
        "=", "+", "-", "@", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}", "\t", "\r", "\n",
    ]
}
